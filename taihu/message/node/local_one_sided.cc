// SPDX-License-Identifier: Apache-2.0
// The one-sided half of an endpoint: copies inside the node process, and hands the rest to Remote.
#include <atomic>

#include "taihu/message/data/copy.h"
#include "taihu/message/node/local_endpoint.h"
#include "taihu/message/node/node_process.h"

namespace taihu::message {

/// The data of a put to a rank of this node process are there.
void LocalEndpoint::announce_put(LocalEndpoint& peer, const memory::SymmetricAddress* reply) {
  if (reply != nullptr) {
    auto* word = static_cast<int*>(node_.resolve(peer, *reply, sizeof(int), rank_));
    std::atomic_ref(*word).fetch_add(1, std::memory_order_release);
  }
  peer.doorbell_.ring();
}

Request* LocalEndpoint::put(int destination, const void* source, memory::SymmetricAddress target,
                            std::size_t bytes, const memory::SymmetricAddress* reply) {
  expect_rank(destination);
  expect(bytes == 0 || source != nullptr, "data have an address");
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == nullptr) {
    Request* request = take_request(no_context);
    node_.remote()->put(rank_, destination, source, target, bytes, reply, request);
    return request;
  }
  void* to = node_.resolve(*peer, target, bytes, rank_);
  copy_bytes(to, source, bytes);
  announce_put(*peer, reply);
  return nullptr;
}

bool LocalEndpoint::may_reach_there(int rank) {
  expect_rank(rank);
  return node_.remote() != nullptr && node_.remote()->may_reach(rank);
}

bool LocalEndpoint::ring_there(int destination) {
  expect_rank(destination);
  return node_.remote()->tell_of_put(destination, nullptr);
}

Request* LocalEndpoint::tell_of_put(int destination, const memory::SymmetricAddress* reply) {
  expect_rank(destination);
  if (node_.remote()->tell_of_put(destination, reply)) return nullptr;
  return put(destination, nullptr, {}, 0, reply);
}

Request* LocalEndpoint::get(int from, memory::SymmetricAddress source, void* target, std::size_t bytes) {
  expect_rank(from);
  expect(bytes == 0 || target != nullptr, "a space for bytes has an address");
  LocalEndpoint* peer = node_.local_endpoint_of(from);
  if (peer == nullptr) {
    Request* request = take_request(no_context);
    node_.remote()->get(rank_, from, source, target, bytes, request);
    return request;
  }
  copy_bytes(target, node_.resolve(*peer, source, bytes, rank_), bytes);
  return nullptr;
}

Request* LocalEndpoint::put_blocks(int destination, const void* source, memory::SymmetricAddress target,
                                   const StridedShape& shape, const memory::SymmetricAddress* reply) {
  expect_rank(destination);
  if (shape.source_is_dense() && shape.target_is_dense())
    return put(destination, source, target, shape.bytes, reply);
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == nullptr) {
    Request* request = take_request(no_context);
    node_.remote()->put_blocks(rank_, destination, source, target, shape, reply, request);
    return request;
  }
  void* to = node_.resolve(*peer, target, shape.target_extent(), rank_);
  copy_blocks(to, source, shape);
  announce_put(*peer, reply);
  return nullptr;
}

Request* LocalEndpoint::get_blocks(int from, memory::SymmetricAddress source, void* target,
                                   const StridedShape& shape) {
  expect_rank(from);
  if (shape.source_is_dense() && shape.target_is_dense()) return get(from, source, target, shape.bytes);
  LocalEndpoint* peer = node_.local_endpoint_of(from);
  if (peer == nullptr) {
    Request* request = take_request(no_context);
    node_.remote()->get_blocks(rank_, from, source, target, shape, request);
    return request;
  }
  copy_blocks(target, node_.resolve(*peer, source, shape.source_extent(), rank_), shape);
  return nullptr;
}

}  // namespace taihu::message
