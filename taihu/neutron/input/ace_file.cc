// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/ace_file.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

class AceReader {
 public:
  explicit AceReader(const std::string& path) : path_(path), in_(path) {
    check_input(in_.good(), path + ": cannot be read");
  }

  std::vector<AceTable> read() {
    std::vector<AceTable> tables;
    std::string line;
    while (next_line(line))
      if (line.find_first_not_of(" \r\t") != std::string::npos) tables.push_back(table_from(line));
    check_input(!tables.empty(), path_ + ": there is no table");
    return tables;
  }

 private:
  bool next_line(std::string& line) {
    ++number_;
    return static_cast<bool>(std::getline(in_, line));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(path_ + ":" + std::to_string(number_) + ": " + problem);
  }

  std::string line_or_fail() {
    std::string line;
    if (!next_line(line)) fail("the table ends early");
    return line;
  }

  AceTable table_from(const std::string& first) {
    AceTable table;
    table.path = path_;
    std::istringstream words(first);
    words >> table.name;
    double temperature = 0;
    if (table.name.starts_with(
            "2.0.")) {  // the newer head: identifier, then mass, temperature, lines of comment
      words >> table.name;
      int comments = 0;
      std::string date;
      std::istringstream second(line_or_fail());
      if (!(second >> table.awr >> temperature >> date >> comments) || comments < 0 || comments > 100000)
        fail("the head of a table is damaged");
      for (int i = 0; i < comments; ++i) line_or_fail();
      // Readers of the older head find their lines in the last comments, and the pairs behind them; so does
      // this reader.
    } else {
      if (!(words >> table.awr >> temperature)) fail("this is not the head of an ACE table (text form)");
      line_or_fail();  // a comment
    }
    table.kT = temperature * eV_per_MeV;
    for (int i = 0; i < 16; ++i) {
      double mass;
      if (!(in_ >> table.iz[i] >> mass)) fail("the head of a table is damaged");
    }
    for (int i = 1; i <= 16; ++i) read_whole(table.nxs[i]);
    for (int i = 1; i <= 32; ++i) read_whole(table.jxs[i]);
    if (table.nxs[1] < 1 || table.nxs[1] > 200'000'000) fail("a table has an impossible length");
    read_numbers(table);
    return table;
  }

  void read_whole(std::int64_t& value) {
    if (!(in_ >> value)) fail("the index of a table is damaged");
  }

  void read_numbers(AceTable& table) {
    std::string line;
    std::getline(in_, line);  // the rest of the index's last line
    while (static_cast<std::int64_t>(table.xss.size()) < table.nxs[1]) {
      line = line_or_fail();
      const char* text = line.c_str();
      for (;;) {
        char* end = nullptr;
        const double value = std::strtod(text, &end);
        // 1.0-305, as Fortran writes 1e-305, is not two numbers.
        const bool separate = *end == '\0' || *end == ' ' || *end == '\t' || *end == '\r';
        if (end == text || !separate || !std::isfinite(value)) break;
        table.xss.push_back(value);
        text = end;
      }
      if (std::string(text).find_first_not_of(" \r\t") != std::string::npos)
        fail("table " + table.name + ": a number is damaged");
      if (static_cast<std::int64_t>(table.xss.size()) > table.nxs[1] + 3)
        fail("table " + table.name + " is longer than it says");
    }
  }

  std::string path_;
  std::ifstream in_;
  std::int64_t number_ = 0;
};

}  // namespace

void AceTable::fail(const std::string& problem) const {
  throw Error(path + ": table " + name + ": " + problem);
}

double AceTable::at(std::int64_t place) const {
  if (place < 1 || place > static_cast<std::int64_t>(xss.size()))
    fail("place " + std::to_string(place) + " is outside of the table");
  return xss[place - 1];
}

std::int64_t AceTable::whole(std::int64_t place) const {
  const double value = at(place);
  if (!(std::fabs(value) < 1e12) || value != std::floor(value))
    fail("place " + std::to_string(place) + " is not a whole number");
  return static_cast<std::int64_t>(value);
}

std::int64_t AceTable::count(std::int64_t place) const {
  const std::int64_t value = whole(place);
  if (value < 0 || value > static_cast<std::int64_t>(xss.size()))
    fail("place " + std::to_string(place) + " is not a number of entries");
  return value;
}

std::vector<double> AceTable::list(std::int64_t place, std::int64_t count, double factor) const {
  std::vector<double> values;
  if (count <= 0) return values;
  at(place), at(place + count - 1);
  values.assign(xss.begin() + place - 1, xss.begin() + place - 1 + count);
  for (double& value : values) value *= factor;
  return values;
}

std::vector<AceTable> read_ace_tables(const std::string& path) {
  return AceReader(path).read();
}

}  // namespace taihu::neutron
