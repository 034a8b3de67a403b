// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/log.h"

#include <cstdarg>

namespace taihu::memory {

void Log::send_to(Line line, void* user) {
  const std::lock_guard guard(mutex_);
  line_ = line;
  user_ = user;
}

void Log::say(const char* format, ...) {
  const std::lock_guard guard(mutex_);
  const Line line = line_;
  if (line == nullptr) return;
  char text[501];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  line(user_, text);
}

}  // namespace taihu::memory
