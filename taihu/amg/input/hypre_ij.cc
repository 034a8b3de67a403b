// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/hypre_ij.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "taihu/amg/input/bytes_of_file.h"
#include "taihu/amg/input/text.h"
#include "taihu/amg/input/triplets.h"
#include "taihu/base/formatted.h"

namespace taihu::amg {
namespace {

constexpr GlobalIndex most = GlobalIndex{1} << 40;

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

// NAME of NAME, NAME.00000 or NAME.00000.bin.
std::string stem(std::string path) {
  if (path.ends_with(".bin")) path.resize(path.size() - 4);
  if (path.size() < 7 || path[path.size() - 6] != '.') return path;
  const bool digits =
      std::all_of(path.end() - 5, path.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits ? path.substr(0, path.size() - 6) : path;
}

// All parts, in order.
std::vector<std::string> parts(const std::string& path) {
  const std::string name = stem(path);
  const char* end = exists(name + ".00000.bin") && !exists(name + ".00000") ? ".bin" : "";
  if (path.ends_with(".bin")) end = ".bin";
  std::vector<std::string> paths;
  for (int part = 0; part <= 99999; ++part) {
    const std::string file = name + formatted(".%05d", part) + end;
    if (!exists(file) && part > 0) break;
    paths.push_back(file);
  }
  return paths;
}

// Rows and columns of a part, first and last.
struct Ranges {
  GlobalIndex first_row, last_row, first_column, last_column;
};

// A part's ranges and entries with the indices of the file.
struct Part {
  Ranges ranges{};
  std::vector<Entry> entries;
};

Part read_text(const std::string& path) {
  const MappedFile file(path);
  TextReader reader(path, file.text());
  reader.skip_lines('%');
  Part part;
  Ranges& ranges = part.ranges;
  ranges.first_row = reader.integer("the first row", 0, most);
  ranges.last_row = reader.integer("the last row", ranges.first_row - 1, most);
  ranges.first_column = reader.integer("the first column", 0, most);
  ranges.last_column = reader.integer("the last column", ranges.first_column - 1, most);
  reader.end_line();
  for (reader.skip_lines('%'); !reader.at_end(); reader.skip_lines('%')) {
    Entry entry{};
    entry.row = reader.integer("row", 0, most);
    entry.column = reader.integer("column", 0, most);
    entry.value = reader.number("value");
    reader.end_line();
    part.entries.push_back(entry);
  }
  return part;
}

class BinaryPart {
 public:
  explicit BinaryPart(const BytesOfFile& bytes) : bytes_(bytes) {
    if (word(0) != 1) bytes.fail(0, "this is not version 1 of hypre's binary IJ files");
    if (word(1) != 4 && word(1) != 8) bytes.fail(8, "indices have neither 4 nor 8 bytes");
    if (word(2) != 4 && word(2) != 8) bytes.fail(16, "values have neither 4 nor 8 bytes");
    if (word(6) > bytes.size()) bytes.fail(48, "there are fewer entries than the header says");
    index_bytes_ = word(1);
    value_bytes_ = word(2);
    entries_ = word(6);
    const std::size_t expected = header_bytes + entries_ * (2 * index_bytes_ + value_bytes_);
    bytes.part(header_bytes, expected - header_bytes, "the entries");
    if (bytes.size() > expected) bytes.fail(expected, "there is more than the entries of the header");
  }

  Part read() const {
    Part part;
    part.ranges = {row_or_column(7), row_or_column(8, -1), row_or_column(9), row_or_column(10, -1)};
    for (std::size_t k = 0; k < entries_; ++k) {
      const std::size_t value_at = header_bytes + 2 * entries_ * index_bytes_ + k * value_bytes_;
      const double value = value_bytes_ == 8 ? bytes_.little<double>(value_at, "the values")
                                             : bytes_.little<float>(value_at, "the values");
      if (!std::isfinite(value)) bytes_.fail(value_at, "the value is not a finite number");
      part.entries.push_back({index(k), index(entries_ + k), value});
    }
    return part;
  }

 private:
  static constexpr std::size_t header_bytes = 88;

  std::uint64_t word(std::size_t n) const { return bytes_.little<std::uint64_t>(8 * n, "the header"); }
  GlobalIndex row_or_column(std::size_t n, GlobalIndex least = 0) const {
    const auto value = static_cast<GlobalIndex>(word(n));
    if (value < least || value > most)
      bytes_.fail(8 * n, "the first or last row or column is outside of 0 .. 2^40");
    return value;
  }
  GlobalIndex index(std::size_t n) const {
    const std::size_t at = header_bytes + n * index_bytes_;
    const std::uint64_t value = index_bytes_ == 8 ? bytes_.little<std::uint64_t>(at, "the indices")
                                                  : bytes_.little<std::uint32_t>(at, "the indices");
    if (value > std::uint64_t{most}) bytes_.fail(at, "the index is above 2^40");
    return static_cast<GlobalIndex>(value);
  }

  const BytesOfFile& bytes_;
  std::size_t index_bytes_, value_bytes_, entries_;
};

Part read_part(const std::string& path) {
  if (!path.ends_with(".bin")) return read_text(path);
  const MappedFile file(path);
  const BytesOfFile bytes(path, file.text());
  return BinaryPart(bytes).read();
}

}  // namespace

bool looks_like_hypre_ij(const std::string& path) {
  return stem(path) != path || (!exists(path) && (exists(path + ".00000") || exists(path + ".00000.bin")));
}

DistributedMatrix read_hypre_matrix(const Context& context, const std::string& path) {
  const std::vector<std::string> paths = parts(path);
  std::vector<Part> read;
  Ranges all{most, -1, most, -1};
  MatrixSize size{};
  for (const std::string& file : paths) {
    read.push_back(read_part(file));
    const Ranges& ranges = read.back().ranges;
    size.entries += static_cast<GlobalIndex>(read.back().entries.size());
    if (ranges.last_row < ranges.first_row) continue;  // a rank without rows
    all = {std::min(all.first_row, ranges.first_row), std::max(all.last_row, ranges.last_row),
           std::min(all.first_column, ranges.first_column), std::max(all.last_column, ranges.last_column)};
  }
  size.rows = std::max<GlobalIndex>(0, all.last_row - all.first_row + 1);
  size.columns = std::max<GlobalIndex>(0, all.last_column - all.first_column + 1);
  if (const std::string fault = size_fault(size, context.communicator.size()); !fault.empty())
    throw Error(paths[0] + ": " + fault);
  const OwnRows own = own_rows(context, size.rows);
  std::vector<Entry> entries;
  for (std::size_t part = 0; part < read.size(); ++part)
    for (const Entry& entry : read[part].entries) {
      const Entry moved{entry.row - all.first_row, entry.column - all.first_column, entry.value};
      if (moved.row < 0 || moved.row >= size.rows || moved.column < 0 || moved.column >= size.columns)
        throw Error(formatted(
            "%s: the entry in row %lld, column %lld is outside of the ranges in the first lines",
            paths[part].c_str(), static_cast<long long>(entry.row), static_cast<long long>(entry.column)));
      if (own.has(moved.row)) entries.push_back(moved);
    }
  return matrix_of_entries(context, size, entries);
}

std::vector<double> read_hypre_vector(const std::string& path, const Distribution& rows, int rank) {
  std::vector<double> vector(rows.end(rank) - rows.begin(rank));
  std::vector<std::pair<GlobalIndex, double>> values;
  GlobalIndex first = most, last = -1;
  for (const std::string& name : parts(path)) {
    if (name.ends_with(".bin")) throw Error(name + ": binary IJ files are read for matrices only");
    const MappedFile file(name);
    TextReader reader(name, file.text());
    const GlobalIndex begin = reader.integer("the first row", 0, most);
    const GlobalIndex end = reader.integer("the last row", begin - 1, most);
    reader.end_line();
    if (begin <= end) first = std::min(first, begin), last = std::max(last, end);
    for (reader.skip_lines('%'); !reader.at_end(); reader.skip_lines('%')) {
      const GlobalIndex row = reader.integer("row", begin, end);
      values.emplace_back(row, reader.number("value"));
      reader.end_line();
    }
  }
  const GlobalIndex count = std::max<GlobalIndex>(0, last - first + 1);
  if (count != rows.rows())
    throw Error(path + ": the right-hand side has " + std::to_string(count) + " rows, the matrix " +
                std::to_string(rows.rows()));
  for (const auto& [row, value] : values)
    if (row - first >= rows.begin(rank) && row - first < rows.end(rank))
      vector[row - first - rows.begin(rank)] = value;
  return vector;
}

}  // namespace taihu::amg
