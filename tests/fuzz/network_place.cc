// SPDX-License-Identifier: Apache-2.0
// The names of hosts and the files that say where they are.
#include "taihu/topology/network.h"
#include "tests/fuzz/fuzz.h"

using taihu::topology::network_position;

TAIHU_FUZZ_FILE(path, "place.txt") {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
  }
  taihu::fuzz::run([&] { taihu::topology::expand_host_list(text); });
  taihu::topology::path_from_host_name(text);
  for (const char* variable : {"TAIHU_TOPOLOGY_FILE", "TAIHU_SLURM_TOPOLOGY"})
    taihu::fuzz::run([&] {
      network_position(
          "n1", [&](const char* name) { return std::strcmp(name, variable) == 0 ? path.c_str() : nullptr; });
    });
  const std::string address = text.substr(0, text.find('\n')),
                    pattern = text.substr(std::min(address.size() + 1, text.size()));
  network_position("n1", [&](const char* name) -> const char* {
    if (std::strcmp(name, "SLURM_TOPOLOGY_ADDR") == 0) return address.c_str();
    return std::strcmp(name, "SLURM_TOPOLOGY_ADDR_PATTERN") == 0 ? pattern.c_str() : nullptr;
  });
}
