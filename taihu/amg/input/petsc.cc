// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/petsc.h"

#include "taihu/amg/input/bytes_of_file.h"
#include "taihu/amg/input/text.h"
#include "taihu/amg/input/triplets.h"

namespace taihu::amg {
namespace {

constexpr std::int64_t matrix_mark = 1211216, vector_mark = 1211214;

class PetscFile {
 public:
  explicit PetscFile(const BytesOfFile& bytes) : bytes_(bytes) {
    // With integers of 8 bytes the mark is in the second four.
    integer_bytes_ = bytes.big<std::int32_t>(0, "the mark of PETSc") == 0 ? 8 : 4;
  }

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }

  std::int64_t integer(std::size_t at, const char* what) const {
    return integer_bytes_ == 8 ? bytes_.big<std::int64_t>(at, what) : bytes_.big<std::int32_t>(at, what);
  }
  std::int64_t next(const char* what, std::int64_t least) {
    const std::int64_t value = integer(at_, what);
    if (value < least) bytes_.fail(at_, std::string(what) + " is " + std::to_string(value));
    at_ += integer_bytes_;
    return value;
  }

  struct Matrix {
    MatrixSize size;
    std::size_t lengths, columns, values;  // where they begin
  };

  // The matrix here; goes behind it.
  Matrix matrix() {
    Matrix matrix{};
    if (next("the mark of PETSc", 0) != matrix_mark)
      bytes_.fail(at_ - integer_bytes_, "this is not a matrix of PETSc (1211216)");
    matrix.size.rows = next("the number of rows", 0);
    matrix.size.columns = next("the number of columns", 0);
    if (integer(at_, "the number of entries") == -1)
      bytes_.fail(at_, "the matrix is dense; multigrid needs a sparse one");
    matrix.size.entries = next("the number of entries", 0);
    matrix.lengths = skip(matrix.size.rows, integer_bytes_, "the lengths of the rows");
    matrix.columns = skip(matrix.size.entries, integer_bytes_, "the columns");
    matrix.values = skip(matrix.size.entries, sizeof(double), "the values");
    return matrix;
  }

  // Complex values take twice the room, so that no mark follows them.
  void check_end(const char* what) const {
    if (at_end()) return;
    const std::int64_t mark = integer(at_, "the mark of PETSc");
    if (mark != vector_mark && mark != matrix_mark)
      bytes_.fail(at_,
                  std::string("behind the ") + what + " is neither the end nor a vector (complex values?)");
  }

  // Goes over `count` numbers; returns where they begin.
  std::size_t skip(std::int64_t count, std::size_t bytes_each, const char* what) {
    const std::size_t begin = at_;
    if (static_cast<std::uint64_t>(count) > bytes_.size() / bytes_each)
      bytes_.fail(bytes_.size(), std::string("the file ends before the end of ") + what);
    bytes_.part(begin, count * bytes_each, what);
    at_ += count * bytes_each;
    return begin;
  }

  double value(std::size_t at) const {
    const auto value = bytes_.big<double>(at, "the values");
    if (!std::isfinite(value)) bytes_.fail(at, "the value is not a finite number");
    return value;
  }

  std::size_t integer_bytes() const { return integer_bytes_; }

 private:
  const BytesOfFile& bytes_;
  std::size_t integer_bytes_;
  std::size_t at_ = 0;
};

}  // namespace

bool looks_like_petsc(std::string_view bytes) {
  if (bytes.size() < 8) return false;
  const auto first = BytesOfFile::number<std::int32_t>(bytes.data(), std::endian::native != std::endian::big);
  const auto second =
      BytesOfFile::number<std::int32_t>(bytes.data() + 4, std::endian::native != std::endian::big);
  const std::int32_t mark = first == 0 ? second : first;
  return mark == matrix_mark || mark == vector_mark;
}

DistributedMatrix read_petsc_matrix(const Context& context, const std::string& path) {
  const MappedFile mapped(path);
  const BytesOfFile bytes(path, mapped.text());
  PetscFile file(bytes);
  const PetscFile::Matrix matrix = file.matrix();
  file.check_end("matrix");
  if (const std::string fault = size_fault(matrix.size, context.communicator.size()); !fault.empty())
    bytes.fail(0, fault);
  const OwnRows own = own_rows(context, matrix.size.rows);
  std::vector<Entry> entries;
  std::int64_t k = 0;
  for (GlobalIndex row = 0; row < matrix.size.rows; ++row) {
    const std::size_t at = matrix.lengths + row * file.integer_bytes();
    const std::int64_t length = file.integer(at, "the lengths of the rows");
    if (length < 0 || length > matrix.size.entries - k)
      bytes.fail(at, "row " + std::to_string(row) + " (from 0) has the length " + std::to_string(length) +
                         ", but " + std::to_string(matrix.size.entries - k) + " entries are left");
    for (const std::int64_t end = k + length; k < end; ++k) {
      const std::size_t place = matrix.columns + k * file.integer_bytes();
      const std::int64_t column = file.integer(place, "the columns");
      if (column < 0 || column >= matrix.size.columns)
        bytes.fail(place, "column " + std::to_string(column) + " is not between 0 and " +
                              std::to_string(matrix.size.columns - 1));
      const double value = file.value(matrix.values + k * sizeof(double));
      if (own.has(row)) entries.push_back({row, column, value});
    }
  }
  if (k != matrix.size.entries)
    bytes.fail(matrix.lengths, "the rows have " + std::to_string(k) + " entries, the header says " +
                                   std::to_string(matrix.size.entries));
  return matrix_of_entries(context, matrix.size, entries);
}

std::vector<double> read_petsc_vector(const std::string& path, const Distribution& rows, int rank) {
  const MappedFile mapped(path);
  const BytesOfFile bytes(path, mapped.text());
  PetscFile file(bytes);
  if (file.integer(0, "the mark of PETSc") == matrix_mark) {
    file.matrix();
    if (file.at_end()) bytes.fail(file.at(), "the file has a matrix and no vector behind it");
  }
  if (file.next("the mark of PETSc", 0) != vector_mark)
    bytes.fail(file.at() - file.integer_bytes(), "this is not a vector of PETSc (1211214)");
  const std::int64_t count = file.next("the number of elements", 0);
  if (count != rows.rows())
    throw Error(path + ": the right-hand side has " + std::to_string(count) + " rows, the matrix " +
                std::to_string(rows.rows()));
  const std::size_t values = file.skip(count, sizeof(double), "the values");
  file.check_end("vector");
  std::vector<double> vector(rows.end(rank) - rows.begin(rank));
  for (std::size_t i = 0; i < vector.size(); ++i)
    vector[i] = file.value(values + (rows.begin(rank) + i) * sizeof(double));
  return vector;
}

}  // namespace taihu::amg
