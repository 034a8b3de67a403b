// SPDX-License-Identifier: Apache-2.0
// Python programs as a user starts them: a script that names its interpreter in its first line, and an
// interpreter of which there can be no copies, because it is linked to a fixed address (Debian's python3) or
// has thread_local variables (since CPython 3.12). All of such an interpreter is in a library, too
// (libpython3.11.so.1.0), which Taihu's own python-start runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace taihu::launch {

/// The first line of a script of Python: "#!/usr/bin/env python3".
struct PythonScript {
  std::string interpreter;             ///< full path
  std::vector<std::string> arguments;  ///< of the interpreter, before the script
};

/// Nothing when the file is not a script, or one of another language. As the system does it, but for env(1),
/// whose program is looked for in PATH here. Throws Error when that is not there.
std::optional<PythonScript> python_script(const std::string& path);

/// What a rank runs for a program.
struct ProgramStart {
  std::string program;                 ///< of which the rank gets a copy
  std::string name;                    ///< its argv[0]; empty: the one that was given
  std::vector<std::string> arguments;  ///< to put before the others
};

/// `program`: path of the program or script that was asked for. `start_folder`: where python-start is.
/// Throws Error as python_script does, and when the interpreter's library is missing.
ProgramStart program_start(const std::string& program, const std::string& start_folder);

}  // namespace taihu::launch
