// SPDX-License-Identifier: Apache-2.0
// Text for the assembler in intermediate code. Nobody translates names in it, so what it says of names must
// also be true when the code stands beside that of other files.
#pragma once

#include <set>
#include <string>

#include "llvm/IR/Module.h"

namespace taihu::compiler {

/// Whatever looks like a name in text for the assembler or the linker.
void add_words(const std::string& text, std::set<std::string>& names);

/// Names in the module's text for the assembler, in functions and outside.
std::set<std::string> names_in_assembler(const llvm::Module& module);

/// Empty when the module's text for the assembler can stand beside other files' code; else why not, with its
/// place. It cannot where it names what is static (joined code may rename that), where it defines names or
/// macros (other files may define the same, and a function may be compiled several times) or may do so, where
/// it asks what is defined, where it adds to the lists of constructors, whose order is that of files, and
/// where it stands outside of functions and does more than to make names known (others' text may follow in
/// the section that it has chosen).
std::string why_not_of_assembler(const llvm::Module& module);

}  // namespace taihu::compiler
