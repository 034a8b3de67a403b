// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/collective_calls/schedule.h"

namespace taihu::mpi {
namespace {

constexpr message::Data nothing{nullptr, 0};

}  // namespace

message::Data Schedule::data(const Piece& buffer) {
  const message::Space same = space(buffer);
  return {same.address, same.bytes, same.layout};
}

message::Space Schedule::space(const Piece& buffer) {
  const std::size_t bytes = buffer.bytes();
  if (bytes == 0) return {nullptr, 0};
  if (buffer.is_contiguous()) return {buffer.data(), bytes};
  layouts_.push_back(std::make_unique<TypedLayout>(*buffer.type, buffer.count));
  return {buffer.address, bytes, layouts_.back().get()};
}

std::byte* Schedule::scratch(std::size_t bytes) {
  scratch_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  return scratch_.back().get();
}

void Schedule::send(int peer, const message::Data& data) {
  steps_.push_back({Step::Kind::send, peer, data});
}

void Schedule::receive(int peer, const message::Space& space) {
  steps_.push_back({Step::Kind::receive, peer, {nullptr, 0}, space});
}

void Schedule::copy(const message::Space& target, const message::Data& source) {
  if (source.bytes != 0) steps_.push_back({Step::Kind::copy, -1, source, target});
}

void Schedule::reduce(const void* in, void* inout, std::size_t count) {
  if (count != 0) steps_.push_back({Step::Kind::reduce, -1, {in, count}, {inout, count}});
}

void Schedule::start() noexcept {
  next_ = 0;
  error_ = MPI_SUCCESS;
}

bool Schedule::advance() {
  for (;;) {
    if (!transfers_are_complete()) return false;
    if (next_ == steps_.size()) return true;
    while (next_ != steps_.size() && steps_[next_].kind != Step::Kind::end_round) run(steps_[next_++]);
    if (next_ != steps_.size()) ++next_;
  }
}

void Schedule::run(const Step& step) {
  switch (step.kind) {
    case Step::Kind::send:
      transfers_.push_back(
          {endpoint_.isend(step.peer, context_, tag_, error_ == MPI_SUCCESS ? step.source : nothing,
                           message::SendMode::standard),
           0});
      break;
    case Step::Kind::receive:
      transfers_.push_back({endpoint_.irecv(step.peer, context_, tag_, step.target), step.target.bytes});
      break;
    case Step::Kind::copy:
      if (step.source.bytes > step.target.bytes)
        error_ = MPI_ERR_TRUNCATE;
      else
        message::copy_message(step.target, step.source, step.source.bytes);
      break;
    case Step::Kind::reduce:
      (*reducer_)(step.source.address, step.target.address, step.source.bytes);
      break;
    case Step::Kind::work:
      if (const int error = works_[static_cast<std::size_t>(step.peer)](); error != MPI_SUCCESS)
        error_ = error;
      break;
    case Step::Kind::end_round:
      break;
  }
}

bool Schedule::transfers_are_complete() {
  while (!transfers_.empty()) {
    message::Status status;
    Transfer& transfer = transfers_.back();
    if (!endpoint_.test(transfer.request, &status)) return false;
    if (status.bytes < transfer.expected_bytes) error_ = MPI_ERR_COUNT;
    transfers_.pop_back();
    if (status.error == message::Error::truncated) error_ = MPI_ERR_TRUNCATE;
    if (status.error == message::Error::link) error_ = MPI_ERR_OTHER;
  }
  return true;
}

}  // namespace taihu::mpi
