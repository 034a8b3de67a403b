// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/narun/large_blocks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "taihu/base/formatted.h"
#include "taihu/base/page_size.h"
#include "taihu/base/units.h"
#include "taihu/memory/naalloc/loaded_objects.h"
#include "taihu/memory/naalloc/report.h"
#include "taihu/memory/narun/function_hook.h"
#include "taihu/memory/narun/own_work.h"

namespace taihu::memory {
namespace {

LargeBlocks* of_process = nullptr;  ///< for the hook, which has no argument

std::string with_process_number(std::string path) {
  if (const auto place = path.find("%p"); place != std::string::npos)
    path.replace(place, 2, std::to_string(getpid()));
  return path;
}

/// Standard error as the process got it. The program may close its own before the end, as those of coreutils
/// do, or open a file of its own under the number.
class FirstStandardError {
 public:
  FirstStandardError() {
    struct stat now{};
    copy_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least_number);
    if (copy_ >= 0 && fstat(copy_, &now) == 0) file_ = now;
  }
  /// Nothing when the program has closed that as well.
  void write(const std::string& text) const {
    struct stat now{};
    if (copy_ >= 0 && (fstat(copy_, &now) != 0 || now.st_dev != file_.st_dev || now.st_ino != file_.st_ino))
      return;
    const int file = copy_ >= 0 ? copy_ : STDERR_FILENO;
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t written = ::write(file, text.data() + done, text.size() - done);
      if (written < 0 && errno != EINTR) return;
      if (written > 0) done += static_cast<std::size_t>(written);
    }
  }

 private:
  static constexpr int least_number = 100;  // programs may expect the small ones to be free
  int copy_ = -1;
  struct stat file_{};
};

const FirstStandardError& first_standard_error() {
  static const FirstStandardError first;
  return first;
}

void tell(const std::string& text) {
  first_standard_error().write("narun: " + text + "\n");
}

void write_text(const std::string& path, const char* mode, const std::string& text) {
  if (path == "stderr") return first_standard_error().write(text);
  FILE* file = fopen(with_process_number(path).c_str(), mode);
  bool written = file != nullptr && fputs(text.c_str(), file) >= 0;
  if (file != nullptr && fclose(file) != 0) written = false;
  if (!written) tell(formatted("cannot write %s: %m", path.c_str()));
}

std::size_t alignment_of(std::size_t bytes) {
  return bytes >= huge_page_bytes ? huge_page_bytes : page_bytes();
}

}  // namespace

LargeBlocks::LargeBlocks(PreloadSettings settings)
    : settings_(std::move(settings)),
      allocator_(process_allocator()),
      observer_(allocator_, settings_.observe_seconds,
                [this](std::span<const ObservedUse> uses) { observed(uses); }) {
  of_process = this;
  (void)first_standard_error();
  if (settings_.wants_report()) allocator_.count_freed();
  look_for_function();
}

void LargeBlocks::look_for_function() {
  if (settings_.after_function.empty()) return;
  const unsigned long long loaded = objects_loaded();
  if (objects_loaded_.exchange(loaded) == loaded) return;
  hooked_entries_ += hook_function(settings_.after_function, [] {
    const OwnWork mark;
    ++of_process->returns_;
    of_process->triggered(("return of " + of_process->settings_.after_function).c_str());
  });
}

/// What is allocated after the trigger is placed at once.
BlockKind LargeBlocks::kind_now() const noexcept {
  const bool moved = settings_.placing == PreloadSettings::Placing::rebind && triggers_ > 0;
  return moved || settings_.placing == PreloadSettings::Placing::partition ? BlockKind::partitioned
                                                                           : BlockKind::first_touch;
}

void* LargeBlocks::allocate(std::size_t bytes, std::size_t alignment, Contents contents) {
  if (alignment > alignment_of(bytes)) return nullptr;
  look_for_function();
  if (settings_.after_bytes > 0 && live_bytes_ >= settings_.after_bytes && !fired_by_bytes_.exchange(true))
    triggered(
        ("more than " + format_bytes(static_cast<std::int64_t>(settings_.after_bytes)) + " in large blocks")
            .c_str());
  BlockShape shape;
  if (make_even_shape(bytes, 1, allocator_.threads(), shape) != 0) return nullptr;
  shape.kind = kind_now();
  void* block = allocator_.allocate(std::move(shape), contents);
  if (block == nullptr) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(block) % alignment != 0) {  // packed with others
    allocator_.release(block);
    return nullptr;
  }
  live_bytes_ += bytes;
  ++allocated_blocks_;
  return block;
}

void* LargeBlocks::grow(void* block, std::size_t bytes) {
  const std::size_t before = allocator_.block_bytes(block);
  if (bytes <= before && bytes > before / 2) return block;
  if (!wants(bytes)) return nullptr;
  // A program that grows a block bit by bit must not copy it each time.
  const bool bit_by_bit = bytes > before && bytes - before < before / 4 && bytes < PTRDIFF_MAX / 2;
  BlockShape shape;
  if (make_even_shape(bit_by_bit ? bytes + bytes / 4 : bytes, 1, allocator_.threads(), shape) != 0)
    return nullptr;
  shape.kind = kind_now();
  const std::size_t after = shape.bytes();
  void* grown = allocator_.reallocate(block, std::move(shape));
  if (grown != nullptr) live_bytes_ += after - before;
  return grown;
}

void LargeBlocks::release(void* block) {
  const std::size_t bytes = allocator_.block_bytes(block);
  if (allocator_.release(block)) live_bytes_ -= bytes;
}

void LargeBlocks::triggered(const char* cause) {
  ++triggers_;
  if (settings_.placing == PreloadSettings::Placing::observe) return observe(cause);
  if (settings_.placing == PreloadSettings::Placing::rebind) {
    write_text_report((std::string("before rebinding at ") + cause).c_str());
    allocator_.rebind_all();
    write_text_report((std::string("after rebinding at ") + cause).c_str());
  } else {
    write_text_report((std::string("at ") + cause).c_str());
  }
  write_json_report();
}

void LargeBlocks::observe(const char* cause) {
  if (observer_.start())
    allocator_.log().say("use is looked at for %g s of processor time, from %s on", settings_.observe_seconds,
                         cause);
  else if (errno != 0)
    tell(formatted("use cannot be looked at in process %d (%m); blocks stay where they are", getpid()));
}

/// On the thread of the observer.
void LargeBlocks::observed(std::span<const ObservedUse> uses) {
  ++looks_;
  const std::size_t blocks = allocator_.adopt_uses(uses);
  const std::string seen = "moving to the users of " + std::to_string(blocks) + " blocks (" +
                           std::to_string(uses.size()) + " uses seen)";
  write_text_report(("before " + seen).c_str());
  allocator_.move_to_users();
  write_text_report(("after " + seen).c_str());
  write_json_report();
}

void LargeBlocks::write_text_report(const char* moment) {
  if (settings_.report.empty()) return;
  const std::string head = "narun: process " + std::to_string(getpid()) + ", " + moment + "\n";
  write_text(settings_.report, "ae", head + to_text(allocator_.report(), 10));
}

void LargeBlocks::write_json_report() {
  if (!settings_.json.empty()) write_text(settings_.json, "we", to_json(allocator_.report()));
}

/// Who has asked for a report of a program looks for it. Launchers, shells and other small programs on the
/// way, and what they start, have nothing to tell.
void LargeBlocks::tell_of_no_blocks() {
  if (static_cast<std::size_t>(getpid()) != settings_.process) return;
  if (!settings_.wants_report() && settings_.after_function.empty()) return;
  const std::string text = "narun: process " + std::to_string(getpid()) + " has allocated no block of " +
                           format_bytes(static_cast<std::int64_t>(settings_.least_bytes)) +
                           " or more; nothing was placed (--min names another size)\n";
  write_text(settings_.report.empty() ? "stderr" : settings_.report, "ae", text);
  write_json_report();
}

void LargeBlocks::finish() {
  if (settings_.placing == PreloadSettings::Placing::observe && triggers_ > 0) observer_.stop();
  if (allocated_blocks_ == 0) return tell_of_no_blocks();
  write_text_report("at the end");
  // The file shows the moment of the trigger, when the blocks were all there.
  const bool observing = settings_.placing == PreloadSettings::Placing::observe;
  if (triggers_ == 0 || (observing && looks_ == 0)) write_json_report();
  if (observing && triggers_ > 0 && looks_ == 0)
    tell(formatted(
        "process %d ended before its use was looked at for %g s of processor time; nothing was moved",
        getpid(), settings_.observe_seconds));
  if (settings_.after_function.empty() || returns_ > 0) return;
  tell(formatted("function %s has never returned in process %d (%s); nothing was done after it",
                 settings_.after_function.c_str(), getpid(),
                 hooked_entries_ > 0 ? "it was not called" : "no loaded object calls it in another one"));
}

}  // namespace taihu::memory
