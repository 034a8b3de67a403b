// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/operations/operation_kernels.h"

#include <array>
#include <cstdint>
#include <type_traits>

#include "taihu/collective/element_operations.h"

namespace taihu::mpi {
namespace {

using namespace collective::element;

// An extension of the compilers, too.
__extension__ using Real16 = __float128;
using Real2 = _Float16;

/// Binary layout of complex numbers in C, C++ and Fortran.
template <class T>
struct Complex {
  T real, imaginary;

  friend Complex operator+(const Complex& left, const Complex& right) noexcept {
    return {static_cast<T>(left.real + right.real), static_cast<T>(left.imaginary + right.imaginary)};
  }
  friend Complex operator*(const Complex& left, const Complex& right) noexcept {
    return {static_cast<T>(left.real * right.real - left.imaginary * right.imaginary),
            static_cast<T>(left.real * right.imaginary + left.imaginary * right.real)};
  }
};

/// Layout of the pair types, as the standard gives it.
template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

struct LogicalAnd {
  template <class T>
  static T apply(T left, T right) noexcept {
    return static_cast<T>((left != 0) & (right != 0));
  }
};
struct LogicalOr {
  template <class T>
  static T apply(T left, T right) noexcept {
    return static_cast<T>((left != 0) | (right != 0));
  }
};
struct LogicalXor {
  template <class T>
  static T apply(T left, T right) noexcept {
    return static_cast<T>((left != 0) != (right != 0));
  }
};

constexpr std::uintptr_t first_operation = 0x20, operations = 0x20;
constexpr std::uintptr_t first_type = 0x200, types = 0x100;

class Table {
 public:
  Table();
  collective::Combine at(std::uintptr_t operation, std::uintptr_t type) const noexcept {
    if (operation - first_operation >= operations || type - first_type >= types) return nullptr;
    return rows_[type - first_type][operation - first_operation];
  }

 private:
  using Row = std::array<collective::Combine, operations>;

  static void set(Row& row, MPI_Op operation, collective::Combine kernel) {
    row[reinterpret_cast<std::uintptr_t>(operation) - first_operation] = kernel;
  }
  Row& row(MPI_Datatype type) { return rows_[reinterpret_cast<std::uintptr_t>(type) - first_type]; }

  template <class T>
  void add_order(MPI_Datatype type) {
    set(row(type), MPI_MIN, combine<T, Minimum>);
    set(row(type), MPI_MAX, combine<T, Maximum>);
  }
  template <class T>
  void add_arithmetic(MPI_Datatype type) {
    set(row(type), MPI_SUM, combine<T, Sum>);
    set(row(type), MPI_PROD, combine<T, Product>);
  }
  template <class T>
  void add_bits(MPI_Datatype type) {
    set(row(type), MPI_BAND, combine<T, BitAnd>);
    set(row(type), MPI_BOR, combine<T, BitOr>);
    set(row(type), MPI_BXOR, combine<T, BitXor>);
  }
  template <class T>
  void add_logical(MPI_Datatype type) {
    set(row(type), MPI_LAND, combine<T, LogicalAnd>);
    set(row(type), MPI_LOR, combine<T, LogicalOr>);
    set(row(type), MPI_LXOR, combine<T, LogicalXor>);
  }
  template <class T>
  void add_integer(MPI_Datatype type) {
    add_order<T>(type);
    add_arithmetic<T>(type);
    add_bits<T>(type);
    add_logical<T>(type);
  }
  template <class T>
  void add_floating(MPI_Datatype type) {
    add_order<T>(type);
    add_arithmetic<T>(type);
  }
  template <class Value, class Index>
  void add_pair(MPI_Datatype type) {
    set(row(type), MPI_MINLOC, combine_pairs<Pair<Value, Index>, MinimumLocation>);
    set(row(type), MPI_MAXLOC, combine_pairs<Pair<Value, Index>, MaximumLocation>);
  }

  void add_integers();
  void add_numbers();
  void add_others();

  std::array<Row, types> rows_{};
};

Table::Table() {
  add_integers();
  add_numbers();
  add_others();
}

void Table::add_integers() {
  add_integer<signed char>(MPI_CHAR);
  add_integer<signed char>(MPI_SIGNED_CHAR);
  add_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  add_integer<short>(MPI_SHORT);
  add_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  add_integer<int>(MPI_INT);
  add_integer<unsigned>(MPI_UNSIGNED);
  add_integer<long>(MPI_LONG);
  add_integer<unsigned long>(MPI_UNSIGNED_LONG);
  add_integer<long long>(MPI_LONG_LONG);
  add_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  add_integer<std::int8_t>(MPI_INT8_T);
  add_integer<std::uint8_t>(MPI_UINT8_T);
  add_integer<std::int16_t>(MPI_INT16_T);
  add_integer<std::uint16_t>(MPI_UINT16_T);
  add_integer<std::int32_t>(MPI_INT32_T);
  add_integer<std::uint32_t>(MPI_UINT32_T);
  add_integer<std::int64_t>(MPI_INT64_T);
  add_integer<std::uint64_t>(MPI_UINT64_T);
  add_integer<MPI_Aint>(MPI_AINT);
  add_integer<MPI_Count>(MPI_COUNT);
  add_integer<MPI_Offset>(MPI_OFFSET);
  add_integer<MPI_Fint>(MPI_INTEGER);
  add_integer<std::int8_t>(MPI_INTEGER1);
  add_integer<std::int16_t>(MPI_INTEGER2);
  add_integer<std::int32_t>(MPI_INTEGER4);
  add_integer<std::int64_t>(MPI_INTEGER8);
  add_integer<Integer16>(MPI_INTEGER16);
}

void Table::add_numbers() {
  add_floating<float>(MPI_FLOAT);
  add_floating<double>(MPI_DOUBLE);
  add_floating<long double>(MPI_LONG_DOUBLE);
  add_floating<float>(MPI_REAL);
  add_floating<double>(MPI_DOUBLE_PRECISION);
  add_floating<Real2>(MPI_REAL2);
  add_floating<Real2>(MPIX_C_FLOAT16);
  add_floating<float>(MPI_REAL4);
  add_floating<double>(MPI_REAL8);
  add_floating<Real16>(MPI_REAL16);
  add_arithmetic<Complex<float>>(MPI_C_FLOAT_COMPLEX);
  add_arithmetic<Complex<double>>(MPI_C_DOUBLE_COMPLEX);
  add_arithmetic<Complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX);
  add_arithmetic<Complex<float>>(MPI_CXX_FLOAT_COMPLEX);
  add_arithmetic<Complex<double>>(MPI_CXX_DOUBLE_COMPLEX);
  add_arithmetic<Complex<long double>>(MPI_CXX_LONG_DOUBLE_COMPLEX);
  add_arithmetic<Complex<float>>(MPI_COMPLEX);
  add_arithmetic<Complex<double>>(MPI_DOUBLE_COMPLEX);
  add_arithmetic<Complex<Real2>>(MPI_COMPLEX4);
  add_arithmetic<Complex<float>>(MPI_COMPLEX8);
  add_arithmetic<Complex<double>>(MPI_COMPLEX16);
  add_arithmetic<Complex<Real16>>(MPI_COMPLEX32);
}

void Table::add_others() {
  // Read as numbers, because Fortran's .true. is any value but zero to this compiler's programs, and no bool
  // may ever hold anything but 0 and 1.
  add_logical<unsigned char>(MPI_C_BOOL);
  add_logical<unsigned char>(MPI_CXX_BOOL);
  add_logical<MPI_Fint>(MPI_LOGICAL);
  add_logical<std::int8_t>(MPI_LOGICAL1);
  add_logical<std::int16_t>(MPI_LOGICAL2);
  add_logical<std::int32_t>(MPI_LOGICAL4);
  add_logical<std::int64_t>(MPI_LOGICAL8);
  add_logical<Integer16>(MPI_LOGICAL16);
  add_bits<unsigned char>(MPI_BYTE);
  add_pair<float, int>(MPI_FLOAT_INT);
  add_pair<double, int>(MPI_DOUBLE_INT);
  add_pair<long, int>(MPI_LONG_INT);
  add_pair<int, int>(MPI_2INT);
  add_pair<short, int>(MPI_SHORT_INT);
  add_pair<long double, int>(MPI_LONG_DOUBLE_INT);
  add_pair<float, float>(MPI_2REAL);
  add_pair<double, double>(MPI_2DOUBLE_PRECISION);
  add_pair<MPI_Fint, MPI_Fint>(MPI_2INTEGER);
}

const Table table;

}  // namespace

collective::Combine find_kernel(MPI_Op operation, const Datatype& type) noexcept {
  return table.at(reinterpret_cast<std::uintptr_t>(operation), type.number);
}

}  // namespace taihu::mpi
