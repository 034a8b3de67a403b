// SPDX-License-Identifier: Apache-2.0
// How a kernel accesses its arrays (He et al., Journal of Software 28(4), 2017, section 5.2.2): single,
// contiguous, interval, discrete; read or write; by which loops. Found on simplified code, where induction
// variables are canonical.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace taihu::compiler {

enum class Pattern { single, contiguous, interval, discrete };

/// "contiguous" and so on.
const char* name_of(Pattern pattern);

/// A loop by which the address of an access moves.
struct FootprintTerm {
  unsigned line = 0;                        ///< of the loop; 0: unknown
  std::optional<long> step_bytes;           ///< none: known at run time only
  std::optional<unsigned long> iterations;  ///< none: known at run time only
};

/// An access in the source, relative to the innermost loop in which its address varies.
struct KernelAccess {
  const llvm::Value* object = nullptr;  ///< variable, parameter or loaded pointer
  Pattern pattern = Pattern::discrete;
  bool reads = false;
  bool writes = false;
  std::string shared;              ///< "atomic" or "volatile": others may use it at the same time; else empty
  unsigned bytes = 0;              ///< of one access
  std::optional<long> step_bytes;  ///< between two iterations; none: known at run time only
  unsigned loop_line = 0;          ///< 0: in no loop, or of unknown line
  std::string loop_file;
  unsigned long iterations = 1;   ///< of the loops around it together
  bool assumed = false;           ///< one of them has an unknown number: 1024
  bool is_for_each_call = false;  ///< of a function that the kernel calls
  /// Which bytes it touches as a function of the iterations: `first_byte` of the object, none: known at run
  /// time only, and steps for each iteration of the loops around it, outermost first. Empty when it is
  /// discrete or single.
  std::optional<long> first_byte;
  std::vector<FootprintTerm> footprint;
  std::string reason;  ///< why it is discrete
  std::string file;
  unsigned line = 0;         ///< 0: unknown
  std::string function;      ///< in which it stands in the source
  std::string reason_place;  ///< " at line 7" for reasons; of a header's code, where the file calls that
};

/// All accesses of `function` but those of its stack and of its scratchpad variables. Of a stencil each
/// neighbour is one.
std::vector<KernelAccess> accesses_of(llvm::Function& function, llvm::LoopInfo& loops,
                                      llvm::ScalarEvolution& evolution);

/// Functions that run as kernels: declared __kernel, or handed to m_run, m_spawn or the runtime's region.
std::vector<llvm::Function*> kernels_of(llvm::Module& module);

/// Functions that kernels of other files may call: those that other files see, or whose address they may have
/// got, but not what `known` has, nor those that are to be left as they are (optnone).
/// Where process code calls them, the runtime finds that no kernel runs.
std::vector<llvm::Function*> functions_for_other_files(llvm::Module& module,
                                                       const llvm::SetVector<llvm::Function*>& known);

}  // namespace taihu::compiler
