// SPDX-License-Identifier: Apache-2.0
// Which libraries all ranks share. Every rank gets a copy of a library, unless
//   - it is of those that exist once per process: the C library, this runtime, OpenMP's runtimes, drivers of
//     accelerators and the like (the table is in library_sharing.cc),
//   - the node process has loaded the same file for itself,
//   - it is a versioned library (libpng16.so.16) in a folder of the system.
// Runtimes of languages that keep state for the program (libstdc++, libgfortran, libpython) and libraries in
// which their users register are copied wherever they are. A name alone never makes a library shared: what a
// user calls libutil.so or libmpiwrap.so is private.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace taihu::memory {

class LibrarySharing {
 public:
  /// `private_libraries`: beginnings of the names of further libraries to copy, such as "libhdf5". Looks at
  /// what the process has loaded: create it before the libraries of a program are.
  explicit LibrarySharing(std::vector<std::string> private_libraries = {});

  /// Whether ranks get copies of the library that an object needs as `name` and that was found at `path`.
  bool is_private(const std::string& name, const std::string& path) const;

  /// Whether a copy of the library can work beside that of the process: not of the C library and of the
  /// runtimes that exist once.
  bool may_be_copied(const std::string& name, const std::string& path) const;

  /// Whether a library of this name keeps what the program has told it. One that needs it, for itself or for
  /// the program, needs the rank's own.
  static bool has_state_of_rank(const std::string& name);

 private:
  std::vector<std::string> private_libraries_;
  std::set<std::string> loaded_by_process_;
};

}  // namespace taihu::memory
