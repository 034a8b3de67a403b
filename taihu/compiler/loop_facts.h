// SPDX-License-Identifier: Apache-2.0
// What plans for loops ask about single instructions and objects.
#pragma once

#include <string>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

namespace taihu::compiler {

/// Of instructions that give addresses in the scratchpad.
inline constexpr char near_metadata[] = "taihu.near";

/// An address that --auto-dma has got from the runtime.
bool is_near(const llvm::Value* object);

/// Memory of the thread's stack, which lies in the scratchpad in any case.
bool is_on_stack(const llvm::Value* object);

/// What is known of a function as it is now.
struct FunctionFacts {
  llvm::LoopInfo& loops;
  llvm::ScalarEvolution& evolution;
  llvm::DominatorTree& dominators;
  llvm::AAResults& aliases;
};

/// Of code from a header that was inlined, where its file calls that; may be null.
const llvm::DILocation* place_in_file(const llvm::DILocation* place, const llvm::Function& function);

/// Of modules that hold the code of a whole program, of several files.
inline constexpr char program_metadata[] = "taihu.program";

/// Of what is static in such a module: its name in its own file, which is another one where files have the
/// same.
inline constexpr char name_metadata[] = "taihu.name";

/// Of functions in such a module to which only a list of constructors in another object refers.
inline constexpr char constructor_attribute[] = "taihu-constructor";

/// The name in the source, as far as it is known.
std::string name_in_source(const llvm::GlobalValue& value);

/// " at line 7" of the function's file, in a whole program " at smooth.c:7"; nothing where that is unknown.
std::string line_of(const llvm::DebugLoc& place, const llvm::Function& function);
std::string line_of(const llvm::Instruction& instruction);

/// For people; memcpy and memset for what the compiler makes of them.
std::string name_of_callee(const llvm::CallBase& call);

/// Of an access, whatever its address is in other iterations. Scopes of noalias hold within one of them only.
llvm::MemoryLocation anywhere_from(const llvm::Instruction& instruction);

/// Empty when the instruction does nothing that a copy of the data in another place would change.
std::string why_not_copied(const llvm::Instruction& instruction);

/// Says that the number of iterations is not known, and why where that can be seen.
std::string why_not_counted(const llvm::Loop& loop);

/// Empty when the instructions of a loop may be copied to work on other places.
std::string why_loop_not_copied(const llvm::Loop& loop);

/// One instruction in place of variables that get the same value on all ways: earlier passes move the step of
/// a loop before the test of a loop in it, and its number of iterations is unknown then. True when there were
/// any.
bool join_equal_values(llvm::Function& function, const llvm::DominatorTree& dominators);

/// Whether the memory of an object may be written, of which a loop would put back what it has not changed.
enum class Writable { yes, no, unknown };
Writable is_writable(const llvm::Value* object);

/// Of a variable whose bytes are all there; else 0.
unsigned long known_bytes(const llvm::Value* object, const llvm::DataLayout& layout);

/// Only constant arrays of indices lie between `pointer` and `object`.
bool is_reached(const llvm::Value* pointer, const llvm::Value* object);

}  // namespace taihu::compiler
