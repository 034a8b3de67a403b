// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/attributes/attributes.h"

#include "taihu/mpi/objects/handles/handle_table.h"

namespace taihu::mpi {
namespace {

constexpr int first_keyval = 1024;  // above those of the standard

const FortranAttributeCalls* fortran_calls = nullptr;

const FortranAttributeCalls& fortran() {
  require(fortran_calls != nullptr, MPI_ERR_INTERN, "a key of Fortran without the Fortran library");
  return *fortran_calls;
}

bool is_duplicate_function(void (*function)()) noexcept {
  return reinterpret_cast<std::uintptr_t>(function) == 1;
}

[[noreturn]] void failed(const char* function, int keyval, int code) {
  throw CallError(code, std::string("the ") + function + " function of keyval " + std::to_string(keyval) +
                            " has returned " + std::to_string(code));
}

}  // namespace

void set_fortran_attribute_calls(const FortranAttributeCalls* calls) noexcept {
  fortran_calls = calls;
}

Attributes::Attributes(Rank& rank) : rank_(rank), next_keyval_(first_keyval) {}

int Attributes::create_keyval(const Keyval& key) {
  const std::lock_guard hold(lock_);
  keys_.emplace(next_keyval_, Key{key});
  return next_keyval_++;
}

Keyval Attributes::key_of(Carrier carrier, int keyval) {
  const std::lock_guard hold(lock_);
  const auto found = keys_.find(keyval);
  require(found != keys_.end(), MPI_ERR_KEYVAL, [&] {
    return keyval == MPI_KEYVAL_INVALID
               ? std::string("the keyval is MPI_KEYVAL_INVALID")
               : std::to_string(keyval) +
                     " is not a keyval of the program (predefined ones cannot be changed)";
  });
  require(found->second.key.carrier == carrier, MPI_ERR_KEYVAL,
          [&] { return "keyval " + std::to_string(keyval) + " was made for another kind of object"; });
  return found->second.key;
}

void Attributes::free_keyval(Carrier carrier, int keyval) {
  key_of(carrier, keyval);
  const std::lock_guard hold(lock_);
  const auto found = keys_.find(keyval);
  if (found == keys_.end()) return;
  found->second.freed = true;
  if (found->second.uses == 0) keys_.erase(found);
}

void Attributes::release_key(int keyval) {
  const auto found = keys_.find(keyval);
  if (found == keys_.end()) return;
  if (--found->second.uses == 0 && found->second.freed) keys_.erase(found);
}

std::optional<Attributes::Attribute> Attributes::find(const Object& object, int keyval) {
  const std::lock_guard hold(lock_);
  const auto list = attached_.find(&object);
  if (list == attached_.end()) return std::nullopt;
  for (const Attribute& attribute : list->second) {
    if (attribute.keyval == keyval) return attribute;
  }
  return std::nullopt;
}

void Attributes::erase(const Object& object, int keyval) {
  const std::lock_guard hold(lock_);
  const auto list = attached_.find(&object);
  if (list == attached_.end()) return;
  const auto erased = list->second.remove_if([&](const Attribute& each) { return each.keyval == keyval; });
  if (list->second.empty()) attached_.erase(list);
  if (erased != 0) release_key(keyval);
}

void Attributes::set(Object& object, Carrier carrier, int keyval, void* value, Language language) {
  const Keyval key = key_of(carrier, keyval);
  if (const std::optional<Attribute> old = find(object, keyval)) {
    call_remove(key, object, *old);
    // The new value counts as set now.
    erase(object, keyval);
  }
  const std::lock_guard hold(lock_);
  // The last use of a freed key may just have gone.
  ++keys_.try_emplace(keyval, Key{key, 0, true}).first->second.uses;
  attached_[&object].push_back({keyval, reinterpret_cast<std::intptr_t>(value), language});
}

std::optional<AttributeValue> Attributes::get(const Object& object, Carrier carrier, int keyval) {
  key_of(carrier, keyval);
  const std::lock_guard hold(lock_);
  const auto list = attached_.find(&object);
  if (list == attached_.end()) return std::nullopt;
  for (const Attribute& attribute : list->second) {
    if (attribute.keyval == keyval)
      return AttributeValue{reinterpret_cast<void*>(attribute.value), attribute.language, &attribute.value};
  }
  return std::nullopt;
}

void Attributes::remove(Object& object, Carrier carrier, int keyval) {
  const Keyval key = key_of(carrier, keyval);
  const std::optional<Attribute> attribute = find(object, keyval);
  require(attribute.has_value(), MPI_ERR_KEYVAL,
          [&] { return "the object has no attribute of keyval " + std::to_string(keyval); });
  call_remove(key, object, *attribute);
  erase(object, keyval);
}

void Attributes::copy_all(Object& from, Object& to, Carrier carrier) {
  List all;
  {
    const std::lock_guard hold(lock_);
    const auto list = attached_.find(&from);
    if (list == attached_.end()) return;
    all = list->second;
  }
  for (const Attribute& attribute : all) {
    const Keyval key = key_of(carrier, attribute.keyval);
    std::intptr_t value = attribute.value;
    if (!call_copy(key, from, attribute, &value)) continue;
    const bool same = is_duplicate_function(key.copy);
    set(to, carrier, attribute.keyval, reinterpret_cast<void*>(value),
        same ? attribute.language : key.language);
  }
}

void Attributes::remove_all(Object& object, Carrier carrier) {
  for (;;) {
    std::optional<Attribute> last;
    {
      const std::lock_guard hold(lock_);
      const auto list = attached_.find(&object);
      if (list != attached_.end()) last = list->second.back();
    }
    if (!last) return;
    call_remove(key_of(carrier, last->keyval), object, *last);
    erase(object, last->keyval);
  }
}

void Attributes::drop_all(const Object& object) {
  const std::lock_guard hold(lock_);
  const auto list = attached_.find(&object);
  if (list == attached_.end()) return;
  for (const Attribute& attribute : list->second) release_key(attribute.keyval);
  attached_.erase(list);
}

void Attributes::call_remove(const Keyval& key, Object& object, const Attribute& attribute) {
  if (key.remove == nullptr) return;
  int code;
  if (key.language == Language::c) {
    // A value set in Fortran is passed as the address where it is kept (MPI-3.1 section 17.2.7); the copy
    // here lives long enough.
    std::intptr_t kept = attribute.value;
    void* const value = attribute.language == Language::c ? reinterpret_cast<void*>(attribute.value) : &kept;
    void* const handle = handle_of<void*>(&object);
    code = key.foreign != nullptr ? key.foreign->remove(key.remove, key.carrier, handle, attribute.keyval,
                                                        value, key.extra_state)
                                  : reinterpret_cast<int (*)(void*, int, void*, void*)>(key.remove)(
                                        handle, attribute.keyval, value, key.extra_state);
  } else {
    code = fortran().remove(key, to_integer(rank_, handle_of<void*>(&object)), attribute.keyval,
                            attribute.value);
  }
  if (code != MPI_SUCCESS) failed("delete", attribute.keyval, code);
}

bool Attributes::call_copy(const Keyval& key, Object& object, const Attribute& attribute,
                           std::intptr_t* out) {
  if (key.copy == nullptr) return false;
  if (is_duplicate_function(key.copy)) return true;
  int code;
  bool copied = false;
  if (key.language == Language::c) {
    std::intptr_t kept = attribute.value;
    void* const value = attribute.language == Language::c ? reinterpret_cast<void*>(attribute.value) : &kept;
    int flag = 0;
    void* result = nullptr;
    void* const handle = handle_of<void*>(&object);
    code = key.foreign != nullptr
               ? key.foreign->copy(key.copy, key.carrier, handle, attribute.keyval, key.extra_state, value,
                                   &result, &flag)
               : reinterpret_cast<int (*)(void*, int, void*, void*, void*, int*)>(key.copy)(
                     handle, attribute.keyval, key.extra_state, value, &result, &flag);
    copied = flag != 0;
    *out = reinterpret_cast<std::intptr_t>(result);
  } else {
    code = fortran().copy(key, to_integer(rank_, handle_of<void*>(&object)), attribute.keyval,
                          attribute.value, out, &copied);
  }
  if (code != MPI_SUCCESS) failed("copy", attribute.keyval, code);
  return copied;
}

std::optional<std::string> Attributes::name_of(const Object& object) {
  const std::lock_guard hold(lock_);
  const auto found = names_.find(&object);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

void Attributes::set_name(const Object& object, std::string name) {
  const std::lock_guard hold(lock_);
  names_[&object] = std::move(name);
}

bool get_for_c(Rank& rank, Object& object, Carrier carrier, int keyval, void* attribute_val) {
  const std::optional<AttributeValue> found = Attributes::of(rank).get(object, carrier, keyval);
  if (!found) return false;
  *static_cast<const void**>(attribute_val) = found->language == Language::c ? found->value : found->kept_at;
  return true;
}

}  // namespace taihu::mpi
