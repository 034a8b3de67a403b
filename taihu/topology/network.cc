// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/network.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/base/input_file.h"

namespace taihu::topology {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == text.npos ? end : end - start));
    if (end == text.npos) return parts;
    start = end + 1;
  }
}

std::string short_name(const std::string& host) {
  return host.substr(0, host.find('.'));
}

bool same_host(const std::string& a, const std::string& b) {
  return a == b || (short_name(a) == short_name(b) && (a.find('.') == a.npos || b.find('.') == b.npos));
}

/// Calls `use(words, place)` for every line that is not empty, without its comment.
template <typename Use>
void for_each_line(const std::string& path, const Use& use) {
  std::istringstream file(read_file(path, "the topology file"));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty()) use(words, path + ":" + std::to_string(number));
  }
}

std::string path_from_user_file(const std::string& file, const std::string& host) {
  std::string found;
  for_each_line(file, [&](const std::vector<std::string>& words, const std::string& place) {
    check_input(words.size() == 2,
                place + ": expected two words, a host and its switch path, as in 'node1 root/leaf1'");
    std::string path = words[1];
    while (!path.empty() && path.front() == '/') path.erase(0, 1);
    while (!path.empty() && path.back() == '/') path.pop_back();
    check_input(!path.empty() && path.find("//") == path.npos,
                place + ": the switch path '" + words[1] + "' has an empty part");
    if (found.empty() && same_host(words[0], host)) found = path;
  });
  return found;
}

/// "root.cell1.leaf4.node386" with "switch.switch.switch.node" gives "root/cell1/leaf4".
std::string path_from_slurm_address(const std::string& address, const std::string& pattern) {
  const std::vector<std::string> names = split(address, '.');
  const std::vector<std::string> kinds = split(pattern, '.');
  // A node name may contain dots; the names of the switches before it do not.
  if (names.size() < kinds.size() || kinds.back() != "node") return {};
  std::string path;
  for (std::size_t i = 0; i + 1 < kinds.size(); ++i) {
    if (names[i].empty()) return {};
    path += (path.empty() ? "" : "/") + names[i];
  }
  return path;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Lines "SwitchName=leaf1 Nodes=n[1-4]" and "SwitchName=root Switches=leaf[1-2]".
std::string path_from_slurm_file(const std::string& file, const std::string& host) {
  std::map<std::string, std::string> parent;  // of a switch
  std::string leaf;
  for_each_line(file, [&](const std::vector<std::string>& words, const std::string& place) {
    std::string name, nodes, switches;
    for (const std::string& word : words) {
      const std::size_t equals = word.find('=');
      check_input(equals != word.npos, place + ": expected NAME=VALUE, found '" + word + "'");
      const std::string key = lower(word.substr(0, equals));
      if (key == "switchname") name = word.substr(equals + 1);
      if (key == "nodes") nodes = word.substr(equals + 1);
      if (key == "switches") switches = word.substr(equals + 1);
    }
    check_input(!name.empty(), place + ": a line of a tree topology starts with SwitchName=");
    for (const std::string& node : expand_host_list(nodes))
      if (leaf.empty() && same_host(node, host)) leaf = name;
    for (const std::string& child : expand_host_list(switches)) parent.emplace(child, name);
  });
  if (leaf.empty()) return {};
  std::string path = leaf;
  std::size_t steps = 0;
  for (auto up = parent.find(leaf); up != parent.end(); up = parent.find(up->second)) {
    check_input(++steps <= parent.size(), file + ": the switch " + leaf + " is above itself");
    path = up->second + "/" + path;
  }
  return path;
}

void expand_item(const std::string& item, std::vector<std::string>& names);

void expand_range(const std::string& prefix, const std::string& range, const std::string& rest,
                  std::vector<std::string>& names) {
  const std::size_t dash = range.find('-');
  const std::string first = range.substr(0, dash);
  const std::string last = dash == range.npos ? first : range.substr(dash + 1);
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == text.npos;
  };
  check_input(is_number(first) && is_number(last), "cannot read the range '" + range + "' of a host list");
  const long low = std::stol(first), high = std::stol(last);
  check_input(low <= high && high - low < 1'000'000,
              "the range '" + range + "' of a host list is empty or too long");
  for (long number = low; number <= high; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    expand_item(prefix + digits + rest, names);  // the rest may have brackets, too
    check_input(names.size() <= 1'000'000, "a host list names more than a million hosts");
  }
}

void expand_item(const std::string& item, std::vector<std::string>& names) {
  const std::size_t open = item.find('[');
  if (open == item.npos) {
    check_input(item.find(']') == item.npos, "the host list item '" + item + "' has a ']' without '['");
    names.push_back(item);
    return;
  }
  const std::size_t close = item.find(']', open);
  check_input(close != item.npos, "the host list item '" + item + "' has a '[' without ']'");
  for (const std::string& range : split(item.substr(open + 1, close - open - 1), ','))
    expand_range(item.substr(0, open), range, item.substr(close + 1), names);
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
  std::vector<std::string> names;
  std::string item;
  int depth = 0;
  for (char c : list) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth == 0) {
      if (!item.empty()) expand_item(item, names);
      item.clear();
    } else {
      item += c;
    }
  }
  if (!item.empty()) expand_item(item, names);
  return names;
}

std::string path_from_host_name(const std::string& host) {
  static constexpr std::array<std::string_view, 20> places = {
      "r",    "rack", "rk", "row", "x",       "c",  "cab", "cabinet", "cell", "island",
      "isle", "pod",  "g",  "grp", "chassis", "ch", "e",   "enc",     "sw",   "switch"};
  const std::string name = lower(short_name(host));
  // Container names are twelve random hexadecimal digits, which can look like places.
  if (name.size() == 12 && name.find_first_not_of("0123456789abcdef") == name.npos) return {};
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t letters_end =
        std::min(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at), name.size());
    const std::size_t digits_end = std::min(name.find_first_not_of("0123456789", letters_end), name.size());
    if (letters_end == at || digits_end == letters_end) return {};
    if (parts.empty() && std::find(places.begin(), places.end(), name.substr(0, letters_end)) == places.end())
      return {};
    parts.push_back(name.substr(at, digits_end - at));
    at = digits_end;
    if (at + 1 < name.size() && (name[at] == '-' || name[at] == '_')) ++at;
  }
  if (parts.size() < 2 || parts.size() > 6) return {};
  std::string path = parts.front();
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) path += "/" + parts[i];
  return path;
}

std::string host_name() {
  std::array<char, 256> buffer{};
  if (gethostname(buffer.data(), buffer.size() - 1) != 0) return "localhost";
  return short_name(buffer.data());
}

NetworkPosition network_position(const std::string& host, const Environment& environment) {
  if (const char* file = environment("TAIHU_TOPOLOGY_FILE"); file && *file)
    if (std::string path = path_from_user_file(file, host); !path.empty()) return {path, file};
  const char* address = environment("SLURM_TOPOLOGY_ADDR");
  const char* pattern = environment("SLURM_TOPOLOGY_ADDR_PATTERN");
  if (address && pattern)
    if (std::string path = path_from_slurm_address(address, pattern); !path.empty())
      return {path, "SLURM_TOPOLOGY_ADDR"};
  if (const char* file = environment("TAIHU_SLURM_TOPOLOGY"); file && *file)
    if (std::string path = path_from_slurm_file(file, host); !path.empty()) return {path, file};
  if (std::string path = path_from_host_name(host); !path.empty()) return {path, "host name"};
  return {};
}

NetworkPosition network_position() {
  return network_position(host_name(), [](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace taihu::topology
