// SPDX-License-Identifier: Apache-2.0
// narun: runs a program that nobody can rebuild with its large blocks of memory on the nodes of the threads
// that use them, by a preloaded library; tells where they are.
#include <elf.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/base/search_path.h"
#include "taihu/base/units.h"

namespace {

using namespace taihu;

struct Options {
  std::string place = "partition", min = "256K", after, after_bytes, observe, report, json, threads, pages,
              bind, log;
  std::vector<std::string> program;
};

constexpr const char* least_min = "64K";

/// The program and its words stand behind the options; for CLI11 they are a rest without a name.
struct UsageWithProgram final : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] program [arguments]\n";
  }
};

void declare(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "narun " TAIHU_VERSION);
  app.prefix_command();
  app.formatter(std::make_shared<UsageWithProgram>());
  app.add_option(
         "--place", options.place,
         "partition: large blocks in equal parts, one per thread, placed when\nthey are allocated (default); "
         "rebind: moved at the trigger; observe: moved to the threads that are seen\nto use them after the "
         "trigger; none: look only")
      ->type_name("HOW")
      ->check(CLI::IsMember({"partition", "rebind", "observe", "none"}));
  app.add_option("--min", options.min, "blocks from this size on are large (default 256K, at least 64K)")
      ->type_name("SIZE");
  app.add_option("--after", options.after,
                 "trigger: function of a library has returned, e.g. HYPRE_BoomerAMGSetup")
      ->type_name("FUNCTION");
  app.add_option("--after-bytes", options.after_bytes, "trigger: this much is in large blocks")
      ->type_name("SIZE");
  app.add_option("--observe", options.observe,
                 "with --place observe: seconds of the process's processor time to look (default 4)")
      ->type_name("SECONDS");
  app.add_flag("--report{stderr}", options.report,
               "tell where the pages of large blocks are, at the trigger (before\nand after moving) and at "
               "the end; "
               "=FILE: into a file, %p is the process")
      ->type_name("[=FILE]");
  app.add_option("--json", options.json,
                 "the same for programs (numa-model), of the trigger, else of the end")
      ->type_name("FILE");
  app.add_option("--threads", options.threads,
                 "number of threads to assume (default: those of OpenMP, else 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 65536).description(""));
  app.add_option("--pages", options.pages,
                 "small, transparent (huge where possible, default), huge (set aside)")
      ->type_name("KIND")
      ->check(CLI::IsMember({"small", "transparent", "huge"}));
  app.add_option("--bind", options.bind,
                 "bind OpenMP threads: close or spread (sets OMP_PROC_BIND, OMP_PLACES=cores)")
      ->type_name("HOW")
      ->check(CLI::IsMember({"close", "spread"}));
  app.add_flag("--log{stderr}", options.log, "tell every allocation, and why pages are not placed; =FILE")
      ->type_name("[=FILE]");
}

/// Spaces and colons end a name in LD_PRELOAD; nothing quotes them.
std::string preloadable(const std::string& library) {
  check_input(library.find_first_of(" :") == std::string::npos,
              library + " cannot be preloaded (its path has a space or a colon); move the installation");
  return library;
}

/// Where the preloaded library is: next to this program in the build tree and in an installation.
std::string preload_library() {
  namespace fs = std::filesystem;
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& place :
       {folder / "../lib/libnarun.so", folder / ".." / TAIHU_LIBRARY_FOLDER / "libnarun.so"})
    if (fs::exists(place)) return preloadable(fs::canonical(place).string());
  throw Error("libnarun.so is not in the folder lib beside " + folder.string() + "; install Taihu anew");
}

/// A program without an interpreter is loaded without us.
void refuse_static_program(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + static_cast<std::size_t>(i) * header.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment) || segment.p_type == PT_INTERP) return;
  }
  throw Error(file +
              " is statically linked (nothing can be preloaded); link it dynamically, or call naalloc in it");
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

/// The absolute path of a file that the preloaded library writes when the program ends; "%p" in it becomes
/// the number of the process.
std::string output(std::string file, const std::string& option, FileUse use) {
  if (file.empty() || file == "stderr") return file;
  const std::size_t process = file.find("%p");
  if (process == std::string::npos) return writable_file(file, option, use);
  writable_file(std::string(file).replace(process, 2, std::to_string(getpid())), option, use);
  return std::filesystem::absolute(file).string();
}

/// The value of --observe for the preloaded library.
std::string milliseconds(const std::string& seconds) {
  char* end = nullptr;
  const double value = std::strtod(seconds.c_str(), &end);
  if (seconds.empty() || *end != '\0' || !(value >= 0.1 && value <= 3600))
    throw UsageError("--observe " + seconds + " is not a number of seconds from 0.1 to 3600");
  return std::to_string(static_cast<long>(value * 1000));
}

/// Tells the preloaded library, which trusts the values.
void set_environment(const Options& options) {
  const std::int64_t min = size_option(options.min, "--min");
  if (min < parse_bytes(least_min, ""))
    throw UsageError("--min " + options.min + " is too small (small blocks are packed); give at least " +
                     least_min);
  set("NARUN_PLACE", options.place);
  set("NARUN_PROCESS", std::to_string(getpid()));  // that of the program, too
  set("NARUN_MIN", std::to_string(min));
  set("NARUN_AFTER", options.after);
  if (!options.after_bytes.empty())
    set("NARUN_AFTER_BYTES", std::to_string(size_option(options.after_bytes, "--after-bytes")));
  if (!options.observe.empty()) set("NARUN_OBSERVE", milliseconds(options.observe));
  set("NARUN_REPORT", output(options.report, "--report", FileUse::appended));
  set("NARUN_JSON", output(options.json, "--json", FileUse::replaced));
  set("NAALLOC_THREADS", options.threads);
  set("NAALLOC_PAGES", options.pages);
  set("NAALLOC_LOG", output(options.log, "--log", FileUse::appended));
  set("OMP_PROC_BIND", options.bind);
  if (!options.bind.empty()) setenv("OMP_PLACES", "cores", 0);
  const char* others = getenv("LD_PRELOAD");
  set("LD_PRELOAD",
      preload_library() + (others == nullptr || *others == '\0' ? "" : std::string(":") + others));
}

void check(const Options& options) {
  if (options.program.empty()) throw UsageError("no program is given; narun [options] PROGRAM [arguments]");
  const bool at_trigger = options.place == "rebind" || options.place == "observe";
  if (at_trigger && options.after.empty() && options.after_bytes.empty())
    throw UsageError(
        "--place " + options.place +
        " needs to know when; add --after FUNCTION (of OpenMP: GOMP_parallel) or --after-bytes SIZE");
  if (!options.observe.empty() && options.place != "observe")
    throw UsageError("--observe goes with --place observe");
#if !defined(__x86_64__)
  if (options.place == "observe")
    throw UsageError("--place observe works on x86-64 only; use --place rebind");
  if (!options.after.empty()) throw UsageError("--after works on x86-64 only; use --after-bytes SIZE");
#endif
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Runs a program with its large blocks of memory on the nodes of its threads", "narun");
  declare(app, options);
  if (!parse_command_line(app, argc, argv)) return 0;
  options.program = app.remaining();
  if (!options.program.empty()) refuse_option(app, options.program.front());
  if (!options.program.empty() && options.program.front() == "--")
    options.program.erase(options.program.begin());
  check(options);
  const std::string& name = options.program.front();
  const std::string file = find_in_path(name);
  if (file.empty()) {
    const bool is_there = name.find('/') != std::string::npos && access(name.c_str(), F_OK) == 0;
    throw Error("cannot run " + name + " (" + strerror(is_there ? EACCES : ENOENT) + ")");
  }
  refuse_static_program(file);
  set_environment(options);
  std::vector<char*> arguments;
  for (std::string& word : options.program) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw system_error("cannot run " + file, errno);
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("narun", [&] { return run(argc, argv); });
}
