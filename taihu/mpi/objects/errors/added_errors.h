// SPDX-License-Identifier: Apache-2.0
// Error classes, codes and texts, those of the standard and those that the program has added.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "taihu/mpi/guarded.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

/// What a rank's program has added (MPI_Add_error_class and its family). A class is also a code. Any thread
/// of the rank. A class goes after its codes, and both after their texts (MPI-4.1 section 9.5). Functions
/// that throw do so with CallError of class MPI_ERR_ARG.
class AddedErrors final : public RankPart {
 public:
  explicit AddedErrors(Rank&) {}
  static AddedErrors& of(Rank& rank) { return rank.part<AddedErrors>(Part::errors); }

  int add_class();
  int add_code(int error_class);
  void set_text(int code, std::string text);
  void remove_class(int error_class);
  void remove_code(int code);
  void remove_text(int code);

  bool exists(int code);
  /// Class of a code; MPI_ERR_UNKNOWN of one that does not exist.
  int class_of(int code);
  /// "MPI_ERR_RANK"; of an added code its number.
  std::string name_of(int code);
  /// Text of a code; empty for an added one without.
  std::string text_of(int code);
  /// The value of the attribute MPI_LASTUSEDCODE, at an address that stays.
  const int* last_used() const noexcept { return &last_used_; }
  /// A place for the same in the words of another ABI, whose value is the caller's business.
  std::atomic<int>& last_used_elsewhere() noexcept { return last_used_elsewhere_; }

  /// What the program was told last of a call that had failed; empty: none has. For reports.
  Guarded<std::string> last_told;

 private:
  struct Added {
    int error_class;
    std::optional<std::string> text;
    bool is_class() const noexcept { return error_class == MPI_SUCCESS; }
  };
  int add(int error_class);
  void remove(int code, bool is_class, const char* problem);
  void update_last_used() noexcept;

  std::mutex lock_;
  std::map<int, Added> added_;  ///< by code; a class has MPI_SUCCESS for its class
  int last_used_ = MPI_ERR_LASTCODE;
  std::atomic<int> last_used_elsewhere_{0};
};

}  // namespace taihu::mpi
