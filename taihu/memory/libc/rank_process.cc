// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/rank_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/file_locks.h"
#include "taihu/memory/libc/signals.h"

namespace taihu::memory {

using libc::Variable;

RankProcess::RankProcess(RankIdentity& identity_of_rank, ImageServices& image_of_rank,
                         RankEvents events_of_rank)
    : identity(identity_of_rank), image(image_of_rank), events(std::move(events_of_rank)) {
  places_ = {&own_.environment,      &own_.input,           &own_.output,
             &own_.errors,           &own_.option_argument, &own_.option_index,
             &own_.option_messages,  &own_.option_letter,   &own_.gamma_sign,
             own_.zone_names.data(), &own_.zone_seconds,    &own_.zone_daylight,
             &own_.stack_end};
  initstate_r(1, random.table.data(), random.table.size(), &random.generator);
  own_.stack_end = find_stack_end();
  for (auto& action : signal_actions) action.sa_handler = SIG_DFL;
  libc::add_rank(*this);
}

RankProcess::~RankProcess() {
  libc::remove_rank(*this);
  if (locale.locale) freelocale(locale.locale);
}

void RankProcess::place_variable(Variable which, void* place) {
  if (!place) return;
  places_[static_cast<std::size_t>(which)] = place;
  if (which == Variable::stack_end) *static_cast<void**>(place) = own_.stack_end;  // never written again
}

bool RankProcess::in_child_process() const {
  return getpid() != process_id;
}

void RankProcess::enter(const std::vector<std::string>& strings, RankStreams streams) {
  first_thread = pthread_self();
  process_id = getpid();
  first_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  set_current_rank(&identity);
  static std::once_flag once;
  std::call_once(once, libc::keep_from_ranks);
  // Not allowed inside of some containers; chdir and umask then refuse (descriptors.cc).
  has_own_directory = unshare(CLONE_FS) == 0;
  for (const std::string& text : strings) {
    environment_strings.push_back(std::make_unique<char[]>(text.size() + 1));
    std::memcpy(environment_strings.back().get(), text.c_str(), text.size() + 1);
    environment_table.push_back(environment_strings.back().get());
  }
  environment_table.push_back(nullptr);
  environment() = environment_table.data();
  variable<char*>(Variable::option_argument) = nullptr;
  variable<int>(Variable::option_index) = 1;
  variable<int>(Variable::option_messages) = 1;
  variable<int>(Variable::option_letter) = '?';
  variable<int>(Variable::gamma_sign) = 0;
  static char no_zone[] = "GMT";  // as in a process before tzset
  for (int i = 0; i < 2; ++i) (&variable<char*>(Variable::zone_names))[i] = no_zone;
  variable<long>(Variable::zone_seconds) = 0;
  variable<int>(Variable::zone_daylight) = 0;
  make_streams(streams);
  signal_stack_.resize(64 * 1024);
  stack_t stack{};
  stack.ss_sp = signal_stack_.data();
  stack.ss_size = signal_stack_.size();
  sigaltstack(&stack, nullptr);
  begin_counting();
}

void RankProcess::leave() {
  libc::remove_rank(*this);
  libc::drop_all_locks(*this);
  for (auto& timer : interval_timers) {
    if (timer) timer_delete(*timer);
    timer.reset();
  }
  stack_t stack{};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  uselocale(LC_GLOBAL_LOCALE);
  set_current_rank(nullptr);
}

// Streams of a rank share the process's descriptors but have their own buffers, modes and redirections.
// Output is written by whole lines, so that lines of different ranks do not mix.
void RankProcess::make_streams(const RankStreams& streams) {
  const std::array given = {streams.input, streams.output, streams.errors};
  const std::array<const char*, 3> modes = {"r", "w", "w"};
  const std::array<std::FILE**, 3> places = {&input(), &output(), &errors()};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::FILE* stream = given[at];
    if (!stream && fcntl(i, F_GETFD) >= 0) stream = fdopen(i, modes[at]);
    if (!stream) stream = std::fopen("/dev/null", modes[at]);
    if (!stream) throw system_error("cannot make the standard streams of a rank", errno);
    if (i == 1) setvbuf(stream, nullptr, _IOLBF, BUFSIZ);
    if (i == 2) setvbuf(stream, nullptr, _IONBF, 0);
    // Reads of descriptor 0 see the same input as the stream.
    if (given[at] && fileno(stream) >= 0) descriptors[at] = fileno(stream);
    *places[at] = stream;
    if (i > 0 || given[at] != nullptr) open_streams.insert(stream);
  }
}

void RankProcess::flush_streams() {
  std::set<std::FILE*> streams;
  {
    const std::lock_guard guard(lock);
    streams = open_streams;
  }
  for (std::FILE* stream : streams) std::fflush(stream);
}

void RankProcess::finalize_library(void* library) {
  {
    const std::lock_guard guard(lock);
    std::erase_if(fork_handlers,
                  [&](const ForkHandler& handler) { return library && handler.library == library; });
  }
  for (;;) {
    ExitHandler handler{};
    {
      const std::lock_guard guard(lock);
      auto at = exit_handlers.end();
      while (at != exit_handlers.begin()) {
        --at;
        if (!library || at->library == library) break;
      }
      if (at == exit_handlers.end() || (library && at->library != library)) return;
      handler = *at;
      exit_handlers.erase(at);
    }
    if (handler.kind == ExitHandler::Kind::with_argument)
      reinterpret_cast<void (*)(void*)>(handler.call)(handler.argument);
    else
      reinterpret_cast<void (*)(int, void*)>(handler.call)(status, handler.argument);
  }
}

void RankProcess::run_exit_handlers(int new_status) {
  if (!ended_elsewhere.load()) status = new_status;
  while (on_first_thread() && !thread_exit_handlers.empty()) {
    const ExitHandler handler = thread_exit_handlers.back();
    thread_exit_handlers.pop_back();
    reinterpret_cast<void (*)(void*)>(handler.call)(handler.argument);
  }
  finalize_library(nullptr);
  image.run_destructors();
  flush_streams();
}

void RankProcess::end(int new_status) {
  run_exit_handlers(new_status & 0xff);
  end_at_once(new_status);
}

int RankProcess::run_as_first_thread(const std::function<int()>& program) {
  const pthread_t former = first_thread;
  const pid_t former_id = first_thread_id;
  std::remove_reference_t<decltype(root)> former_root;
  std::memcpy(&former_root, &root, sizeof root);
  first_thread = pthread_self();
  first_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  void* const former_stack_end = std::exchange(own_.stack_end, find_stack_end());
  live_threads.fetch_sub(1);  // the first thread does not wait for itself
  if (sigsetjmp(root, 1) == 0) end(program());
  live_threads.fetch_add(1);
  std::memcpy(&root, &former_root, sizeof root);
  own_.stack_end = former_stack_end;
  first_thread_id = former_id;
  first_thread = former;
  return status;
}

void RankProcess::end_at_once(int new_status) {
  if (in_child_process()) ::_exit(new_status & 0xff);
  if (!ended_elsewhere.load()) status = new_status & 0xff;
  if (on_first_thread()) siglongjmp(root, 1);
  ended_elsewhere.store(true);
  if (events.exit_on_other_thread) events.exit_on_other_thread(identity, status);
  pthread_exit(nullptr);
}

}  // namespace taihu::memory
