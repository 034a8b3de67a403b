// SPDX-License-Identifier: Apache-2.0
// Attributes: values that the program attaches to communicators, datatypes and windows, by keys whose
// functions are called when the object is duplicated or freed (MPI-3.1 section 6.7).
//
// They are kept here for each rank and not in the objects, because all ranks of a process share the
// predefined datatypes. Functions of the program run without any lock held; what they return other than
// MPI_SUCCESS is thrown as CallError with that code. Any thread of the rank may call.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

/// What a key is for.
enum class Carrier { communicator, datatype, window };

/// In which language a key was made or a value was set. `fortran_integer`: by the calls of MPI-1, with values
/// of type INTEGER; `fortran`: with INTEGER(MPI_ADDRESS_KIND).
enum class Language { c, fortran, fortran_integer };

/// How functions of C are called that do not follow taihu/abi/mpi.h; both return an error code of ours.
struct ForeignAttributeCalls {
  int (*copy)(void (*function)(), Carrier carrier, void* handle, int keyval, void* extra_state, void* in,
              void* out, int* flag);
  int (*remove)(void (*function)(), Carrier carrier, void* handle, int keyval, void* value,
                void* extra_state);
};

/// A key. The functions are those of C (MPI_Comm_copy_attr_function and its sisters), or Fortran procedures.
/// For C null stands for the ..._NULL_..._FN, one for the ..._DUP_FN; the Fortran part passes the same two
/// values for its predefined procedures.
struct Keyval {
  Carrier carrier;
  Language language = Language::c;
  void (*copy)() = nullptr;
  void (*remove)() = nullptr;
  void* extra_state = nullptr;  ///< of Fortran: the number itself
  const ForeignAttributeCalls* foreign = nullptr;
};

/// A value as it was set; `value` is the number itself when it was set in Fortran.
struct AttributeValue {
  void* value = nullptr;
  Language language = Language::c;
  /// Where the value is kept while it is attached: what C programs get of a value set in Fortran.
  const void* kept_at = nullptr;
};

/// How Fortran procedures of keys are called; set by the Fortran part.
struct FortranAttributeCalls {
  /// Both return the procedure's IERROR. `handle`: the object as an integer.
  int (*copy)(const Keyval& key, int handle, int keyval, std::intptr_t in, std::intptr_t* out, bool* flag);
  int (*remove)(const Keyval& key, int handle, int keyval, std::intptr_t value);
};
void set_fortran_attribute_calls(const FortranAttributeCalls* calls) noexcept;

class Attributes final : public RankPart {
 public:
  explicit Attributes(Rank& rank);
  static Attributes& of(Rank& rank) { return rank.part<Attributes>(Part::attributes); }

  int create_keyval(const Keyval& key);
  /// For keys that are made in two steps; before anything is attached by the key.
  template <class Change>
  void change_keyval(int keyval, Change&& change) {
    const std::lock_guard hold(lock_);
    const auto found = keys_.find(keyval);
    if (found != keys_.end()) change(found->second.key);
  }
  /// The key goes away when nothing is attached by it any more.
  void free_keyval(Carrier carrier, int keyval);

  /// Attaches a value; one that is there already is removed by the key's function first.
  void set(Object& object, Carrier carrier, int keyval, void* value, Language language = Language::c);
  std::optional<AttributeValue> get(const Object& object, Carrier carrier, int keyval);
  /// Error MPI_ERR_KEYVAL when there is none.
  void remove(Object& object, Carrier carrier, int keyval);
  /// Attaches to `to` what the keys' functions make of the attributes of `from`.
  void copy_all(Object& from, Object& to, Carrier carrier);
  /// Before an object is freed: the last one set goes first. When a function fails, it and those set earlier
  /// stay.
  void remove_all(Object& object, Carrier carrier);
  /// Forgets what is left, without calling anything.
  void drop_all(const Object& object);

  /// Names of predefined datatypes that the program has changed.
  std::optional<std::string> name_of(const Object& object);
  void set_name(const Object& object, std::string name);

 private:
  struct Key {
    Keyval key;
    int uses = 0;
    bool freed = false;
  };
  struct Attribute {
    int keyval;
    std::intptr_t value;
    Language language;
  };
  using List = std::list<Attribute>;  // stable addresses, in the order of setting

  Keyval key_of(Carrier carrier, int keyval);
  void release_key(int keyval);
  std::optional<Attribute> find(const Object& object, int keyval);
  void erase(const Object& object, int keyval);
  void call_remove(const Keyval& key, Object& object, const Attribute& attribute);
  bool call_copy(const Keyval& key, Object& object, const Attribute& attribute, std::intptr_t* out);

  Rank& rank_;
  std::mutex lock_;
  std::map<int, Key> keys_;
  int next_keyval_;
  std::unordered_map<const Object*, List> attached_;
  std::unordered_map<const Object*, std::string> names_;
};

/// The attributes that MPI itself attaches to communicators (MPI_TAG_UB and others): the address of their
/// value, null for other keys.
const int* predefined_attribute(Rank& rank, int keyval);

// The bodies of MPI_..._get_attr and ..._set_attr in C, also for windows.

/// Stores what a C program gets; false when there is no such attribute.
bool get_for_c(Rank& rank, Object& object, Carrier carrier, int keyval, void* attribute_val);

}  // namespace taihu::mpi
