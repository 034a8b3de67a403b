// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/matrix_market.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <span>

#include "taihu/amg/input/text.h"
#include "taihu/amg/input/triplets.h"
#include "taihu/base/output_file.h"
#include "taihu/parallel/bytes.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::amg {
namespace {

enum class Format { coordinate, array };
enum class Field { real, pattern };
enum class Symmetry { general, symmetric, skew };

struct Header {
  Format format;
  Field field;
  Symmetry symmetry;
  GlobalIndex rows, columns, entries;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

Header read_header(TextReader& reader) {
  if (lower(reader.word()) != "%%matrixmarket")
    reader.fail("the file does not begin with %%MatrixMarket, so it is not a Matrix Market file");
  if (lower(reader.word()) != "matrix") reader.fail("only objects of the kind 'matrix' are known");
  Header header{};
  const std::string format = lower(reader.word());
  if (format != "coordinate" && format != "array") reader.fail("the format is neither coordinate nor array");
  header.format = format == "array" ? Format::array : Format::coordinate;
  const std::string field = lower(reader.word());
  if (field == "complex")
    reader.fail("complex matrices are not supported; solve the equivalent real system of twice the size");
  if (field != "real" && field != "integer" && field != "double" && field != "pattern")
    reader.fail("the values are not real, integer or pattern");
  header.field = field == "pattern" ? Field::pattern : Field::real;
  const std::string symmetry = lower(reader.word());
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric" &&
      symmetry != "hermitian")
    reader.fail("the symmetry is not general, symmetric or skew-symmetric");
  header.symmetry = symmetry == "general"          ? Symmetry::general
                    : symmetry == "skew-symmetric" ? Symmetry::skew
                                                   : Symmetry::symmetric;
  reader.end_line();
  reader.skip_lines('%');
  constexpr GlobalIndex most = GlobalIndex{1} << 40;
  header.rows = reader.integer("the number of rows", 0, most);
  header.columns = reader.integer("the number of columns", 0, most);
  if (header.symmetry != Symmetry::general && header.rows != header.columns)
    reader.fail("a " + symmetry + " matrix has as many columns as rows, " + std::to_string(header.rows));
  if (header.format == Format::coordinate) {
    header.entries = reader.integer("the number of entries", 0, most * 1024);
  } else if (__builtin_mul_overflow(header.rows, header.columns, &header.entries)) {
    reader.fail("an array of " + std::to_string(header.rows) + " x " + std::to_string(header.columns) +
                " values is too large");
  }
  reader.end_line();
  return header;
}

// Goes to the line with the entry or value `k`.
void next_line(TextReader& reader, const Header& header, GlobalIndex k, const char* what) {
  reader.skip_lines('%');
  if (reader.at_end())
    reader.fail("the file ends after " + std::to_string(k) + " of " + std::to_string(header.entries) + " " +
                what);
}

void end_file(TextReader& reader, const Header& header, const char* what) {
  reader.skip_lines('%');
  if (reader.at_end()) return;
  reader.word();
  reader.fail("there is more after the " + std::to_string(header.entries) + " " + what +
              " that the size line announces");
}

// Calls use(entry) for each entry of a coordinate file, also for those that symmetry implies.
template <class Use>
void read_entries(TextReader& reader, const Header& header, const Use& use) {
  for (GlobalIndex k = 0; k < header.entries; ++k) {
    next_line(reader, header, k, "entries");
    Entry entry{};
    entry.row = reader.integer("row", 1, header.rows) - 1;
    entry.column = reader.integer("column", 1, header.columns) - 1;
    entry.value = header.field == Field::pattern ? 1 : reader.number("value");
    if (header.symmetry != Symmetry::general) {
      if (entry.column > entry.row)
        reader.fail("an entry above the diagonal, but symmetric files have the lower triangle only");
      if (header.symmetry == Symmetry::skew && entry.column == entry.row)
        reader.fail("an entry on the diagonal, which is zero in a skew-symmetric matrix");
    }
    use(entry);
    if (header.symmetry != Symmetry::general && entry.row != entry.column)
      use({entry.column, entry.row, header.symmetry == Symmetry::skew ? -entry.value : entry.value});
    reader.end_line();
  }
  end_file(reader, header, "entries");
}

// Calls use(n, value) for each value of an array file, column by column.
template <class Use>
void read_values(TextReader& reader, const Header& header, const Use& use) {
  for (GlobalIndex k = 0; k < header.entries; ++k) {
    next_line(reader, header, k, "values");
    use(k, reader.number("value"));
    reader.end_line();
  }
  end_file(reader, header, "values");
}

}  // namespace

DistributedMatrix read_matrix_market(const Context& context, const std::string& path) {
  const MappedFile file(path);
  TextReader reader(path, file.text());
  const Header header = read_header(reader);
  if (header.format != Format::coordinate)
    reader.fail("the matrix is dense (format array); multigrid needs a sparse one (coordinate)");
  const MatrixSize size{header.rows, header.columns, header.entries};
  if (const std::string fault = size_fault(size, context.communicator.size()); !fault.empty())
    reader.fail(fault);
  const OwnRows own = own_rows(context, header.rows);
  std::vector<Entry> entries;
  read_entries(reader, header, [&](const Entry& entry) {
    if (own.has(entry.row)) entries.push_back(entry);
  });
  return matrix_of_entries(context, size, entries);
}

std::vector<double> read_vector_market(const std::string& path, const Distribution& rows, int rank) {
  const MappedFile file(path);
  TextReader reader(path, file.text());
  const Header header = read_header(reader);
  if (header.rows != rows.rows())
    throw Error(path + ": the right-hand side has " + std::to_string(header.rows) + " rows, the matrix " +
                std::to_string(rows.rows()));
  if (header.columns < 1) throw Error(path + ": the right-hand side has no column");
  const GlobalIndex first = rows.begin(rank), last = rows.end(rank);
  std::vector<double> vector(last - first);
  if (header.format == Format::coordinate) {
    read_entries(reader, header, [&](const Entry& entry) {
      if (entry.column == 0 && entry.row >= first && entry.row < last)
        vector[entry.row - first] += entry.value;
    });
    return vector;
  }
  if (header.symmetry != Symmetry::general || header.field == Field::pattern)
    reader.fail("a right-hand side in array format is general and has values");
  read_values(reader, header, [&](GlobalIndex i, double value) {
    if (i >= first && i < last) vector[i - first] = value;
  });
  return vector;
}

void write_vector_market(const Context& context, const std::string& path, const std::vector<double>& x) {
  parallel::Communicator& ranks = context.communicator;
  auto rows = static_cast<std::int64_t>(x.size());
  ranks.sum(std::span(&rows, 1));
  if (!ranks.is_root()) parallel::send_to(ranks, 0, parallel::to_bytes(x));
  parallel::together(ranks, ranks.is_root(), [&] {
    // The root has room for the part of one other rank at a time.
    int next = 1;
    const auto take = [&] { return parallel::from_bytes<double>(parallel::receive_from(ranks, next++)); };
    const auto write_part = [](std::FILE* file, const std::vector<double>& part) {
      for (const double value : part) std::fprintf(file, "%.17g\n", value);
    };
    try {
      write_file(path, [&](std::FILE* file) {
        std::fprintf(file, "%%%%MatrixMarket matrix array real general\n%lld 1\n",
                     static_cast<long long>(rows));
        write_part(file, x);
        while (next < ranks.size()) write_part(file, take());
      });
    } catch (...) {
      while (next < ranks.size()) take();  // what has been sent to nobody would keep its sender
      throw;
    }
  });
}

}  // namespace taihu::amg
