// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/numpy.h"

#include <charconv>
#include <limits>
#include <numeric>

#include "taihu/amg/input/bytes_of_file.h"
#include "taihu/amg/input/text.h"
#include "taihu/amg/input/triplets.h"
#include "taihu/amg/input/zip.h"

namespace taihu::amg {
namespace {

constexpr std::string_view npy_mark = "\x93NUMPY";

// One array: "\x93NUMPY", two bytes of version, length of the header, the header as Python's text of a
// dictionary with 'descr', 'fortran_order' and 'shape', then the elements.
class NpyArray {
 public:
  // `offset`: where the content lies in the file, for messages; 0 for what was inflated.
  explicit NpyArray(const BytesOfFile& bytes) : bytes_(bytes) {
    if (bytes.part(0, 8, "the header").substr(0, 6) != npy_mark)
      bytes.fail(0, "this is not an array of NumPy");
    const bool wide = bytes.part(6, 1, "the header")[0] >= 2;
    const std::size_t begin = wide ? 12 : 10;
    const std::size_t length =
        wide ? bytes.little<std::uint32_t>(8, "the header") : bytes.little<std::uint16_t>(8, "the header");
    header_ = bytes.part(begin, length, "the header");
    data_ = begin + length;
    read_type();
    read_shape();
    const std::size_t room = (bytes.size() - data_) / element_bytes_;
    if (count_ > room) bytes.fail(bytes.size(), "the file ends before the end of the array");
    if (place(count_) < bytes.size())
      bytes.fail(place(count_), "there is more than the elements of the array's shape");
  }

  std::size_t count() const { return count_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  bool text() const { return kind_ == 'S' || kind_ == 'U'; }
  void need(const char* kinds, const char* what) const {
    if (std::string_view(kinds).find(kind_) == std::string_view::npos)
      bytes_.fail(0, std::string("the array has elements of type '") + std::string(type_) + "', not " + what);
  }

  // Unsigned ones from 2^63 on are negative here, which no index may be.
  std::int64_t integer(std::size_t i) const {
    switch (element_bytes_) {
      case 1:
        return kind_ == 'i' ? number<std::int8_t>(i) : number<std::uint8_t>(i);
      case 2:
        return kind_ == 'i' ? number<std::int16_t>(i) : number<std::uint16_t>(i);
      case 4:
        return kind_ == 'i' ? number<std::int32_t>(i) : number<std::uint32_t>(i);
      default:
        return number<std::int64_t>(i);
    }
  }
  double real(std::size_t i) const {
    const bool wide = element_bytes_ == 8;
    const double value = kind_ == 'f'           ? (wide ? number<double>(i) : number<float>(i))
                         : kind_ == 'u' && wide ? static_cast<double>(number<std::uint64_t>(i))
                                                : static_cast<double>(integer(i));
    if (!std::isfinite(value)) bytes_.fail(place(i), "the value is not a finite number");
    return value;
  }
  // Element 0 as text; letters of four bytes are taken to one.
  std::string word() const {
    std::string word;
    const std::size_t step = kind_ == 'U' ? 4 : 1;
    for (std::size_t at = 0; at < element_bytes_; at += step) {
      const char letter = bytes_.part(data_ + at, 1, "the array")[0];
      if (letter != 0) word += letter;
    }
    return word;
  }

  std::size_t place(std::size_t i) const { return data_ + i * element_bytes_; }
  [[noreturn]] void fail(std::size_t i, const std::string& text) const { bytes_.fail(place(i), text); }

 private:
  template <class T>
  T number(std::size_t i) const {
    return BytesOfFile::number<T>(bytes_.part(place(i), sizeof(T), "the array").data(), swapped_);
  }

  // What follows the key in the header.
  std::string_view after(std::string_view key) const {
    const std::size_t at = header_.find(key);
    const std::size_t colon = at == std::string_view::npos ? at : header_.find(':', at);
    if (colon == std::string_view::npos) bytes_.fail(10, "the header has no " + std::string(key));
    std::string_view rest = header_.substr(colon + 1);
    return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  }

  void read_type() {
    std::string_view text = after("'descr'");
    const std::size_t end = text.empty() || text[0] != '\'' ? 0 : text.find('\'', 1);
    if (end == std::string_view::npos || end < 4)
      bytes_.fail(10, "the elements of the array are not plain numbers");
    type_ = text = text.substr(1, end - 1);
    kind_ = text[1];
    const auto [rest, error] = std::from_chars(text.data() + 2, text.data() + text.size(), element_bytes_);
    const bool known = std::string_view("<>|=").find(text[0]) != std::string_view::npos &&
                       (std::string_view("iufbSU").find(kind_) != std::string_view::npos);
    const bool sized = error == std::errc() && rest == text.data() + text.size() &&
                       (this->text()   ? element_bytes_ >= 1 && element_bytes_ <= 100
                        : kind_ == 'f' ? element_bytes_ == 4 || element_bytes_ == 8
                                       : element_bytes_ == 1 || element_bytes_ == 2 || element_bytes_ == 4 ||
                                             element_bytes_ == 8);
    if (!known || !sized)
      bytes_.fail(10, "elements of type '" + std::string(text) + "' are not read; convert them to float64");
    if (kind_ == 'U') element_bytes_ *= 4;
    swapped_ =
        (text[0] == '>') == (std::endian::native == std::endian::little) && text[0] != '|' && text[0] != '=';
  }

  void read_shape() {
    std::string_view text = after("'shape'");
    const std::size_t end = text.find(')');
    if (text.empty() || text[0] != '(' || end == std::string_view::npos)
      bytes_.fail(10, "the header has no shape");
    const char *at = text.data() + 1, *last = text.data() + end;
    std::uint64_t count = 1;
    while (at < last) {
      if (*at == ' ' || *at == ',') {
        ++at;
        continue;
      }
      std::uint64_t length = 0;
      const auto [rest, error] = std::from_chars(at, last, length);
      if (error != std::errc() || length > (std::uint64_t{1} << 48) || shape_.size() > 8)
        bytes_.fail(10, "the shape of the array is wrong");
      at = rest;
      shape_.push_back(length);
      count =
          length > 0 && count > (std::uint64_t{1} << 48) / length ? std::uint64_t{1} << 48 : count * length;
    }
    count_ = count;
  }

  const BytesOfFile& bytes_;
  std::string_view header_, type_;
  std::size_t data_ = 0, element_bytes_ = 0, count_ = 0;
  std::vector<std::uint64_t> shape_;
  char kind_ = 0;
  bool swapped_ = false;
};

// A member of the archive as an array; errors name the member.
struct Member {
  Member(const ZipArchive& archive, const std::string& path, const std::string& name)
      : bytes(path + "(" + name + ")", archive.content(name, room)), array(bytes) {}

  std::string room;
  BytesOfFile bytes;
  NpyArray array;
};

}  // namespace

bool looks_like_npz(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04");
}

bool looks_like_npy(std::string_view bytes) {
  return bytes.starts_with(npy_mark);
}

DistributedMatrix read_npz_matrix(const Context& context, const std::string& path) {
  const MappedFile mapped(path);
  const BytesOfFile bytes(path, mapped.text());
  const ZipArchive archive(bytes);
  if (archive.has("format.npy")) {
    const Member format(archive, path, "format.npy");
    format.array.need("SU", "text");
    if (const std::string word = format.array.word(); word != "csr")
      bytes.fail(archive.place("format.npy"),
                 "the matrix is in the format '" + word + "'; save it as CSR: save_npz(file, A.tocsr())");
  }
  const Member shape(archive, path, "shape.npy"), starts(archive, path, "indptr.npy"),
      columns(archive, path, "indices.npy"), values(archive, path, "data.npy");
  shape.array.need("iu", "whole numbers");
  starts.array.need("iu", "whole numbers");
  columns.array.need("iu", "whole numbers");
  values.array.need("iufb", "real numbers");
  if (shape.array.count() != 2) shape.array.fail(0, "the matrix has not two dimensions");
  const MatrixSize size{shape.array.integer(0), shape.array.integer(1),
                        static_cast<GlobalIndex>(columns.array.count())};
  if (size.rows < 0 || size.columns < 0 || size.rows > (GlobalIndex{1} << 40))
    shape.array.fail(0, "the shape is negative or too large");
  if (static_cast<GlobalIndex>(starts.array.count()) != size.rows + 1)
    starts.array.fail(0, std::to_string(starts.array.count()) + " row starts for " +
                             std::to_string(size.rows) + " rows; there must be one more than rows");
  if (values.array.count() != columns.array.count())
    values.array.fail(0, std::to_string(values.array.count()) + " values for " +
                             std::to_string(columns.array.count()) + " columns");
  if (const std::string fault = size_fault(size, context.communicator.size()); !fault.empty())
    shape.array.fail(0, fault);
  const OwnRows own = own_rows(context, size.rows);
  std::vector<Entry> entries;
  std::int64_t k = starts.array.integer(0);
  if (k != 0) starts.array.fail(0, "the row starts begin with " + std::to_string(k) + ", not with 0");
  for (GlobalIndex row = 0; row < size.rows; ++row) {
    const std::int64_t end = starts.array.integer(row + 1);
    if (end < k || end > size.entries)
      starts.array.fail(row + 1, "row " + std::to_string(row) + " (from 0) ends at entry " +
                                     std::to_string(end) + ", not between " + std::to_string(k) + " and " +
                                     std::to_string(size.entries));
    for (; k < end; ++k) {
      const std::int64_t column = columns.array.integer(k);
      if (column < 0 || column >= size.columns)
        columns.array.fail(k, "column " + std::to_string(column) + " is not between 0 and " +
                                  std::to_string(size.columns - 1));
      const double value = values.array.real(k);
      if (own.has(row)) entries.push_back({row, column, value});
    }
  }
  return matrix_of_entries(context, size, entries);
}

std::vector<double> read_npy_vector(const std::string& path, const Distribution& rows, int rank) {
  const MappedFile mapped(path);
  const BytesOfFile bytes(path, mapped.text());
  const NpyArray array(bytes);
  array.need("iufb", "real numbers");
  const auto& shape = array.shape();
  if (shape.empty() || shape.size() > 2 || (shape.size() == 2 && shape[1] != 1))
    bytes.fail(10, "the array has neither one dimension nor one column");
  if (static_cast<GlobalIndex>(shape[0]) != rows.rows())
    throw Error(path + ": the right-hand side has " + std::to_string(shape[0]) + " rows, the matrix " +
                std::to_string(rows.rows()));
  std::vector<double> vector(rows.end(rank) - rows.begin(rank));
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = array.real(rows.begin(rank) + i);
  return vector;
}

}  // namespace taihu::amg
