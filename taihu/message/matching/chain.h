// SPDX-License-Identifier: Apache-2.0
// A queue whose members carry their own neighbours, so that one object can stand in several queues and leave
// each of them in constant time.
#pragma once

namespace taihu::message {

/// The place of a T in one chain.
template <class T>
struct Neighbours {
  T* next = nullptr;
  T* previous = nullptr;
};

/// First in, first out; any member may leave. Does not own its members.
template <class T, Neighbours<T> T::* place>
class Chain {
 public:
  T* first() const noexcept { return first_; }
  T* last() const noexcept { return last_; }
  static T* next(const T* member) noexcept { return (member->*place).next; }

  void append(T* member) noexcept {
    (member->*place) = {nullptr, last_};
    (last_ != nullptr ? (last_->*place).next : first_) = member;
    last_ = member;
  }

  void remove(T* member) noexcept {
    const Neighbours<T> neighbours = member->*place;
    (neighbours.previous != nullptr ? (neighbours.previous->*place).next : first_) = neighbours.next;
    (neighbours.next != nullptr ? (neighbours.next->*place).previous : last_) = neighbours.previous;
  }

  /// Of a chain that is not empty.
  void remove_first() noexcept {
    first_ = (first_->*place).next;
    (first_ != nullptr ? (first_->*place).previous : last_) = nullptr;
  }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace taihu::message
