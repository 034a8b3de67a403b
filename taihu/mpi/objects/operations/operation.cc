// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/operations/operation.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "taihu/mpi/objects/operations/operation_kernels.h"
#include "taihu/mpi/objects/operations/reduction_text.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi {
namespace {

[[noreturn]] void refuse() {
  throw CallError(
      MPI_ERR_OP,
      "the operation is not defined for the datatype (predefined operations take predefined types "
      "of their kind; make a function with MPI_Op_create for others)");
}

std::uint32_t code_of(const Operation& operation, const Datatype& element) noexcept {
  return static_cast<std::uint32_t>(operation.number << 16 | element.number);
}

}  // namespace

Reducer::Reducer(Operation& operation, Datatype& type)
    : operation_(Reference<Operation>::to(&operation)), type_(Reference<Datatype>::to(&type)) {
  if (operation.is_of_program()) return;
  const Datatype* const element = type.element;
  if (element == nullptr) refuse();
  kernel_ = find_kernel(operation.predefined_handle, *element);
  if (kernel_ == nullptr) refuse();
  if (&type == element) return;
  if (!type.contiguous || type.block_offset() != 0) refuse();
  per_element_ = static_cast<std::size_t>(type.size_bytes / element->size_bytes);
}

void Reducer::operator()(const void* in, void* inout, std::size_t count) const {
  if (count == 0) return;
  if (kernel_ != nullptr)
    kernel_(inout, in, inout, count * per_element_, nullptr);
  else
    call(in, inout, count);
}

void Reducer::call(const void* in, void* inout, std::size_t count) const {
  auto* left = static_cast<std::byte*>(const_cast<void*>(in));
  auto* right = static_cast<std::byte*>(inout);
  auto handle = handle_of<MPI_Datatype>(const_cast<Datatype*>(type_.get()));
  if (operation_->type_elsewhere != nullptr)
    handle = static_cast<MPI_Datatype>(operation_->type_elsewhere(handle));
  MPI_Fint fortran_handle = 0;
  if (operation_->type_for_fortran != nullptr) {
    fortran_handle = operation_->type_for_fortran(handle);
    handle = nullptr;
  }
  void* const name = operation_->type_for_fortran != nullptr ? static_cast<void*>(&fortran_handle)
                                                             : static_cast<void*>(&handle);
  if (operation_->large_function != nullptr) {
    auto length = static_cast<MPI_Count>(count);
    operation_->large_function(left, right, &length, static_cast<MPI_Datatype*>(name));
    return;
  }
  while (count != 0) {
    int length = static_cast<int>(std::min<std::size_t>(count, INT_MAX));
    const std::size_t done = static_cast<std::size_t>(length);
    operation_->function(left, right, &length, static_cast<MPI_Datatype*>(name));
    left += static_cast<std::ptrdiff_t>(done) * type_->extent;
    right += static_cast<std::ptrdiff_t>(done) * type_->extent;
    count -= done;
  }
}

void Reducer::call_function(void* target, const void* left, const void* right, std::size_t count,
                            const void* reducer) {
  if (count == 0) return;
  const Reducer& me = *static_cast<const Reducer*>(reducer);
  if (target != right) std::memcpy(target, right, count * me.stride());
  me.call(left, target, count);
}

void Reducer::call_kernel(void* target, const void* left, const void* right, std::size_t count,
                          const void* reducer) {
  const Reducer& me = *static_cast<const Reducer*>(reducer);
  me.kernel_(target, left, right, count * me.per_element_, nullptr);
}

collective::Reduction Reducer::reduction() const noexcept {
  collective::Reduction reduction;
  reduction.element_bytes = stride();
  reduction.commutative = operation_->commutative;
  if (kernel_ == nullptr) {
    reduction.combine = call_function;
    reduction.context = this;
  } else {
    reduction.combine = per_element_ == 1 ? kernel_ : call_kernel;
    reduction.context = this;
    reduction.code = code_of(*operation_, *type_->element);
  }
  return reduction;
}

std::optional<collective::Reduction> predefined_reduction(const Operation& operation,
                                                          const Datatype& type) noexcept {
  if (operation.is_of_program() || type.element != &type) return {};
  const collective::Combine kernel = find_kernel(operation.predefined_handle, type);
  if (kernel == nullptr) return {};
  return collective::Reduction{kernel, static_cast<std::size_t>(type.extent), code_of(operation, type),
                               operation.commutative};
}

std::string reduction_text(std::uint32_t code) {
  struct Name {
    MPI_Op operation;
    const char* name;
  };
  static const Name names[] = {
      {MPI_SUM, "MPI_SUM"},   {MPI_MIN, "MPI_MIN"},   {MPI_MAX, "MPI_MAX"},       {MPI_PROD, "MPI_PROD"},
      {MPI_BAND, "MPI_BAND"}, {MPI_BOR, "MPI_BOR"},   {MPI_BXOR, "MPI_BXOR"},     {MPI_LAND, "MPI_LAND"},
      {MPI_LOR, "MPI_LOR"},   {MPI_LXOR, "MPI_LXOR"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"}};
  const auto number = [](auto handle) { return reinterpret_cast<std::uintptr_t>(handle); };
  std::string text = "an operation";
  for (const Name& each : names)
    if (number(each.operation) == code >> 16) text = each.name;
  const Datatype* const type =
      types::predefined_datatype(reinterpret_cast<MPI_Datatype>(std::uintptr_t{code & 0xffff}));
  return type == nullptr ? text : text + " of " + type->name.get();
}

void add_predefined_operations(PredefinedObjects& objects) {
  static Operation operations[] = {Operation(MPI_SUM),     Operation(MPI_MIN),    Operation(MPI_MAX),
                                   Operation(MPI_PROD),    Operation(MPI_BAND),   Operation(MPI_BOR),
                                   Operation(MPI_BXOR),    Operation(MPI_LAND),   Operation(MPI_LOR),
                                   Operation(MPI_LXOR),    Operation(MPI_MINLOC), Operation(MPI_MAXLOC),
                                   Operation(MPI_REPLACE), Operation(MPI_NO_OP)};
  for (Operation& operation : operations) objects[operation.number] = &operation;
}

bool can_combine(const Operation& operation, const Datatype& element) noexcept {
  if (operation.is_of_program()) return false;
  if (operation.predefined_handle == MPI_NO_OP || operation.predefined_handle == MPI_REPLACE) return true;
  return find_kernel(operation.predefined_handle, element) != nullptr;
}

void combine(const Operation& operation, const Datatype& element, void* target, const void* source,
             std::size_t count) {
  if (!can_combine(operation, element)) refuse();
  if (operation.predefined_handle == MPI_NO_OP) return;
  if (operation.predefined_handle == MPI_REPLACE) {
    if (count != 0) std::memcpy(target, source, count * static_cast<std::size_t>(element.extent));
    return;
  }
  find_kernel(operation.predefined_handle, element)(target, source, target, count, nullptr);
}

}  // namespace taihu::mpi
