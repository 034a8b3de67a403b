// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/errors/added_errors.h"

#include "taihu/mpi/objects/errors/error_texts.h"

namespace taihu::mpi {

int AddedErrors::add(int error_class) {
  int code = MPI_ERR_LASTCODE + 1;
  while (added_.contains(code)) ++code;
  added_.emplace(code, Added{error_class, {}});
  update_last_used();
  return code;
}

int AddedErrors::add_class() {
  const std::lock_guard hold(lock_);
  return add(MPI_SUCCESS);
}

int AddedErrors::add_code(int error_class) {
  const std::lock_guard hold(lock_);
  const auto found = added_.find(error_class);
  const bool is_class =
      found != added_.end() ? found->second.is_class() : error_class_name(error_class) != nullptr;
  require(is_class, MPI_ERR_ARG, [&] { return std::to_string(error_class) + " is not an error class"; });
  return add(error_class);
}

void AddedErrors::set_text(int code, std::string text) {
  const std::lock_guard hold(lock_);
  const auto found = added_.find(code);
  require(found != added_.end(), MPI_ERR_ARG, [&] {
    return "error code " + std::to_string(code) + " was not added by the program; only such codes get texts";
  });
  found->second.text = std::move(text);
}

void AddedErrors::remove(int code, bool is_class, const char* problem) {
  const auto found = added_.find(code);
  require(found != added_.end() && found->second.is_class() == is_class, MPI_ERR_ARG,
          [&] { return std::to_string(code) + problem; });
  require(!found->second.text, MPI_ERR_ARG, [&] {
    return "error code " + std::to_string(code) + " still has a text; call MPI_Remove_error_string first";
  });
  added_.erase(found);
  update_last_used();
}

void AddedErrors::remove_class(int error_class) {
  const std::lock_guard hold(lock_);
  for (const auto& [code, added] : added_) {
    require(added.error_class != error_class || added.is_class(), MPI_ERR_ARG, [&, code = code] {
      return "error class " + std::to_string(error_class) + " still has code " + std::to_string(code) +
             "; remove that first";
    });
  }
  remove(error_class, true, " is not an error class that the program has added");
}

void AddedErrors::remove_code(int code) {
  const std::lock_guard hold(lock_);
  remove(code, false, " is not an error code that the program has added");
}

void AddedErrors::remove_text(int code) {
  const std::lock_guard hold(lock_);
  const auto found = added_.find(code);
  require(found != added_.end() && found->second.text, MPI_ERR_ARG,
          [&] { return "the program has added no text to error code " + std::to_string(code); });
  found->second.text.reset();
}

bool AddedErrors::exists(int code) {
  const std::lock_guard hold(lock_);
  return error_class_name(code) != nullptr || added_.contains(code);
}

int AddedErrors::class_of(int code) {
  if (error_class_name(code) != nullptr) return code;
  const std::lock_guard hold(lock_);
  const auto found = added_.find(code);
  if (found == added_.end()) return MPI_ERR_UNKNOWN;
  return found->second.is_class() ? code : found->second.error_class;
}

std::string AddedErrors::name_of(int code) {
  if (const char* name = error_class_name(code)) return name;
  return "error code " + std::to_string(code);
}

std::string AddedErrors::text_of(int code) {
  if (const char* text = error_class_text(code)) return text;
  const std::lock_guard hold(lock_);
  // The text of an added code without one is empty (MPI-3.1 section 8.5).
  const auto found = added_.find(code);
  return found != added_.end() ? found->second.text.value_or("") : "there is no such error code";
}

void AddedErrors::update_last_used() noexcept {
  last_used_ = added_.empty() ? MPI_ERR_LASTCODE : added_.rbegin()->first;
}

}  // namespace taihu::mpi
