// SPDX-License-Identifier: Apache-2.0
// What all MPI objects have in common, and how handles and objects turn into each other. The handle of a
// predefined object is a small number that the standard fixes (MPI-5.0, application binary interface); every
// other handle is the address of its object.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "taihu/abi/mpi.h"

namespace taihu::mpi {

enum class Kind : std::uint8_t {
  communicator,
  group,
  datatype,
  operation,
  request,
  message,
  window,
  file,
  info,
  error_handler,
  session,
};

/// Who gave an object its integer (handles/handle_table.h).
class IndexKeeper {
 public:
  /// The object is going away.
  virtual void forget(int index) noexcept = 0;

 protected:
  ~IndexKeeper() = default;
};

/// Counted: a handle of the program is one reference, and so is every other object or transfer under way that
/// needs this one. Objects belong to one rank and are used by its threads; only datatypes are also read by
/// ranks that receive from it.
struct Object {
  explicit Object(Kind object_kind) noexcept : kind(object_kind) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() {
    if (index_keeper != nullptr) index_keeper->forget(fortran_index);
  }

  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  /// Deletes the object with the last reference.
  void release() noexcept {
    // Nobody else can get at an object by its only reference.
    if (references.load(std::memory_order_acquire) == 1 ||
        references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  const Kind kind;
  bool predefined = false;  ///< may not be freed
  std::atomic<int> references{1};
  int fortran_index = 0;                ///< its handle as an integer; 0: has none yet
  IndexKeeper* index_keeper = nullptr;  ///< set together with fortran_index
  std::uintptr_t number = 0;            ///< the fixed value of a predefined object's handle
};

/// One reference to an object.
template <class T>
class Reference {
 public:
  Reference() noexcept = default;
  /// Takes over a reference that the caller has.
  explicit Reference(T* object) noexcept : object_(object) {}
  Reference(const Reference& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Reference(Reference&& other) noexcept : object_(other.give_up()) {}
  Reference& operator=(Reference other) noexcept {
    T* const mine = object_;
    object_ = other.object_;
    other.object_ = mine;
    return *this;
  }
  ~Reference() {
    if (object_ != nullptr) object_->release();
  }

  /// One more reference to an object.
  static Reference to(T* object) noexcept {
    if (object != nullptr) object->retain();
    return Reference(object);
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /// The caller has the reference now.
  T* give_up() noexcept {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  T* object_ = nullptr;
};

/// Handles of predefined objects are below this; address zero is among them.
inline constexpr std::uintptr_t predefined_handles = 0x400;

/// Predefined objects by their handle's value; null where there is none.
using PredefinedObjects = std::array<Object*, predefined_handles>;

/// The object of `handle`, or null when the handle is null, unknown, or of another kind. `predefined` holds
/// the predefined objects of the rank. A handle that is no valid address cannot be recognised.
template <class T, class Handle>
T* object_of(const PredefinedObjects& predefined, Handle handle) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  Object* const object = value < predefined_handles ? predefined[value] : reinterpret_cast<Object*>(value);
  return object != nullptr && object->kind == T::object_kind ? static_cast<T*>(object) : nullptr;
}

/// The handle of an object.
template <class Handle>
Handle handle_of(Object* object) noexcept {
  return object->number != 0 ? reinterpret_cast<Handle>(object->number) : reinterpret_cast<Handle>(object);
}

}  // namespace taihu::mpi
