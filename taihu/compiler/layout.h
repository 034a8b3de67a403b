// SPDX-License-Identifier: Apache-2.0
// Where the objects of a kernel should lie on a machine with a scratchpad, and what that would gain: the
// model of He et al. (Journal of Software 28(4), 2017, section 5.2.1) for what kernel_accesses.h finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include "taihu/compiler/kernel_accesses.h"
#include "taihu/scratchpad_model/placement.h"

namespace taihu::compiler {

/// Above this distance most of what a transfer brings is not used.
inline constexpr long longest_step_bytes = 64;

/// Cycles on the machine for which the layout is.
struct LayoutCosts {
  double load = 0, store = 0;      ///< of main memory
  double near = 0;                 ///< an access of the scratchpad
  double start = 0, per_byte = 0;  ///< of a transfer
  double per_block = 0;            ///< of a strided one, for each piece of memory but the first
  double broadcast_per_byte = 0;   ///< of one for all threads
  double meeting = 0;              ///< of all threads, before it
};

/// I: fits the scratchpad, no locality; II: fits, with locality; III: does not fit or has unknown size, with
/// locality. None: neither fits nor has locality; stays in main memory.
enum class ObjectClass { one, two, three, none };
const char* name_of(ObjectClass object_class);

/// A way to place an object: as a whole, or through two buffers of `half_bytes` that take turns.
struct LayoutChoice {
  std::uint64_t half_bytes = 0;  ///< 0: as a whole
  bool is_broadcast = false;     ///< when the kernel begins: all threads get it from one transfer
};

/// Where a pointer is read: `base`, with the last of `offsets` added, is the address of a pointer, and so on
/// up to the first. Without offsets the pointer is `base`. Never followed later, when the base may be gone.
struct PointerPlace {
  const llvm::Value* base = nullptr;
  std::vector<std::int64_t> offsets;

  bool operator==(const PointerPlace&) const = default;
};

struct LayoutObject {
  const llvm::Value* value = nullptr;
  PointerPlace place;
  llvm::WeakVH live_value, live_base;  ///< null once staging has deleted it: another may have its address
  std::string name;
  std::optional<std::uint64_t> bytes;
  std::string size_unknown;  ///< why there are no `bytes`, and what to do
  std::string other_writer;  ///< a call in which it may be written, here or by others meanwhile
  std::vector<KernelAccess> accesses;
  bool may_overlap =
      false;  ///< with another object that is written, or is written itself: to be checked at run time
  bool may_be_broadcast = false;  ///< all threads read much of it, and it is as it was until the kernel ends
  // By weigh() and choose():
  ObjectClass object_class = ObjectClass::none;
  std::vector<LayoutChoice> choices;
  std::vector<scratchpad_model::Choice> benefits;  ///< of the choices, for one thread
  double memory_cycles = 0;                        ///< what its accesses cost in main memory
  std::string refused;                             ///< why there is no choice, or none was taken
  int chosen = -1;
  bool is_staged = false;  ///< by --auto-dma, in at least one loop
  bool is_table = false;   ///< as a whole, where the run finds what it is
  bool may_meet = false;   ///< itself, there: then it is left, as the run finds
  bool may_stay = false;   ///< its copies are left in the scratchpad for the next kernel
  std::string not_placed;  ///< why one that was to lie there as a whole does not for the kernel
  std::string not_kept;    ///< why not, of one that is only read
};

/// Sets class, choices and benefits, or why there are none.
void weigh(LayoutObject& object, const LayoutCosts& costs, std::uint64_t capacity_bytes);

/// What --auto-dma made of a loop, or why it left it.
struct LoopDecision {
  std::string file;
  unsigned line = 0;  ///< 0: unknown
  std::string text;

  bool operator==(const LoopDecision& other) const {
    return file == other.file && line == other.line && text == other.text;
  }
};

struct KernelLayout {
  std::string name;
  bool is_for_others = false;  ///< a function that kernels of other files may call
  std::vector<LayoutObject> objects;
  std::vector<llvm::Function*> functions;  ///< the kernel and what it calls in this file
  std::vector<LoopDecision> loops;
  std::vector<std::string> unseen;  ///< functions that it calls and whose accesses are unknown
  std::string method;
  double memory_cycles = 0;
  double benefit = 0;
  std::uint64_t used_bytes = 0;
};

/// The objects of a kernel and of the functions that it calls, not weighed. `is_for_others`: of a function
/// that kernels of other files may call.
KernelLayout layout_of(llvm::Function& kernel, bool is_for_others, llvm::FunctionAnalysisManager& analyses);

/// Where a pointer comes from, through the arguments of functions that only this file calls.
const llvm::Value* origin_of(const llvm::Value* object);

/// Says which volatile or atomic access shows that others may use the object meanwhile, so that it has no
/// copy; or empty.
std::string why_shared(const LayoutObject& object);

/// Whether each thread reads at least half of an object of known size, as far as the accesses tell.
bool is_read_by_all(const LayoutObject& object);

/// For people.
std::string name_of_object(const llvm::Value* value, const llvm::DataLayout& layout, unsigned depth = 0);

/// The object that `value`, the begin of an access in one of the kernel's functions, belongs to; or null.
LayoutObject* find_object(KernelLayout& layout, const llvm::Value* value, const llvm::DataLayout& data);
const LayoutObject* find_object(const KernelLayout& layout, const llvm::Value* value,
                                const llvm::DataLayout& data);

/// why_shared in one of the kernels that run `function`.
std::string why_shared(const llvm::Value* value, const std::vector<KernelLayout>& layouts,
                       const llvm::Function& function);

/// Weighs all objects and chooses.
void choose(KernelLayout& layout, const LayoutCosts& costs, std::uint64_t capacity_bytes);

}  // namespace taihu::compiler
