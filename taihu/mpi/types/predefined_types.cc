// SPDX-License-Identifier: Apache-2.0
// The table of predefined types. Fortran types are those of gfortran: INTEGER, REAL and LOGICAL have four
// bytes, REAL*16 is IEEE binary128.
#include "taihu/mpi/types/predefined_types.h"

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <new>

#include "taihu/mpi/types/form.h"
#include "taihu/mpi/types/program.h"

namespace taihu::mpi::types {
namespace {

constexpr std::uintptr_t first_handle = 0x200;
constexpr std::size_t table_size = predefined_handles - first_handle;

template <class First, class Second>
struct Pair {
  First first;
  Second second;
};

std::uintptr_t number_of(MPI_Datatype handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

class Table {
 public:
  Table() {
    add_c_types();
    add_fixed_types();
    add_cxx_types();
    add_fortran_types();
    add_pairs();
  }

  Datatype* find(std::uintptr_t number) const {
    return number >= first_handle && number < predefined_handles ? types_[number - first_handle] : nullptr;
  }
  const PairParts* parts(std::uintptr_t number) const {
    if (find(number) == nullptr) return nullptr;
    const PairParts& found = parts_[number - first_handle];
    return found.first != nullptr ? &found : nullptr;
  }

 private:
  /// A form that names its own type needs the address of the type first.
  void construct(Datatype* type, MPI_Datatype handle, const char* name, Form form) {
    new (type) Datatype(std::move(form), Recipe{});
    type->number = number_of(handle);
    type->predefined = true;
    type->committed = true;
    type->name.set(name);
    types_[type->number - first_handle] = type;
  }

  template <class T>
  void add(MPI_Datatype handle, const char* name) {
    auto* const type = static_cast<Datatype*>(::operator new(sizeof(Datatype)));
    Form form;
    form.size_bytes = form.upper_bound = form.true_upper_bound = sizeof(T);
    form.alignment = alignof(T);
    form.element = type;
    form.elements = 1;
    form.program = form.typed = block_program(0, sizeof(T), type);
    construct(type, handle, name, std::move(form));
  }

  template <class First, class Second>
  void add_pair(MPI_Datatype handle, const char* name, MPI_Datatype first, MPI_Datatype second) {
    auto* const type = static_cast<Datatype*>(::operator new(sizeof(Datatype)));
    using Both = Pair<First, Second>;
    const Datatype* const one = find(number_of(first));
    const Datatype* const two = find(number_of(second));
    constexpr MPI_Aint second_offset = offsetof(Both, second);
    const FormPart parts[] = {{&one->form, 0, 1, 0}, {&two->form, second_offset, 1, 0}};
    Form form = joined(parts);
    form.element = type;
    // In typed form a pair is one element; its holes show in the extent.
    form.typed = block_program(0, form.size_bytes, type);
    if (form.size_bytes == form.extent()) form.program = form.typed;
    construct(type, handle, name, std::move(form));
    parts_[type->number - first_handle] = {one, two, static_cast<std::size_t>(second_offset)};
  }

  void add_c_types();
  void add_fixed_types();
  void add_cxx_types();
  void add_fortran_types();
  void add_pairs();

  Datatype* types_[table_size]{};
  PairParts parts_[table_size]{};
};

void Table::add_c_types() {
  add<char>(MPI_CHAR, "MPI_CHAR");
  add<signed char>(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR");
  add<unsigned char>(MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR");
  add<unsigned char>(MPI_BYTE, "MPI_BYTE");
  add<unsigned char>(MPI_PACKED, "MPI_PACKED");
  add<wchar_t>(MPI_WCHAR, "MPI_WCHAR");
  add<short>(MPI_SHORT, "MPI_SHORT");
  add<unsigned short>(MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT");
  add<int>(MPI_INT, "MPI_INT");
  add<unsigned>(MPI_UNSIGNED, "MPI_UNSIGNED");
  add<long>(MPI_LONG, "MPI_LONG");
  add<unsigned long>(MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG");
  add<long long>(MPI_LONG_LONG, "MPI_LONG_LONG_INT");
  add<unsigned long long>(MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG");
  add<float>(MPI_FLOAT, "MPI_FLOAT");
  add<double>(MPI_DOUBLE, "MPI_DOUBLE");
  add<long double>(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE");
  add<_Complex float>(MPI_C_COMPLEX, "MPI_C_COMPLEX");
  add<_Complex double>(MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX");
  add<_Complex long double>(MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX");
  add<bool>(MPI_C_BOOL, "MPI_C_BOOL");
  add<MPI_Aint>(MPI_AINT, "MPI_AINT");
  add<MPI_Count>(MPI_COUNT, "MPI_COUNT");
  add<MPI_Offset>(MPI_OFFSET, "MPI_OFFSET");
}

void Table::add_fixed_types() {
  add<std::int8_t>(MPI_INT8_T, "MPI_INT8_T");
  add<std::int16_t>(MPI_INT16_T, "MPI_INT16_T");
  add<std::int32_t>(MPI_INT32_T, "MPI_INT32_T");
  add<std::int64_t>(MPI_INT64_T, "MPI_INT64_T");
  add<std::uint8_t>(MPI_UINT8_T, "MPI_UINT8_T");
  add<std::uint16_t>(MPI_UINT16_T, "MPI_UINT16_T");
  add<std::uint32_t>(MPI_UINT32_T, "MPI_UINT32_T");
  add<std::uint64_t>(MPI_UINT64_T, "MPI_UINT64_T");
  add<_Float16>(MPIX_C_FLOAT16, "MPIX_C_FLOAT16");
}

void Table::add_cxx_types() {
  add<bool>(MPI_CXX_BOOL, "MPI_CXX_BOOL");
  add<std::complex<float>>(MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX");
  add<std::complex<double>>(MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX");
  add<std::complex<long double>>(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX");
}

void Table::add_fortran_types() {
  add<char>(MPI_CHARACTER, "MPI_CHARACTER");
  add<std::int32_t>(MPI_LOGICAL, "MPI_LOGICAL");
  add<std::int32_t>(MPI_INTEGER, "MPI_INTEGER");
  add<float>(MPI_REAL, "MPI_REAL");
  add<double>(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION");
  add<_Complex float>(MPI_COMPLEX, "MPI_COMPLEX");
  add<_Complex double>(MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX");
  add<std::int8_t>(MPI_LOGICAL1, "MPI_LOGICAL1");
  add<std::int16_t>(MPI_LOGICAL2, "MPI_LOGICAL2");
  add<std::int32_t>(MPI_LOGICAL4, "MPI_LOGICAL4");
  add<std::int64_t>(MPI_LOGICAL8, "MPI_LOGICAL8");
  add<std::int8_t>(MPI_INTEGER1, "MPI_INTEGER1");
  add<std::int16_t>(MPI_INTEGER2, "MPI_INTEGER2");
  add<std::int32_t>(MPI_INTEGER4, "MPI_INTEGER4");
  add<std::int64_t>(MPI_INTEGER8, "MPI_INTEGER8");
  add<float>(MPI_REAL4, "MPI_REAL4");
  add<double>(MPI_REAL8, "MPI_REAL8");
  add<_Complex float>(MPI_COMPLEX8, "MPI_COMPLEX8");
  add<_Complex double>(MPI_COMPLEX16, "MPI_COMPLEX16");
#if defined(__SIZEOF_INT128__)
  __extension__ using Integer16 = __int128;
  add<Integer16>(MPI_LOGICAL16, "MPI_LOGICAL16");
  add<Integer16>(MPI_INTEGER16, "MPI_INTEGER16");
#endif
#if defined(__SIZEOF_FLOAT128__)
  __extension__ using Real16 = __float128;
  struct Complex32 {
    Real16 parts[2];
  };
  add<Real16>(MPI_REAL16, "MPI_REAL16");
  add<Complex32>(MPI_COMPLEX32, "MPI_COMPLEX32");
#endif
}

void Table::add_pairs() {
  add_pair<float, int>(MPI_FLOAT_INT, "MPI_FLOAT_INT", MPI_FLOAT, MPI_INT);
  add_pair<double, int>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT", MPI_DOUBLE, MPI_INT);
  add_pair<long, int>(MPI_LONG_INT, "MPI_LONG_INT", MPI_LONG, MPI_INT);
  add_pair<short, int>(MPI_SHORT_INT, "MPI_SHORT_INT", MPI_SHORT, MPI_INT);
  add_pair<int, int>(MPI_2INT, "MPI_2INT", MPI_INT, MPI_INT);
  add_pair<long double, int>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE, MPI_INT);
  add_pair<float, float>(MPI_2REAL, "MPI_2REAL", MPI_REAL, MPI_REAL);
  add_pair<double, double>(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", MPI_DOUBLE_PRECISION,
                           MPI_DOUBLE_PRECISION);
  add_pair<std::int32_t, std::int32_t>(MPI_2INTEGER, "MPI_2INTEGER", MPI_INTEGER, MPI_INTEGER);
}

/// Never destroyed: ranks may use types until the process ends.
const Table& table() {
  static const Table* const made = new Table;
  return *made;
}

}  // namespace

void add_predefined_datatypes(PredefinedObjects& objects) {
  for (std::uintptr_t number = first_handle; number < predefined_handles; ++number)
    if (Datatype* const type = table().find(number)) objects[number] = type;
}

Datatype* predefined_datatype(MPI_Datatype handle) noexcept {
  return table().find(number_of(handle));
}

const PairParts* pair_parts(const Datatype& type) noexcept {
  return table().parts(type.number);
}

}  // namespace taihu::mpi::types
