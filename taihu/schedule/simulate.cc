// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/simulate.h"

#include <cstring>
#include <deque>
#include <map>
#include <utility>

namespace taihu::schedule {

namespace {

class Simulator {
 public:
  Simulator(const std::vector<Program>& programs, std::vector<MemberMemory>& memory, const Combine& combine,
            const Work& work)
      : programs_(programs), memory_(memory), combine_(combine), work_(work), members_(programs.size()) {
    for (std::size_t m = 0; m < programs.size(); ++m) members_[m].scratch.resize(programs[m].scratch);
  }

  SimulationResult run() {
    for (bool moved = true; moved && sound();) {
      moved = false;
      for (std::size_t m = 0; m < members_.size() && sound(); ++m) moved |= advance(m);
    }
    for (std::size_t m = 0; m < members_.size() && sound(); ++m) {
      if (members_[m].next < programs_[m].steps.size() || members_[m].open > 0) fail(m, "waits for ever");
    }
    for (const auto& [pair, queue] : sends_) {
      if (sound() && !queue.empty())
        fail(static_cast<std::size_t>(pair.first), "has a send without a receive");
    }
    return result_;
  }

 private:
  struct Member {
    std::vector<std::byte> scratch;
    std::size_t next = 0;  // first step that has not been started
    int open = 0;          // transfers under way
  };
  struct Transfer {
    std::size_t member;
    const Step* step;
  };
  using Queues = std::map<std::pair<int, int>, std::deque<Transfer>>;  // by (from, to)

  bool sound() const { return result_.problem.empty(); }
  void fail(std::size_t member, const std::string& what) {
    result_.problem = "member " + std::to_string(member) + " " + what + " (next step " +
                      std::to_string(members_[member].next) + ")";
  }

  std::byte* range(std::size_t member, Buffer buffer, std::size_t offset, std::size_t count) {
    std::vector<std::byte>& memory = buffer == Buffer::source   ? memory_[member].source
                                     : buffer == Buffer::result ? memory_[member].result
                                                                : members_[member].scratch;
    if (offset > memory.size() || count > memory.size() - offset) {
      fail(member, "names bytes outside a buffer");
      return nullptr;
    }
    return memory.data() + offset;
  }

  // Starts what `m` can start now; true when anything happened.
  bool advance(std::size_t m) {
    Member& member = members_[m];
    const std::vector<Step>& steps = programs_[m].steps;
    if (member.open > 0 || member.next == steps.size()) return false;
    const std::size_t first = member.next;
    if (first > 0 && steps[first].round < steps[first - 1].round) fail(m, "goes back to an earlier round");
    if (!steps[first].is_transfer()) {
      ++member.next;
      run_local(m, steps[first]);
      return true;
    }
    while (member.next < steps.size() && steps[member.next].is_transfer() &&
           steps[member.next].round == steps[first].round) {
      check_overlap(m, first);
      post(m, steps[member.next++]);
    }
    return true;
  }

  void check_overlap(std::size_t m, std::size_t first) {
    const Step& late = programs_[m].steps[members_[m].next];
    for (std::size_t k = first; k < members_[m].next; ++k) {
      const Step& early = programs_[m].steps[k];
      if (early.buffer != late.buffer || early.count == 0 || late.count == 0) continue;
      if (early.action == Action::send && late.action == Action::send) continue;
      if (early.offset < late.offset + late.count && late.offset < early.offset + early.count) {
        fail(m, "receives into bytes of another transfer of the same round");
      }
    }
  }

  void run_local(std::size_t m, const Step& step) {
    if (step.action == Action::work) {
      if (!work_) return fail(m, "has work that nobody does");
      return work_(m);
    }
    if (step.buffer == Buffer::source) fail(m, "writes to its source");
    std::byte* target = range(m, step.buffer, step.offset, step.count);
    const std::byte* operand = range(m, step.operand_buffer, step.operand_offset, step.count);
    if (!sound()) return;
    if (step.action == Action::copy) {
      if (step.count != 0) std::memmove(target, operand, step.count);
    } else if (target < operand + step.count && operand < target + step.count) {
      fail(m, "combines ranges that overlap");
    } else {
      combine_(target, operand, step.count);
    }
  }

  void post(std::size_t m, const Step& step) {
    if (step.peer < 0 || static_cast<std::size_t>(step.peer) >= members_.size()) {
      return fail(m, "names a peer that does not exist");
    }
    const int me = static_cast<int>(m);
    const bool is_send = step.action == Action::send;
    if (!is_send && step.buffer == Buffer::source) return fail(m, "receives into its source");
    const std::pair<int, int> pair = is_send ? std::pair{me, step.peer} : std::pair{step.peer, me};
    ++members_[m].open;
    (is_send ? sends_ : receives_)[pair].push_back({m, &step});
    match(pair);
  }

  void match(std::pair<int, int> pair) {
    auto& sends = sends_[pair];
    auto& receives = receives_[pair];
    while (sound() && !sends.empty() && !receives.empty()) {
      const Transfer from = sends.front();
      const Transfer to = receives.front();
      sends.pop_front();
      receives.pop_front();
      if (from.step->count != to.step->count) return fail(to.member, "expects another length than is sent");
      const std::byte* data = range(from.member, from.step->buffer, from.step->offset, from.step->count);
      std::byte* target = range(to.member, to.step->buffer, to.step->offset, to.step->count);
      if (!sound()) return;
      if (from.step->count != 0) std::memcpy(target, data, from.step->count);
      --members_[from.member].open;
      --members_[to.member].open;
      ++result_.messages;
      result_.message_bytes += from.step->count;
    }
  }

  const std::vector<Program>& programs_;
  std::vector<MemberMemory>& memory_;
  const Combine& combine_;
  const Work& work_;
  std::vector<Member> members_;
  Queues sends_;
  Queues receives_;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const std::vector<Program>& programs, std::vector<MemberMemory>& memory,
                          const Combine& combine, const Work& work) {
  expect(programs.size() == memory.size(), "one program and one memory for each member");
  return Simulator(programs, memory, combine, work).run();
}

}  // namespace taihu::schedule
