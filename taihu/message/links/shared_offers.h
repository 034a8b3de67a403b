// SPDX-License-Identifier: Apache-2.0
// The part of SharedLink::Neighbour for data that the receiver reads where they are (offers).
//
// That may fail, though the probe at the start succeeded: a program has forbidden it since (PR_SET_DUMPABLE,
// another user), or its data are in memory that the kernel lets only its own process read (of devices,
// memfd_secret). Then the receiver answers "not taken", and the data come in pieces, under a tag that it has
// chosen, as others with the first tag may be on their way. Only shared_link.cc includes this.
#pragma once

#include <algorithm>
#include <cerrno>
#include <limits>

#include "taihu/message/links/shared_neighbour.h"
#include "taihu/message/links/single_copy.h"

namespace taihu::message {

inline bool SharedLink::Neighbour::take_offer(const records::Offer& offer) {
  const auto posted = posted_for(offer.tag);
  if (posted == posted_.end()) return false;
  check_space(*posted, offer.bytes);
  reads_.push_back({*posted, offer});
  posted_.erase(posted);
  return read_memory_of() || true;
}

inline bool SharedLink::Neighbour::read_memory_of() {
  if (is_gone_) return false;
  Read& read = reads_.front();
  const std::size_t bytes = std::min<std::size_t>(bytes_read_at_once, read.offer.bytes - read.posted.got);
  const int error = may_read_ ? read_memory(place_.pid, read.offer.address + read.posted.got,
                                            read.posted.buffer + read.posted.got, bytes)
                              : EPERM;
  // The launcher reports the end of a process, and ends this one, too.
  is_gone_ = error == ESRCH;
  if (is_gone_) return false;
  if (error != 0) {
    // Others are of this buffer or of this moment alone, such as a wrong address.
    const bool is_forbidden = error == EPERM || error == EACCES || error == ENOSYS;
    may_read_ &= !is_forbidden;
    ask_for_pieces(read, may_read_);
  } else {
    read.posted.got += bytes;
    if (read.posted.got < read.offer.bytes) return true;
    read.posted.request->done = true;
    Sending taken;
    taken.kind = Kind::taken;
    taken.taken = {read.offer.request};
    advance_or_wait(taken);
  }
  reads_.pop_front();
  return true;
}

/// Tags of transfers are positive, those of refused offers negative.
inline void SharedLink::Neighbour::ask_for_pieces(Read& read, bool is_permitted) {
  refused_tag_ = refused_tag_ == std::numeric_limits<int>::min() ? -1 : refused_tag_ - 1;
  read.posted.tag = refused_tag_;
  read.posted.got = 0;
  posted_.push_back(read.posted);
  Sending not_taken;
  not_taken.kind = Kind::not_taken;
  not_taken.not_taken = {read.offer.request, refused_tag_, is_permitted};
  advance_or_wait(not_taken);
}

inline SharedLink::Neighbour::Sending SharedLink::Neighbour::take_back_offer(std::uint64_t number) {
  auto* const request = reinterpret_cast<OwnRequest*>(static_cast<std::uintptr_t>(number));
  const auto offered = std::ranges::find(offered_, request, &Sending::request);
  const Sending sending = *offered;
  offered_.erase(offered);
  return sending;
}

inline void SharedLink::Neighbour::finish_offer(const records::Taken& taken) {
  OwnRequest* const request = take_back_offer(taken.request).request;
  // It has just been at the ring.
  (void)writer_.look_at_distance();
  if (request->is_abandoned) return link_.give_back(request);
  request->done = true;
}

inline void SharedLink::Neighbour::send_pieces(const records::NotTaken& not_taken) {
  Sending sending = take_back_offer(not_taken.request);
  if (not_taken.is_permitted == 0) may_be_read_.store(false, std::memory_order_relaxed);
  if (sending.request->is_abandoned) return link_.give_back(sending.request);
  sending.kind = Kind::piece;
  sending.tag = not_taken.tag;
  advance_or_wait(sending);
}

}  // namespace taihu::message
