// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/table.h"

#include <array>
#include <unordered_map>

namespace taihu::memory::libc {
namespace {

using Calls = std::unordered_map<std::string_view, void*>;

Calls all_calls() {
  const std::array families = {
      exit_calls(),       random_calls(),     environment_calls(),    option_calls(),    time_calls(),
      text_calls(),       lookup_calls(),     locale_calls(),         stream_calls(),    message_calls(),
      descriptor_calls(), descriptor_users(), descriptor_waits(),     file_lock_calls(), signal_calls(),
      stack_calls(),      timer_calls(),      processor_time_calls(), thread_calls(),    library_calls(),
      child_calls(),      fork_calls(),       exec_calls(),           wait_calls()};
  Calls calls;
  for (const auto family : families)
    for (const Replacement& entry : family) calls.emplace(entry.name, entry.call);
  return calls;
}

}  // namespace

void* replacement(std::string_view name) {
  static const Calls calls = all_calls();
  const auto found = calls.find(name);
  return found == calls.end() ? nullptr : found->second;
}

int variable_index(std::string_view name) {
  static const std::unordered_map<std::string_view, Variable> variables = {
      {"environ", Variable::environment},
      {"__environ", Variable::environment},
      {"_environ", Variable::environment},
      {"stdin", Variable::input},
      {"stdout", Variable::output},
      {"stderr", Variable::errors},
      {"optarg", Variable::option_argument},
      {"optind", Variable::option_index},
      {"opterr", Variable::option_messages},
      {"optopt", Variable::option_letter},
      {"signgam", Variable::gamma_sign},
      {"__signgam", Variable::gamma_sign},
      {"tzname", Variable::zone_names},
      {"__tzname", Variable::zone_names},
      {"timezone", Variable::zone_seconds},
      {"__timezone", Variable::zone_seconds},
      {"daylight", Variable::zone_daylight},
      {"__daylight", Variable::zone_daylight},
      {"__libc_stack_end", Variable::stack_end}};
  const auto found = variables.find(name);
  return found == variables.end() ? -1 : static_cast<int>(found->second);
}

}  // namespace taihu::memory::libc
