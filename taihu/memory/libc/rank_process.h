// SPDX-License-Identifier: Apache-2.0
// What a rank would own if it were an operating-system process: environment, standard streams, exit handlers,
// signal handlers, and the hidden state of libc calls. Reached from any of the rank's threads through
// current_rank()->process. The families of libc/ read and write their parts; parts that several threads of a
// rank may use at once are guarded by `lock` unless libc leaves the guarding to the program.
#pragma once

#include <grp.h>
#include <locale.h>
#include <mntent.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <wchar.h>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "taihu/memory/current_rank.h"
#include "taihu/memory/libc/child_table.h"
#include "taihu/memory/libc/table.h"
#include "taihu/memory/libc/thread_variables.h"

namespace taihu::memory {

/// What a rank's calls need from its image.
class ImageServices {
 public:
  virtual ~ImageServices() = default;
  virtual void run_destructors() = 0;  ///< of the program and its libraries
  /// As dlopen called by the code at `caller`; throws Error.
  virtual void* open_library(const char* name, int flags, const void* caller) = 0;
  virtual int close_library(void* handle) = 0;  ///< as dlclose
  virtual void* find_symbol(void* handle, const char* name, const char* version,
                            const void* caller) = 0;  ///< as dlsym
  virtual void before_fork() = 0;  ///< ranks look up no library that they have in common until after_fork
  virtual void after_fork(
      bool in_child) = 0;  ///< on the thread that called fork, in the parent and in the child
};

/// Streams of a rank. Null: the rank gets a new stream on descriptor 0, 1 or 2 of the process; so all ranks
/// but one should be given another input. Given streams stay the caller's, who closes them after the rank's
/// end unless the program has done so (see `open_streams` of the rank's process).
struct RankStreams {
  std::FILE* input = nullptr;
  std::FILE* output = nullptr;
  std::FILE* errors = nullptr;
};

struct RankEvents {
  /// Constructors have run, main has not; on the rank's first thread. May be empty.
  std::function<void(RankIdentity&)> before_main = {};
  // What follows: a rank ends otherwise than by a return from main; on the thread that causes the end.
  /// `exit` on another thread than the rank's first: handlers have run, the thread ends, the rank's first
  /// thread goes on until it returns. The layer above decides whether to end the job.
  std::function<void(const RankIdentity&, int status)> exit_on_other_thread;
};

struct ExitHandler {
  enum class Kind { with_argument, with_status } kind;
  void* call;
  void* argument;
  void* library;  ///< __dso_handle of the code that registered it, or null
};

struct RandomState {
  random_data generator{};
  std::array<char, 128> table{};
  drand48_data generator48{};
};

struct TimeState {
  std::tm calendar{};
  std::array<char, 64> text{};
  std::optional<std::string> zone;  ///< value of TZ when the rank last looked at it
};

struct OptionState {
  char* next_letter = nullptr;              ///< rest of a group of short options
  int first_operand = 1, last_operand = 1;  ///< operands skipped so far are [first, last)
  bool started = false;
};

struct ForkHandler {
  void (*before)();
  void (*in_parent)();
  void (*in_child)();
  void* library;  ///< as of ExitHandler
};

/// Results that libc returns in static memory.
struct LookupState {
  hostent host{};
  passwd user{};
  group user_group{};
  servent service{};
  protoent protocol{};
  mntent mount{};
  hsearch_data table{};
  std::vector<char> host_text, user_text, group_text, service_text, protocol_text, mount_text;
  std::array<char, 256> terminal{}, pseudoterminal{}, login{}, number{};
};

struct TextState {
  char* token = nullptr;
  std::array<char, L_tmpnam> temporary_name{};
  mbstate_t to_wide{}, from_wide{}, length{}, text_to_wide{}, text_from_wide{};
};

struct LocaleState {
  locale_t locale = nullptr;  ///< null: the process's
  std::array<std::string, 13> names;
  std::string all_names;
  lconv conventions{};
};

class RankProcess {
 public:
  /// On the rank's first thread.
  RankProcess(RankIdentity& identity, ImageServices& image, RankEvents events);
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  /// Before the image's variables are bound: where the rank's own variable is (`place` in a copy's data, or
  /// null).
  void place_variable(libc::Variable variable, void* place);
  void* variable_place(libc::Variable variable) const { return places_[static_cast<std::size_t>(variable)]; }

  /// On the rank's first thread, before any code of the rank.
  void enter(const std::vector<std::string>& environment, RankStreams streams);
  /// After the rank's end, on the same thread.
  void leave();

  /// As exit(3) for the rank: handlers, destructors, streams; then run() returns. On another thread than the
  /// first, that thread ends and the first goes on until it returns; the rank has the status of this call.
  [[noreturn]] void end(int status);
  [[noreturn]] void end_at_once(int status);
  void run_exit_handlers(int status);
  /// Lets the calling thread of the rank be its first one: runs program(), and ends the rank with what it
  /// returns or gives to exit. Returns the status, when only the jump out of the former first thread is left
  /// to do (end_at_once on that one, which does nothing meanwhile).
  int run_as_first_thread(const std::function<int()>& program);
  void finalize_library(void* library);  ///< runs and drops the handlers of one library, all for null
  void flush_streams();
  bool on_first_thread() const { return pthread_equal(first_thread, pthread_self()) != 0; }
  bool in_child_process() const;

  /// At the beginning and the end of each thread that the rank starts, on that thread.
  void begin_thread();
  /// For threads that it does not start itself; begin_thread does it.
  void begin_thread_variables() const;
  void end_thread();
  /// Whether code of the rank runs on no thread but its first one any more: those that have ended run
  /// destructors of their data when they are not counted any more.
  bool has_no_threads();
  /// What the threads of the rank have used since its program began.
  std::int64_t processor_time_ns();
  rusage usage();

  template <typename Type>
  Type& variable(libc::Variable which) const {
    return *static_cast<Type*>(places_[static_cast<std::size_t>(which)]);
  }
  char**& environment() const { return variable<char**>(libc::Variable::environment); }
  std::FILE*& input() const { return variable<std::FILE*>(libc::Variable::input); }
  std::FILE*& output() const { return variable<std::FILE*>(libc::Variable::output); }
  std::FILE*& errors() const { return variable<std::FILE*>(libc::Variable::errors); }

  RankIdentity& identity;
  ImageServices& image;
  RankEvents events;
  std::recursive_mutex lock;
  pthread_t first_thread{};
  pid_t process_id = 0, first_thread_id = 0;
  sigjmp_buf root;
  int status = 0;
  std::atomic<bool> ended_elsewhere{
      false};  ///< set by exit on another thread than the first; then the status of exit counts
  bool has_own_directory = false;
  std::vector<ThreadVariables> thread_variables;  ///< set before its first thread begins
  std::atomic<int> live_threads{0};               ///< started by the rank and not ended

  std::vector<ExitHandler> exit_handlers, quick_exit_handlers, thread_exit_handlers;
  std::vector<std::unique_ptr<char[]>>
      environment_strings;  ///< never freed before the rank's end, because getenv returns them
  std::vector<char*> environment_table;
  std::set<std::FILE*> open_streams;
  std::map<std::FILE*, pid_t> pipes;  ///< of popen
  std::vector<ForkHandler> fork_handlers;
  libc::ChildTable children;                             ///< without those of system and popen
  std::array<std::atomic<int>, 3> descriptors{0, 1, 2};  ///< what 0, 1, 2 mean for this rank; -1: closed
  using FileNumber = std::pair<dev_t, ino_t>;
  std::atomic<bool> has_lock_holders{false};
  std::map<FileNumber, int> lock_holders;  ///< open files that hold the rank's record locks
  bool is_child = false;  ///< this object is the copy in a child that the rank has made by fork
  std::array<struct sigaction, NSIG> signal_actions{};
  std::array<std::optional<timer_t>, 3> interval_timers;  ///< of setitimer, by its first argument
  std::set<pid_t> threads;                                ///< that live
  std::vector<pid_t> leaving_threads;                     ///< have ended, and may still run destructors
  struct {
    std::int64_t ns = 0;
    rusage usage{};
  } ended_threads;  ///< less what the first thread had used before
  RandomState random;
  TimeState time;
  OptionState options;
  LookupState lookup;
  TextState text;
  LocaleState locale;

 private:
  void begin_counting();
  static void* find_stack_end();
  void make_streams(const RankStreams& streams);
  struct OwnVariables {
    char** environment = nullptr;
    std::FILE *input = nullptr, *output = nullptr, *errors = nullptr;
    char* option_argument = nullptr;
    int option_index = 1, option_messages = 1, option_letter = '?', gamma_sign = 0;
    std::array<char*, 2> zone_names{};
    long zone_seconds = 0;
    int zone_daylight = 0;
    void* stack_end = nullptr;
  } own_;
  std::array<void*, libc::variable_count()> places_{};
  std::vector<char> signal_stack_;
};

namespace libc {

/// The caller's rank, or null on a thread of the node process itself.
inline RankProcess* self() noexcept {
  const RankIdentity* rank = current_rank();
  return rank ? rank->process : nullptr;
}

/// Ends the caller with a message naming `call`, a call that only ranks may make, when it runs in a child
/// that a rank has made by fork.
void refuse_in_child(const char* call);

/// Value of a variable in the rank's environment; null when it is not there.
const char* environment_value(const RankProcess& rank, const char* name) noexcept;

}  // namespace libc
}  // namespace taihu::memory
