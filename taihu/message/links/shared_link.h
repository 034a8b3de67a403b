// SPDX-License-Identifier: Apache-2.0
// The link that carries transfers to node processes of the same machine through shared memory and hands all
// others to the link it was made from. Each pair of processes has one way for the whole job, so the order
// between two of them is that of its way.
//
// Every ordered pair has a ring of records (shared_ring.h) in the reader's segment (machine_memory.h),
// written by one process and read by the other, each under the lock of its node; nobody waits in a kernel or
// for a lock of another process, so a process that has died holds up nobody (the launcher ends the job).
// Kinds of records:
// - envelope: head and a short payload in the lines; one that repeats the head of the one before, as those of
//   a stream do, leaves it out where that saves a line: four with up to 8 bytes of payload share one, two
//   with up to 24, and 33 to 56 take one; envelope_apart: the payload stands in the second ring, one copy
//   into it and one out of it
// - piece: a part of data under a tag, in the second ring. The receiver copies it to its buffer while the
//   sender writes the next one. The sender is done when the last piece is written
// - tally: what a count in the line beside the ring (tally_line.h) means from now on
// - offer: data under a tag that the receiver may read where they are, in one copy by the kernel
//   (process_vm_readv), if it has permitted a probe at the start; taken: they have been; not_taken: they
//   cannot be read after all, and are to come in pieces (shared_offers.h). A sender that waits copies some of
//   long ones itself (joint_copy.h)
// Between near cores the second ring moves fast, and its two copies go on at the same time: data take pieces
// at every length, as the kernel's copy, which finds and pins every page, is half as fast. Between far cores
// the ring moves each line twice over a long way: there data take offers from 4 KB on, and what is longer
// than 5 KB leaves as data, not as an envelope (unasked_bytes). Where both sides send at the same time
// (unasked_bytes_both_ways) both copy anyway, and by the ring they need neither the kernel nor the answer
// that an offer waits for. How far the cores are the sender's looks at the ring tell; until some have, they
// count as far.
//
// What finds no room waits here, in order, and goes on with the next look. Data in pieces and offers always
// find their buffer: the receiver names it before they can arrive (see Wire).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "taihu/message/link.h"
#include "taihu/message/links/machine_memory.h"
#include "taihu/message/rings/shared_ring.h"

namespace taihu::message {

class SharedLink final : public Link {
 public:
  SharedLink(std::unique_ptr<Link> far, std::unique_ptr<MachineMemory> memory, const SharedRingShape& shape);
  ~SharedLink() override;

  int process() const override { return far_->process(); }
  int processes() const override { return far_->processes(); }
  std::string library() const override { return far_->library(); }
  std::string way_on_machine() const override;
  int tag_limit() const override { return far_->tag_limit(); }
  std::size_t unasked_bytes(int process) const override;
  std::size_t unasked_bytes_both_ways(int process) const override;
  bool send_envelope(int process, const void* head, std::size_t head_bytes, const Data& payload) override;
  bool has_room(int process, std::size_t bytes) override;
  bool shares_memory_with(int process) const override { return neighbour(process) != nullptr; }
  bool tally(int process, const Tally& tally) override;
  bool read(EnvelopeReader& reader, int most) override;
  Next next_from(int process, const void* head, std::size_t head_bytes, InPlace& payload) override;
  void pop_next(int process) override;
  bool is_quiet() override;
  LinkRequest* send(int process, int tag, const void* data, std::size_t bytes) override;
  LinkRequest* receive(int process, int tag, void* buffer, std::size_t capacity) override;
  bool test(LinkRequest* request) override;
  void cancel(LinkRequest* request) override;
  std::vector<std::string> allgather(const std::string& mine) override { return far_->allgather(mine); }
  void barrier() override { far_->barrier(); }
  [[noreturn]] void abort(int exit_code) override {
    far_->abort(exit_code);
    __builtin_unreachable();  // GCC forgets that virtual functions do not return
  }

 private:
  class Neighbour;
  struct OwnRequest;

  Neighbour* neighbour(int process) const noexcept {
    return neighbour_of_[static_cast<std::size_t>(process)];
  }
  void leave_tallies_alone() noexcept;
  OwnRequest* take_request();
  void give_back(OwnRequest* request);

  const std::unique_ptr<Link> far_;
  const std::unique_ptr<MachineMemory> memory_;
  std::vector<std::unique_ptr<Neighbour>> neighbours_;
  std::vector<Neighbour*> neighbour_of_;  // by process; null: reached by far_
  const bool has_far_;                    // some process is
  bool has_found_tallies_ = false;        // the last read
  bool stops_before_copies_ = false;      // this read
  std::size_t next_neighbour_ = 0;
  std::uint32_t looks_ = 0;
  std::vector<std::unique_ptr<OwnRequest>> all_;
  std::vector<OwnRequest*> free_;
};

/// The link that uses shared memory as far as that is wanted and possible, else `link` itself. All processes
/// of the job call; blocks.
std::unique_ptr<Link> share_memory(std::unique_ptr<Link> link, SharedMemory wanted);

}  // namespace taihu::message
