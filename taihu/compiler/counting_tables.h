// SPDX-License-Identifier: Apache-2.0
// What code that counts for the scratchpad model tells the runtime of its file (abi/scratchpad_record.h): its
// kernels, and its lines with their counters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

namespace taihu::compiler {

class CountingTables {
 public:
  CountingTables(llvm::Module& module, bool with_lines);

  bool has_lines() const { return lines_ != nullptr; }
  /// Bytes from the begin of the table of lines to that of `instruction`; of its function when it has none.
  std::uint64_t line_offset(const llvm::Instruction& instruction);
  /// The place with this offset in the table.
  llvm::Constant* in_lines(std::uint64_t offset);

  void add_kernel(llvm::Function& function);

  /// The constructor that hands them to the runtime. `machine`: the text of its file, empty for the default.
  void finish(llvm::StringRef machine, llvm::StringRef picture_folder);

 private:
  using Key = std::tuple<llvm::StringRef, llvm::StringRef, unsigned>;  ///< file, function, line

  llvm::Constant* number(std::uint64_t value) { return llvm::ConstantInt::get(i64_, value); }
  llvm::Constant* text(llvm::StringRef text);
  llvm::Constant* array(llvm::StringRef name, llvm::Type* element, llvm::ArrayRef<llvm::Constant*> values,
                        bool is_constant);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::Type* pointer_;
  llvm::Type* i32_;
  llvm::Type* i64_;
  llvm::StructType* line_;
  llvm::GlobalVariable* lines_ = nullptr;
  std::map<Key, std::size_t> numbers_;
  llvm::StringMap<llvm::Constant*> texts_;
  std::vector<llvm::Constant*> line_values_, kernels_;
};

}  // namespace taihu::compiler
