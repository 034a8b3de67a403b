// SPDX-License-Identifier: Apache-2.0
// Which libraries all ranks share, by their names and places. Every rank gets a copy of a library, unless
//   - it is of those that exist once per process: the C library, this runtime, OpenMP's runtimes, drivers of
//     accelerators and the like (the tables are in library_sharing.cc),
//   - the node process has loaded the same file for itself,
//   - it is a versioned library (libpng16.so.16) in a folder of the system.
// Copied wherever they are, also beside one that the node process has loaded: runtimes of languages
// (libstdc++, libgfortran), libraries that keep what their users tell them (libpython, libhdf5), and those
// that the user names. A name alone never makes a library shared: what a user calls libutil.so or
// libmpiwrap.so is private. Four rules need more than a name and are ImageTemplate's: a library that needs
// one with a rank's state or calls MPI, one in Fortran, one whose variables a rank uses, and one that cannot
// be loaded without its user, are copied too.
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

  /// Whether a library that needs one with the state of a rank is copied for that reason: not the C library,
  /// the runtimes that exist once, and what the process has loaded.
  bool may_be_copied(const std::string& name, const std::string& path) const;

  /// Whether the library keeps what the program has told it, or the user says so. One that needs it, for
  /// itself or for the program, needs the rank's own. Never the C library and Taihu's own.
  bool has_state_of_rank(const std::string& name, const std::string& path) const;

  /// Whether the library at `user` has a rank's state because it needs `needed`: code in Fortran has
  /// variables that keep their values (SAVE, COMMON), and files of the runtime library, which each rank has
  /// for itself.
  bool makes_private(const std::string& needed, const std::string& user) const;

 private:
  /// Whether it is never copied, even when asked for; `file` is its name and `real` its path.
  bool is_never_copied(const std::string& file, const std::string& real) const;

  std::vector<std::string> private_libraries_;
  std::set<std::string> loaded_by_process_;
};

}  // namespace taihu::memory
