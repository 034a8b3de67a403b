// SPDX-License-Identifier: Apache-2.0
// CLI11 parses the options, but this file first finds where they end: CLI11 would take options of the user's
// program for options of the launcher, and it cannot read the single-dash words of MPI launchers (-np, -wdir,
// -genv).
#include "taihu/launch/command_line.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <memory>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/base/nearest.h"
#include "taihu/base/program_options.h"
#include "taihu/launch/mpirun_words.h"

namespace taihu::launch {
namespace {

/// The texts that CLI11 fills before they become types.
struct Texts {
  std::string bind = "auto", mpi = "auto", debugger;
  std::vector<std::string> environment, genv, hosts;
};

std::string whole_number(const std::string& text, long long least) {
  long long value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good =
      error == std::errc() && end == text.data() + text.size() && value >= least && value <= INT_MAX;
  return good ? "" : "'" + text + "' is not a whole number from " + std::to_string(least) + " on";
}

const CLI::Validator from_one([](std::string& text) { return whole_number(text, 1); }, "");

void repeatable(CLI::App& app, const char* name, std::vector<std::string>& values, const char* help,
                const char* type) {
  app.add_option(name, values, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// CLI11 does not know of the program behind the options.
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(const LaunchCommand& command) : command_(command) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return std::string("Usage: ") + command_.name + " [options] program [arguments]\n";
  }

 private:
  const LaunchCommand& command_;
};

const CLI::Validator seconds_above_zero(
    [](std::string& text) {
      char* end = nullptr;
      const double seconds = std::strtod(text.c_str(), &end);
      const bool good = !text.empty() && *end == '\0' && seconds > 0 && seconds < 1e9;
      return good ? std::string() : "'" + text + "' is not a number of seconds above 0";
    },
    "");

bool is_mpi(const LaunchCommand& command) {
  return command.language == LaunchCommand::Language::mpi;
}

void add_scope_options(CLI::App& app, JobParameters& job) {
  const auto number = [&app](const char* names, int& value, const char* help) {
    app.add_option(names, value, help)->type_name("N")->check(from_one);
  };
  number("--node", job.scopes.node, "ranks of CCC_NODE (default: those of a NUMA node)");
  number("--bnode", job.scopes.bnode, "ranks of CCC_BNODE (default: those of a node)");
  app.add_option("--task-deadline", job.task_deadline_seconds,
                 "after this time get_task_id hands out no more tasks")
      ->type_name("SECONDS")
      ->check(seconds_above_zero);
  app.add_option("--task-progress", job.task_progress_seconds,
                 "say so often how many tasks get_task_id has handed out, and when it will be done")
      ->type_name("SECONDS")
      ->check(seconds_above_zero);
  app.add_option("--restart", job.restart, "go on from a checkpoint that the program saved (m_checkpoint)")
      ->type_name("FILE");
  number("--snode", job.scopes.snode, "ranks of CCC_SNODE (default: those of a leaf switch, else all)");
}

void add_mpi_options(CLI::App& app, RunOptions& options) {
  JobParameters& job = options.job;
  app.add_option("--ppn", options.ranks_per_node,
                 "ranks on every node; must be what dealing them evenly gives; also -ppn, -N")
      ->type_name("N")
      ->check(from_one);
  app.add_option("--universe-size", job.universe,
                 "most ranks that there may be, those that MPI_Comm_spawn starts included")
      ->type_name("N")
      ->check(from_one);
  app.add_flag("--genvall", options.forward_all, "forward all variables to other nodes; also -genvall");
  app.add_option("--trace", job.trace, "write the calls and messages of all ranks, for trace viewers")
      ->type_name("FILE");
  app.add_option("--trace-collectives", job.trace_collectives, "write a line of JSON per collective call")
      ->type_name("FILE");
}

void add_shape_options(CLI::App& app, const LaunchCommand& command, JobParameters& job) {
  const auto number = [&app](const char* names, int& value, const char* help) {
    app.add_option(names, value, help)->type_name("N")->check(from_one);
  };
  number("-n,--np", job.ranks, "number of ranks (default 1)");
  number("--threads", job.threads,
         is_mpi(command) ? "cores for each rank and its threads (default: cores / ranks, at least 1)"
                         : "accelerator threads per rank (default: cores / ranks, at least 1)");
  if (!is_mpi(command)) add_scope_options(app, job);
  number("--processes-per-node", job.processes_per_node, "node processes on every node (default 1)");
  app.add_flag("--emulate-nodes", job.emulate_nodes,
               is_mpi(command) ? "each node process counts as a node"
                               : "each node process counts as a node, to try scopes on one machine");
  repeatable(app, "--private-library", job.private_libraries,
             "library that every rank gets a copy of; repeatable", "NAME");
}

void add_place_options(CLI::App& app, RunOptions& options, Texts& texts) {
  app.add_option("--bind", texts.bind, "core, numa, none or auto (default: core when there are enough)")
      ->type_name("HOW");
  app.add_flag("--report-bindings", options.job.report_bindings, "print the cpus of every rank");
  repeatable(app, "--host", texts.hosts,
             "comma-separated nodes; counts (a:4) are ignored; also -host, -hosts", "LIST");
  app.add_option("--hostfile", options.host_file,
                 "one node per line; counts are ignored; also -hostfile, -machinefile")
      ->type_name("FILE");
  app.add_option("--wdir", options.working_directory,
                 "working directory, %r in it stands for the rank; also -wdir")
      ->type_name("DIR");
  app.add_option("--mpi", texts.mpi,
                 "what joins node processes: openmpi, mpich, slurm, none or auto (default)")
      ->type_name("KIND");
  app.add_option("--launcher", options.launcher, "program that starts node processes (mpirun, mpiexec, srun)")
      ->type_name("PATH");
}

void add_run_options(CLI::App& app, RunOptions& options, Texts& texts) {
  repeatable(app, "-x", texts.environment, "forward a variable, or set it for the job; repeatable",
             "NAME[=VALUE]");
  repeatable(app, "--genv", texts.genv, "the same; also -genv NAME VALUE", "NAME=VALUE");
  app.add_option("--argv0", options.job.program_name, "what the program finds as its own name, argv[0]")
      ->type_name("NAME");
  app.add_flag("--tag-output", options.job.tag_output, "start every line of output with its rank");
  app.add_option("--timeout", options.timeout_seconds, "end the job after this time")
      ->type_name("SECONDS")
      ->check(seconds_above_zero);
  app.add_flag("--stats", options.job.stats, "print counts of messages and waiting times at the end");
  app.add_option("--deadlock-timeout", options.job.deadlock_timeout_seconds,
                 "when all ranks wait for so long, say for whom and end the job")
      ->type_name("SECONDS")
      ->check(seconds_above_zero);
  app.add_option("--node-timeout", options.job.node_timeout_seconds,
                 "end the job when a node process has been silent for so long; 0: never (default 300)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e9).description(""));
  app.add_option("--debugger", texts.debugger,
                 "run the only node process under these words, such as \"gdb --args\"")
      ->type_name("WORDS");
  app.add_flag("--dry-run", options.dry_run, "print the command line and run nothing");
  app.add_flag("--verbose", options.job.verbose, "say what is started, and where");
}

std::vector<std::string> accepted_names(const CLI::App& app) {
  std::vector<std::string> names = option_names(app);
  for (const char* name : {"-np", "-host", "-hosts", "-hostfile", "-machinefile", "-wdir", "-genv"})
    names.emplace_back(name);
  return names;
}

/// The words up to the program, in CLI11's spelling, and where the program starts.
struct SplitWords {
  std::vector<std::string> options;
  std::size_t program = 0;
  bool ended_by_dashes = false;
};

std::string next_value(const LaunchCommand& command, const std::vector<std::string>& words, std::size_t& at,
                       const std::string& option) {
  if (at >= words.size())
    throw UsageError(option + " needs a value; see " + std::string(command.name) + " --help");
  return words[at++];
}

/// The option that `name` means; throws UsageError when there is none.
const CLI::Option& find_option(const CLI::App& app, const LaunchCommand& command, const std::string& written,
                               const std::string& name) {
  if (is_mpi(command))
    if (const char* reason = reason_to_refuse(written)) throw UsageError(written + ": " + reason);
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr)
    throw UsageError("unknown option " + written + suggestion(written, accepted_names(app)));
  return *option;
}

SplitWords split_words(const CLI::App& app, const LaunchCommand& command,
                       const std::vector<std::string>& words) {
  SplitWords split;
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
    const std::string word = words[at++];
    if (word == "--") {
      split.ended_by_dashes = true;
      break;
    }
    const std::size_t equals = word.find('=');
    if (is_mpi(command) && asks_for_nothing(word)) continue;
    const std::string name(our_spelling(word.substr(0, equals), is_mpi(command)));
    if (find_option(app, command, word.substr(0, equals), name).get_items_expected_max() == 0) {
      if (equals != word.npos) throw UsageError(name + " takes no value");
      split.options.push_back(name);
      continue;
    }
    std::string value = equals != word.npos ? word.substr(equals + 1) : next_value(command, words, at, word);
    if (word == "-genv" || word == "-env") value += "=" + next_value(command, words, at, word);
    split.options.push_back(name);
    split.options.push_back(value);
  }
  split.program = at;
  return split;
}

LauncherChoice parse_launcher_choice(const std::string& text) {
  for (auto [name, choice] : {std::pair{"auto", LauncherChoice::automatic},
                              {"openmpi", LauncherChoice::openmpi},
                              {"mpich", LauncherChoice::mpich},
                              {"slurm", LauncherChoice::slurm},
                              {"none", LauncherChoice::none}})
    if (text == name) return choice;
  throw UsageError("unknown --mpi '" + text + "'; use openmpi, mpich, slurm, none or auto");
}

void read_environment_option(const std::string& text, RunOptions& options) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) throw UsageError("-x needs the name of a variable, found '" + text + "'");
  if (equals == text.npos)
    options.forwarded.push_back(name);
  else
    options.assignments.emplace_back(name, text.substr(equals + 1));
}

void read_hosts(const std::vector<std::string>& lists, RunOptions& options) {
  for (const std::string& list : lists) {
    std::istringstream stream(list);
    for (std::string host; std::getline(stream, host, ',');) {
      host = host.substr(0, host.find(':'));
      if (host.empty()) throw UsageError("--host has an empty name in '" + list + "'");
      if (std::find(options.hosts.begin(), options.hosts.end(), host) == options.hosts.end())
        options.hosts.push_back(host);
    }
  }
}

void read_texts(const Texts& texts, RunOptions& options) {
  options.job.bind = parse_bind_policy(texts.bind);
  options.mpi = parse_launcher_choice(texts.mpi);
  for (const std::string& text : texts.environment) read_environment_option(text, options);
  for (const std::string& text : texts.genv) read_environment_option(text, options);
  read_hosts(texts.hosts, options);
  for (const std::string& name : options.job.private_libraries)
    if (name.empty() || name.find_first_of(":/") != name.npos)
      throw UsageError("--private-library '" + name +
                       "' is not the beginning of a library's name, such as libhdf5");
  if (!options.hosts.empty() && !options.host_file.empty())
    throw UsageError("give --host or --hostfile, not both");
  std::istringstream debugger(texts.debugger);
  for (std::string word; debugger >> word;) options.debugger.push_back(word);
}

void refuse_universe(const JobParameters& job) {
  constexpr int most = 1 << 24;  // node processes keep some 100 bytes for each
  if (job.universe == 0) return;
  if (job.universe > most)
    throw UsageError("--universe-size " + std::to_string(job.universe) + " is above " + std::to_string(most));
  if (job.universe < job.ranks)
    throw UsageError("--universe-size " + std::to_string(job.universe) + " is below the " +
                     std::to_string(job.ranks) + " ranks that start");
}

/// A single colon separates the programs of a job (MPI-5.0, chapter 11, mpiexec).
void refuse_several_programs(const std::vector<std::string>& words, std::size_t program) {
  if (std::find(words.begin() + static_cast<std::ptrdiff_t>(program), words.end(), ":") != words.end())
    throw UsageError(
        "several programs in one job (':') are not supported; when ':' is an argument of the program, put -- "
        "before the program");
}

}  // namespace

const LaunchCommand parcrun_command = {LaunchCommand::Language::parallel_c, "parcrun",
                                       "Runs a Parallel C program as ranks in node processes", "parcc",
                                       "parallelc-node"};
const LaunchCommand marun_command = {LaunchCommand::Language::mpi, "marun",
                                     "Runs an MPI program as ranks that are threads of node processes",
                                     "macc", "mpi-node"};

RunOptions parse_run(const LaunchCommand& command, const std::vector<std::string>& words,
                     const std::string& version) {
  RunOptions options;
  Texts texts;
  CLI::App app(command.description, command.name);
  app.formatter(std::make_shared<HelpText>(command));
  app.set_version_flag("--version", version);
  add_shape_options(app, command, options.job);
  add_place_options(app, options, texts);
  add_run_options(app, options, texts);
  if (is_mpi(command)) {
    add_mpi_options(app, options);
  } else {
    app.add_option("--trace", options.job.trace, "write all calls and kernels, for trace viewers")
        ->type_name("FILE");
  }
  app.get_formatter()->column_width(30);
  app.footer(
      "Exit code: that of the ranks; 1 the job cannot be started, 2 wrong options, 124 --timeout,\n"
      "128 + N a rank crashed by signal N");

  SplitWords split = split_words(app, command, words);
  std::reverse(split.options.begin(), split.options.end());  // CLI11 reads them from the end
  try {
    app.parse(split.options);
  } catch (const CLI::CallForHelp&) {
    options.text_to_print = app.help();
    return options;
  } catch (const CLI::CallForVersion&) {
    options.text_to_print = version + "\n";
    return options;
  } catch (const CLI::ParseError& error) {
    throw UsageError(
        with_written_name(app, option_mistake(error.what()),
                          {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(split.program)}));
  }
  read_texts(texts, options);
  refuse_universe(options.job);
  if (split.program >= words.size())
    throw UsageError("no program given; " + std::string(command.name) + " [options] program [arguments]");
  if (is_mpi(command) && !split.ended_by_dashes) refuse_several_programs(words, split.program);
  options.job.program = words[split.program];
  options.job.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(split.program) + 1, words.end());
  return options;
}

}  // namespace taihu::launch
