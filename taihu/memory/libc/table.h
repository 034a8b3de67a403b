// SPDX-License-Identifier: Apache-2.0
// The calls and variables of libc whose hidden state the ranks of a process would share, and their
// replacements for code of ranks. One file per family defines its calls and lists them here. Only the code of
// ranks is bound to them (image/link_unit.h); everything else in the process keeps libc. A replacement that
// is called on a thread of no rank does the same as libc. To add a call: write it in its family's file and
// name it in that family's list.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace taihu::memory::libc {

struct Replacement {
  std::string_view name;
  void* call;
};

/// Casts a replacement for the lists.
template <typename Call>
Replacement replace(std::string_view name, Call* call) {
  return {name, reinterpret_cast<void*>(call)};
}

/// What code of ranks calls instead of libc's `name`; null when there is nothing to replace.
void* replacement(std::string_view name);

/// Variables of libc that every rank has for itself.
enum class Variable : int {
  environment,
  input,
  output,
  errors,
  option_argument,
  option_index,
  option_messages,
  option_letter,
  gamma_sign,
  zone_names,
  zone_seconds,
  zone_daylight,
  stack_end,
  count
};

constexpr std::size_t variable_count() {
  return static_cast<std::size_t>(Variable::count);
}

/// Number of the variable that libc calls `name`; -1 for all others.
int variable_index(std::string_view name);

std::span<const Replacement> exit_calls();
std::span<const Replacement> random_calls();
std::span<const Replacement> environment_calls();
std::span<const Replacement> option_calls();
std::span<const Replacement> time_calls();
std::span<const Replacement> text_calls();
std::span<const Replacement> lookup_calls();
std::span<const Replacement> locale_calls();
std::span<const Replacement> stream_calls();
std::span<const Replacement> message_calls();
std::span<const Replacement> descriptor_calls();
std::span<const Replacement> descriptor_users();
std::span<const Replacement> descriptor_waits();
std::span<const Replacement> file_lock_calls();
std::span<const Replacement> signal_calls();
std::span<const Replacement> stack_calls();
std::span<const Replacement> timer_calls();
std::span<const Replacement> processor_time_calls();
std::span<const Replacement> thread_calls();
std::span<const Replacement> library_calls();
std::span<const Replacement> child_calls();
std::span<const Replacement> fork_calls();
std::span<const Replacement> exec_calls();
std::span<const Replacement> wait_calls();

}  // namespace taihu::memory::libc
