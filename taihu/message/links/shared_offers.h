// SPDX-License-Identifier: Apache-2.0
// The part of SharedLink::Neighbour for data that the receiver reads where they are (offers).
//
// That may fail, though the probe at the start succeeded: a program has forbidden it since (PR_SET_DUMPABLE,
// another user), or its data are in memory that the kernel lets only its own process read (of devices,
// memfd_secret). Then the receiver answers "not taken", and the data come in pieces, under a tag that it has
// chosen, as others with the first tag may be on their way. Only shared_link.cc includes this.
#pragma once

#include <sched.h>

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
  Read& read = reads_.front();
  if (read.offer.number != 0 && may_read_ && !read.is_joint) {
    read.is_joint = true;
    joint_receives_.open(read.offer.number, read.posted.buffer, read.offer.bytes);
  }
  const bool worked = read_part(read);
  const auto is_complete = [&] {
    return read.posted.got + (read.is_joint ? joint_receives_.written() : 0) >= read.offer.bytes;
  };
  // The sender ends its part about now.
  constexpr int turns_for_sender = 100;
  if (worked && read.is_joint && joint_receives_.are_all_taken()) {
    for (int turn = 0; !is_complete() && turn < turns_for_sender; ++turn) threads::spin_pause();
  }
  if (!is_complete()) return worked;
  if (read.error != 0) {
    // Others are of this buffer or of this moment alone, such as a wrong address.
    const bool is_forbidden = read.error == EPERM || read.error == EACCES || read.error == ENOSYS;
    may_read_ &= !is_forbidden;
    ask_for_pieces(read, may_read_);
  } else {
    read.posted.request->done = true;
    Sending taken;
    taken.kind = Kind::taken;
    taken.taken = {read.offer.request};
    advance_or_wait(taken);
  }
  reads_.pop_front();
  return true;
}

/// Records do not overtake data that are copied in one turn.
inline bool SharedLink::Neighbour::must_finish_read() const noexcept {
  return !reads_.empty() && reads_.front().offer.bytes <= bytes_copied_at_once && !is_gone_;
}

/// The next part that is this side's to read; false when there is none, or the other process has ended.
/// Behind a part that cannot be read others are only counted: the sender may be writing one.
inline bool SharedLink::Neighbour::read_part(Read& read) {
  if (is_gone_) return false;
  std::size_t first = read.posted.got;
  std::size_t bytes = std::min<std::size_t>(bytes_copied_at_once, read.offer.bytes - first);
  if (read.is_joint) {
    const joint_copy::Blocks blocks = joint_receives_.take(blocks_copied_at_once);
    first = blocks.first_byte();
    bytes = blocks.bytes(read.offer.bytes);
  }
  if (bytes == 0) return false;
  if (read.error == 0)
    read.error = may_read_
                     ? read_memory(place_.pid, read.offer.address + first, read.posted.buffer + first, bytes)
                     : EPERM;
  // The launcher reports the end of a process, and ends this one, too.
  is_gone_ = read.error == ESRCH;
  if (is_gone_) return false;
  read.posted.got = read.error != 0 && !read.is_joint ? read.offer.bytes : read.posted.got + bytes;
  return true;
}

/// Its buffer is not written any more afterwards.
inline void SharedLink::Neighbour::give_up_read(OwnRequest* request) {
  const auto read =
      std::ranges::find_if(reads_, [&](const Read& one) { return one.posted.request == request; });
  if (read == reads_.end()) return;
  // A process that has ended has no memory.
  const auto has_ended = [&] {
    std::byte probe;
    return read_memory(place_.pid, read->offer.address, &probe, 1) == ESRCH;
  };
  read->error = ECANCELED;
  while (read->is_joint && read->posted.got + joint_receives_.written() < read->offer.bytes) {
    if (read_part(*read)) continue;
    if (has_ended()) break;
    sched_yield();
  }
  reads_.erase(read);
}

/// Writes a part of what the other process reads, as long as this one waits for that.
inline bool SharedLink::Neighbour::help_reader() {
  if (!may_write_) return false;
  joint_sends_.wait();
  const joint_copy::Blocks left = joint_sends_.left();
  if (left.empty()) return false;
  const auto offered = std::ranges::find_if(offered_, [&](const Sending& sending) {
    return sending.number != 0 && static_cast<std::uint16_t>(sending.number) == left.number;
  });
  if (offered == offered_.end() || offered->request->is_abandoned) return false;
  const joint_copy::Blocks blocks = joint_sends_.take(left, blocks_copied_at_once);
  if (blocks.empty()) return false;
  const std::size_t bytes = blocks.bytes(offered->bytes);
  const std::size_t first = blocks.first_byte();
  if (write_memory(place_.pid, joint_sends_.target() + first, offered->data + first, bytes) == 0) {
    joint_sends_.add_written(bytes);
  } else {
    may_write_ = false;
    joint_sends_.give_back(blocks);
  }
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
