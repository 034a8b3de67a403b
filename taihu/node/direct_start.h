// SPDX-License-Identifier: Apache-2.0
// A program that is started without its launcher command (./prog, a configure check, a debugger) runs as a
// job of one rank: the library that it is linked to finds itself in such a program and executes
// `launcher -n 1 prog arguments` in its place, in a constructor, before any code of the program.
#pragma once

namespace taihu::node {

/// Whether this process is a node process (its executable exports the name taihu_node_process).
bool is_node_process() noexcept;

/// Becomes `launcher -n 1` with the program of this process, under the name by which it was called. The
/// launcher stands in bin/ next to the folder of the library that holds this code, in the build tree as in an
/// installation (lib/ may have sub-folders). When that cannot be done, the process has more rights than its
/// user, or mpirun has started several copies of the program, prints one line and ends the process with 1.
[[noreturn]] void start_through(const char* launcher, int argc, char** argv);

}  // namespace taihu::node
