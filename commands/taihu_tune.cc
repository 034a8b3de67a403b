// SPDX-License-Identifier: Apache-2.0
// taihu-tune: measures on this machine the sizes at which the runtime changes its ways, and writes those that
// are better than the defaults into the table that parcrun and marun read.
//
// For each size it looks at the next smaller and the next larger power of two, and goes on in the direction
// that gains. Two values are compared by jobs in alternation, at message lengths that they treat differently.
// The present value stays unless the other one wins clearly (launch/tuning_comparison.h). Sizes of
// collectives are those of four node processes; more of them are treated differently at as many bytes for
// each (schedule/plain_choice.h).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taihu/abi/host_loops.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/base/shell_word.h"
#include "taihu/launch/run_and_read.h"
#include "taihu/launch/tuning_comparison.h"
#include "taihu/launch/tuning_table.h"
#include "taihu/message/tuning.h"
#include "taihu/schedule/plain_choice.h"

namespace {

using namespace taihu;

/// Steps of a factor of two away from the default.
constexpr int most_steps = 3;

enum class Place { inside_node_process, between_node_processes };

struct Setting {
  const char* variable;
  std::size_t otherwise;  ///< the default
  const char* kind;       ///< of tune-ranks
  Place place;
  bool counts_from_here;  ///< lengths from the value on are treated otherwise; else those above it
  const char* meaning;
};

constexpr message::Tuning messages;
constexpr schedule::LongBytes collectives;

constexpr Setting settings[] = {{"TAIHU_EAGER_BYTES", messages.eager_bytes, "send",
                                 Place::inside_node_process, false, "messages copied twice, at once"},
                                {"TAIHU_PUSHED_BYTES", messages.pushed_bytes, "send",
                                 Place::inside_node_process, false, "the same to a waiting receiver"},
                                {"TAIHU_PUSHED_STREAM_BYTES", messages.pushed_stream_bytes, "stream",
                                 Place::inside_node_process, false, "the same in streams"},
                                {"TAIHU_SHARED_COPY_BYTES", messages.shared_copy_bytes, "send",
                                 Place::inside_node_process, true, "both sides copy"},
                                {"TAIHU_LONG_BCAST_BYTES", collectives.bcast, "bcast",
                                 Place::between_node_processes, true, "bcast in parts"},
                                {"TAIHU_LONG_ALLGATHER_BYTES", collectives.allgather, "allgather",
                                 Place::between_node_processes, true, "allgather by a ring"},
                                {"TAIHU_LONG_ALLREDUCE_BYTES", collectives.allreduce, "allreduce",
                                 Place::between_node_processes, true, "allreduce by a ring"},
                                {"TAIHU_LOOKED_UP_BYTES", TAIHU_LOOKED_UP_BYTES_DEFAULT, "look_up",
                                 Place::inside_node_process, true, "look-ups fetched ahead"},
                                {"TAIHU_STORED_BYTES", TAIHU_STORED_BYTES_DEFAULT, "store",
                                 Place::inside_node_process, true, "stores past the caches"}};

struct Options {
  std::string output;
  std::vector<std::string> only, job_words;
  int rounds = 9;
  int processes = 4;
  bool system = false, keep = false, crowded = false;
};

std::filesystem::path own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// Of a collective between so many node processes: from how many times its size on it goes by a ring.
std::size_t times_to_ring(const Options& options, const Setting& setting) {
  if (setting.place == Place::inside_node_process) return 1;
  using schedule::Collective;
  const auto processes = static_cast<std::size_t>(options.processes);
  const std::string_view kind = setting.kind;
  const Collective collective = kind == "bcast"       ? Collective::bcast
                                : kind == "allgather" ? Collective::allgather
                                                      : Collective::allreduce;
  const std::size_t ring =
      schedule::plain_range(collective, options.processes, schedule::PlainRange::no_end).first;
  const std::size_t bytes = collective == Collective::allgather ? ring * processes : ring;
  return std::max<std::size_t>(1, bytes / setting.otherwise);
}

/// Lengths that two values treat differently.
std::vector<std::size_t> lengths_between(const Options& options, const Setting& setting, std::size_t one,
                                         std::size_t other) {
  const std::size_t times = times_to_ring(options, setting);
  const std::size_t low = std::min(one, other) * times, high = std::max(one, other) * times;
  const std::size_t middle = (low + high) / 2;
  return setting.counts_from_here ? std::vector{low, middle} : std::vector{middle, high};
}

/// Seconds for each length, of one job with `value`.
std::vector<double> measure(const Options& options, const Setting& setting, std::size_t value,
                            const std::vector<std::size_t>& lengths) {
  const std::filesystem::path bin = own_folder();
  std::vector<std::string> command{"/usr/bin/env"};
  // Values that the user has set would be taken for the defaults.
  for (const std::string_view name : launch::tunable_variables())
    command.insert(command.end(), {"-u", std::string(name)});
  command.emplace_back("TAIHU_TUNING=off");
  // A default may be more than one value, as of near and far cores: it is measured as it is.
  if (value != setting.otherwise) command.push_back(formatted("%s=%zu", setting.variable, value));
  command.insert(command.end(), {bin / "marun", "--timeout", "120", "-n"});
  if (setting.place == Place::inside_node_process) {
    command.emplace_back("2");
  } else {
    const std::string processes = std::to_string(options.processes);
    command.insert(command.end(), {processes, "--processes-per-node", processes, "--emulate-nodes"});
    command.insert(command.end(), options.job_words.begin(), options.job_words.end());
  }
  command.insert(command.end(), {bin.parent_path() / "libexec/taihu/tune-ranks", setting.kind});
  for (const std::size_t length : lengths) command.push_back(std::to_string(length));
  const launch::CommandOutput said = launch::run_and_read(command);
  std::vector<double> seconds;
  std::istringstream words(said.text);
  for (double one = 0; words >> one;) seconds.push_back(one);
  if (said.succeeded && seconds.size() == lengths.size()) return seconds;
  std::string line;
  for (const std::string& word : command) line += " " + shell_word(word);
  throw Error("a measuring job failed (" + said.text.substr(0, said.text.find('\n')) + "); try:" + line);
}

launch::TuningComparison compare(const Options& options, const Setting& setting, std::size_t present,
                                 std::size_t other) {
  const std::vector<std::size_t> lengths = lengths_between(options, setting, present, other);
  std::vector<launch::TimedPair> pairs;
  for (int round = 0; round < options.rounds; ++round) {
    launch::TimedPair pair;
    if (round % 2 == 0) pair.present = measure(options, setting, present, lengths);
    pair.other = measure(options, setting, other, lengths);
    if (round % 2 != 0) pair.present = measure(options, setting, present, lengths);
    pairs.push_back(std::move(pair));
  }
  return launch::compare_pairs(pairs);
}

/// Goes from the default in steps of `factor` as long as they gain; returns the value, and tells each step.
std::size_t tune(const Options& options, const Setting& setting) {
  std::size_t present = setting.otherwise;
  for (const double factor : {2.0, 0.5}) {
    for (int step = 0; step < most_steps; ++step) {
      const auto other = static_cast<std::size_t>(static_cast<double>(present) * factor);
      if (std::string_view(setting.variable) == "TAIHU_EAGER_BYTES" && other > message::largest_eager_bytes())
        break;
      const launch::TuningComparison found = compare(options, setting, present, other);
      std::printf("  %zu against %zu: %+.1f %% of the time, faster in %.0f %% of %d pairs: %s\n", other,
                  present, 100 * (found.ratio - 1), 100 * found.wins, options.rounds,
                  found.is_better() ? "taken" : "not taken");
      std::fflush(stdout);
      if (!found.is_better()) break;
      present = other;
    }
    if (present != setting.otherwise) break;
  }
  return present;
}

/// Why a setting cannot be measured here; "" when it can.
std::string reason_to_skip(const Options& options, const Setting& setting) {
  if (!TAIHU_HAS_STORES_PAST_CACHES && std::string_view(setting.kind) == "store")
    return "parcc makes no stores past the caches for this processor";
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int needed = setting.place == Place::inside_node_process ? 2 : options.processes;
  const bool is_elsewhere = setting.place == Place::between_node_processes && !options.job_words.empty();
  if (options.crowded || is_elsewhere || cores >= needed) return "";
  return formatted("%d ranks need a core each, and there are %ld; --crowded measures all the same", needed,
                   cores);
}

bool is_wanted(const Options& options, const Setting& setting) {
  return options.only.empty() || std::ranges::find(options.only, setting.variable) != options.only.end();
}

std::string destination(const Options& options) {
  std::string file = options.output;
  if (file.empty()) file = options.system ? launch::tuning_file_of_system() : launch::tuning_file_of_user();
  check_input(!file.empty(), "there is no home folder for the table; give --output FILE or --system");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) make_writable_folder(folder.string());
  return writable_file(file, options.output.empty() ? "" : "--output");
}

void declare(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "taihu-tune " TAIHU_VERSION);
  app.add_option("--output", options.output,
                 "write the table here (default: the user's, ~/.config/taihu/tuning)")
      ->type_name("FILE");
  app.add_flag("--system", options.system, "write the table of all users, /etc/taihu/tuning");
  app.add_flag("--dry-run", options.keep, "measure and tell, write nothing");
  app.add_option("--only", options.only, "measure these variables alone; others keep their defaults")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--rounds", options.rounds, "pairs of jobs for each comparison (default 9)")
      ->type_name("N")
      ->check(CLI::Range(3, 1000).description(""));
  app.add_option("--processes", options.processes, "node processes of collectives (default 4)")
      ->type_name("N")
      ->check(CLI::Range(3, 1024).description(""));
  app.add_flag("--crowded", options.crowded, "measure also what has more ranks than there are cores");
  app.footer("Behind -- may stand options of marun for jobs of several node processes, such as hosts");
}

/// Takes the words behind "--" away from those of the command line: options of marun for jobs.
int take_job_words(int argc, char** argv, Options& options) {
  char** const end = argv + argc;
  char** const dashes =
      std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
  if (dashes == end) return argc;
  options.job_words.assign(dashes + 1, end);
  if (!options.job_words.empty() && !options.job_words.front().starts_with("-"))
    throw UsageError("behind -- are options of marun, and '" + options.job_words.front() + "' is none");
  return static_cast<int>(dashes - argv);
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Measures the sizes at which Taihu changes its ways and writes the table that parcrun and marun read",
      "taihu-tune");
  declare(app, options);
  argc = take_job_words(argc, argv, options);
  if (!parse_command_line(app, argc, argv)) return 0;
  for (const std::string& name : options.only)
    if (std::ranges::none_of(settings, [&](const Setting& setting) { return name == setting.variable; }))
      throw UsageError("--only knows no variable '" + name + "'; taihu-info --settings lists them");
  if (options.system && !options.output.empty()) throw UsageError("give --system or --output, not both");
  const std::string file = options.keep ? std::string() : destination(options);
  launch::TuningTable table{launch::processor_name(), {}};
  std::vector<std::string> remarks{"written by taihu-tune " TAIHU_VERSION};
  for (const Setting& setting : settings) {
    if (!is_wanted(options, setting)) continue;
    std::printf("%s (%s), default %zu\n", setting.variable, setting.meaning, setting.otherwise);
    const std::string reason = reason_to_skip(options, setting);
    if (!reason.empty()) {
      std::printf("  left at its default: %s\n", reason.c_str());
      continue;
    }
    const std::size_t value = tune(options, setting);
    std::printf("  %s %zu\n", value == setting.otherwise ? "stays" : "becomes", value);
    if (value != setting.otherwise) table.values.emplace_back(setting.variable, std::to_string(value));
  }
  if (options.keep) return 0;
  write_file(file, launch::to_text(table, remarks));
  std::printf("%s: %zu of the sizes differ from the defaults\n", file.c_str(), table.values.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("taihu-tune", [&] { return run(argc, argv); });
}
