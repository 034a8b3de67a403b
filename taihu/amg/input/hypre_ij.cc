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
std::string stem(const std::string& path) {
  const std::size_t end = path.ends_with(".bin") ? path.size() - 4 : path.size();
  if (end < 7 || path[end - 6] != '.') return path;
  const auto digits = path.begin() + static_cast<std::ptrdiff_t>(end) - 5;
  const bool numbered = std::all_of(digits, digits + 5, [](unsigned char c) { return std::isdigit(c) != 0; });
  return numbered ? path.substr(0, end - 6) : path;
}

// All parts, in order.
std::vector<std::string> parts(const std::string& path) {
  const std::string name = stem(path);
  const char* end = exists(name + ".00000.bin") && !exists(name + ".00000") ? ".bin" : "";
  if (name != path && path.ends_with(".bin")) end = ".bin";
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

// The rows of one part.
struct VectorPart {
  GlobalIndex first_row;
  std::vector<double> values;
  GlobalIndex last_row() const { return first_row + static_cast<GlobalIndex>(values.size()) - 1; }
};

// Each row stands in the part once, in any order.
VectorPart read_vector_part(const std::string& path) {
  if (path.ends_with(".bin")) throw Error(path + ": binary IJ files are read for matrices only");
  const MappedFile file(path);
  TextReader reader(path, file.text());
  const GlobalIndex first = reader.integer("the first row", 0, most);
  const GlobalIndex last = reader.integer("the last row", first - 1, most);
  // A line has at least four characters, so that the file bounds the memory.
  const auto rows = static_cast<std::size_t>(last - first + 1);
  if (rows > file.text().size())
    reader.fail("there are fewer lines than the " + std::to_string(rows) + " rows announced");
  reader.end_line();
  VectorPart part{first, std::vector<double>(rows)};
  std::vector<bool> seen(rows);
  for (reader.skip_lines('%'); !reader.at_end(); reader.skip_lines('%')) {
    const GlobalIndex row = reader.integer("row", first, last);
    if (seen[row - first]) reader.fail("row " + std::to_string(row) + " is there twice");
    seen[row - first] = true;
    part.values[row - first] = reader.number("value");
    reader.end_line();
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end())
    reader.fail("row " + std::to_string(first + (missing - seen.begin())) + " is missing");
  return part;
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
  const std::vector<std::string> names = parts(path);
  std::vector<VectorPart> read;
  GlobalIndex first = most, last = -1;
  for (const std::string& name : names) {
    read.push_back(read_vector_part(name));
    if (read.back().values.empty()) continue;
    first = std::min(first, read.back().first_row);
    last = std::max(last, read.back().last_row());
  }
  const GlobalIndex count = std::max<GlobalIndex>(0, last - first + 1);
  if (count != rows.rows())
    throw Error(path + ": the right-hand side has " + std::to_string(count) + " rows, the matrix " +
                std::to_string(rows.rows()));
  GlobalIndex next = first;  // the parts are in the order of the rows
  std::vector<double> vector(rows.end(rank) - rows.begin(rank));
  for (std::size_t part = 0; part < read.size(); ++part) {
    const auto& [first_row, values] = read[part];
    if (values.empty()) continue;
    if (first_row != next)
      throw Error(names[part] + formatted(":1:1: the rows begin with %lld, but those of the parts before it "
                                          "end with %lld",
                                          static_cast<long long>(first_row),
                                          static_cast<long long>(next - 1)));
    for (const double value : values) {
      const GlobalIndex row = next++ - first;
      if (row >= rows.begin(rank) && row < rows.end(rank)) vector[row - rows.begin(rank)] = value;
    }
  }
  return vector;
}

}  // namespace taihu::amg
