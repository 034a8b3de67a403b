// SPDX-License-Identifier: Apache-2.0
// CLI11 parses the options, but where they end is decided before: it would take options of the user's program
// for its own, and it cannot read the single-dash words that MPI launchers have always had (-np, -wdir,
// -genv).
#include "taihu/launch/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <memory>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/launch/nearest.h"

namespace taihu::launch {
namespace {

struct Alias {
  const char* spelling;
  const char* option;
};
constexpr std::array aliases = {Alias{"-np", "-n"},
                                Alias{"-host", "--host"},
                                Alias{"-hosts", "--host"},
                                Alias{"-hostfile", "--hostfile"},
                                Alias{"-machinefile", "--hostfile"},
                                Alias{"-wdir", "--wdir"},
                                Alias{"-genv", "--genv"}};

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
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: parcrun [options] program [arguments]\n";
  }
};

void add_shape_options(CLI::App& app, JobParameters& job) {
  const auto number = [&app](const char* names, int& value, const char* help) {
    app.add_option(names, value, help)->type_name("N")->check(from_one);
  };
  number("-n,--np", job.ranks, "number of ranks (default 1)");
  number("--threads", job.threads, "accelerator threads per rank (default: cores / ranks, at least 1)");
  number("--node", job.scopes.node, "ranks of CCC_NODE (default: those of a NUMA node)");
  number("--bnode", job.scopes.bnode, "ranks of CCC_BNODE (default: those of a node)");
  number("--snode", job.scopes.snode, "ranks of CCC_SNODE (default: those of a leaf switch, else all)");
  number("--processes-per-node", job.processes_per_node, "node processes on every node (default 1)");
  app.add_flag("--emulate-nodes", job.emulate_nodes,
               "each node process counts as a node, to try scopes on one machine");
  repeatable(app, "--private-library", job.private_libraries,
             "library that every rank gets a copy of; repeatable", "NAME");
}

void add_place_options(CLI::App& app, ParcrunOptions& options, Texts& texts) {
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

void add_run_options(CLI::App& app, ParcrunOptions& options, Texts& texts) {
  repeatable(app, "-x", texts.environment, "forward a variable, or set it for the job; repeatable",
             "NAME[=VALUE]");
  repeatable(app, "--genv", texts.genv, "the same; also -genv NAME VALUE", "NAME=VALUE");
  app.add_flag("--tag-output", options.job.tag_output, "start every line of output with its rank");
  app.add_option("--timeout", options.timeout_seconds, "end the job after this time")
      ->type_name("SECONDS")
      ->check(CLI::Validator(
          [](std::string& text) {
            char* end = nullptr;
            const double seconds = std::strtod(text.c_str(), &end);
            const bool good = !text.empty() && *end == '\0' && seconds > 0 && seconds < 1e9;
            return good ? std::string() : "'" + text + "' is not a number of seconds above 0";
          },
          ""));
  app.add_option("--debugger", texts.debugger,
                 "run the only node process under these words, such as \"gdb --args\"")
      ->type_name("WORDS");
  app.add_flag("--dry-run", options.dry_run, "print the command line and run nothing");
  app.add_flag("--verbose", options.job.verbose, "say what is started, and where");
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  for (const Alias& alias : aliases) names.emplace_back(alias.spelling);
  return names;
}

/// The words up to the program, in CLI11's spelling, and where the program starts.
struct SplitWords {
  std::vector<std::string> options;
  std::size_t program = 0;
};

std::string next_value(const std::vector<std::string>& words, std::size_t& at, const std::string& option) {
  if (at >= words.size()) throw UsageError(option + " needs a value; see parcrun --help");
  return words[at++];
}

SplitWords split_words(const CLI::App& app, const std::vector<std::string>& words) {
  SplitWords split;
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
    const std::string word = words[at++];
    if (word == "--") break;
    const std::size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    for (const Alias& alias : aliases)
      if (name == alias.spelling) name = alias.option;
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr)
      throw UsageError("unknown option " + word.substr(0, equals) + suggestion(name, option_names(app)));
    if (option->get_items_expected_max() == 0) {
      if (equals != word.npos) throw UsageError(name + " takes no value");
      split.options.push_back(name);
      continue;
    }
    std::string value = equals != word.npos ? word.substr(equals + 1) : next_value(words, at, word);
    if (word == "-genv") value += "=" + next_value(words, at, word);
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

void read_environment_option(const std::string& text, ParcrunOptions& options) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) throw UsageError("-x needs the name of a variable, found '" + text + "'");
  if (equals == text.npos)
    options.forwarded.push_back(name);
  else
    options.assignments.emplace_back(name, text.substr(equals + 1));
}

void read_hosts(const std::vector<std::string>& lists, ParcrunOptions& options) {
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

void read_texts(const Texts& texts, ParcrunOptions& options) {
  options.job.bind = parse_bind_policy(texts.bind);
  options.mpi = parse_launcher_choice(texts.mpi);
  for (const std::string& text : texts.environment) read_environment_option(text, options);
  for (const std::string& text : texts.genv) read_environment_option(text, options);
  read_hosts(texts.hosts, options);
  if (!options.hosts.empty() && !options.host_file.empty())
    throw UsageError("give --host or --hostfile, not both");
  std::istringstream debugger(texts.debugger);
  for (std::string word; debugger >> word;) options.debugger.push_back(word);
}

}  // namespace

ParcrunOptions parse_parcrun(const std::vector<std::string>& words, const std::string& version) {
  ParcrunOptions options;
  Texts texts;
  CLI::App app("Runs a Parallel C program as ranks in node processes", "parcrun");
  app.formatter(std::make_shared<HelpText>());
  app.set_version_flag("--version", version);
  add_shape_options(app, options.job);
  add_place_options(app, options, texts);
  add_run_options(app, options, texts);
  app.get_formatter()->column_width(30);
  app.footer(
      "Exit code: that of the ranks; 1 the job cannot be started, 2 wrong options, 124 --timeout,\n"
      "128 + N a rank crashed by signal N");

  SplitWords split = split_words(app, words);
  std::reverse(split.options.begin(), split.options.end());  // CLI11 takes them from the back
  try {
    app.parse(split.options);
  } catch (const CLI::CallForHelp&) {
    options.text_to_print = app.help();
    return options;
  } catch (const CLI::CallForVersion&) {
    options.text_to_print = version + "\n";
    return options;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  read_texts(texts, options);
  if (split.program >= words.size())
    throw UsageError("no program given; parcrun [options] program [arguments]");
  options.job.program = words[split.program];
  options.job.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(split.program) + 1, words.end());
  return options;
}

}  // namespace taihu::launch
