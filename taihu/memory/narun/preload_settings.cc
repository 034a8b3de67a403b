// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/narun/preload_settings.h"

#include <cstdlib>

namespace taihu::memory {
namespace {

// A set-uid program does not follow its user's environment.
std::string text_of(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t bytes_of(const char* name, std::size_t otherwise) {
  const char* value = secure_getenv(name);
  char* end = nullptr;
  const unsigned long long bytes = value == nullptr ? 0 : strtoull(value, &end, 10);
  return value == nullptr || *value == '\0' || *end != '\0' ? otherwise : bytes;
}

}  // namespace

PreloadSettings read_preload_settings() {
  PreloadSettings settings;
  const std::string place = text_of("NARUN_PLACE");
  if (place == "rebind") settings.placing = PreloadSettings::Placing::rebind;
  if (place == "observe") settings.placing = PreloadSettings::Placing::observe;
  if (place == "none") settings.placing = PreloadSettings::Placing::none;
  settings.least_bytes = bytes_of("NARUN_MIN", settings.least_bytes);
  settings.after_function = text_of("NARUN_AFTER");
  settings.after_bytes = bytes_of("NARUN_AFTER_BYTES", 0);
  settings.observe_seconds = static_cast<double>(bytes_of("NARUN_OBSERVE", 4000)) / 1000;
  settings.report = text_of("NARUN_REPORT");
  settings.json = text_of("NARUN_JSON");
  settings.process = bytes_of("NARUN_PROCESS", 0);
  return settings;
}

}  // namespace taihu::memory
