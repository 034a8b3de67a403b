// SPDX-License-Identifier: Apache-2.0
// Uses the installed base library: the headers are found, the library links and computes.
#include <taihu/base/error.h>
#include <taihu/base/units.h>

#include <cstdio>

int main() {
  if (taihu::parse_bytes("64K", "size") != 65536) return 1;
  try {
    taihu::parse_bytes("a lot", "size");
  } catch (const taihu::Error& error) {
    std::printf("refused as it should be: %s\n", error.what());
    return 0;
  }
  return 1;
}
