// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/mpirun_words.h"

#include <algorithm>
#include <array>

namespace taihu::launch {
namespace {

using std::string_view;

struct Alias {
  string_view spelling;
  string_view option;
};

/// Of both commands.
constexpr std::array common = {Alias{"-np", "-n"},
                               Alias{"-host", "--host"},
                               Alias{"-hosts", "--host"},
                               Alias{"-hostfile", "--hostfile"},
                               Alias{"-machinefile", "--hostfile"},
                               Alias{"-wdir", "--wdir"},
                               Alias{"-genv", "--genv"}};

constexpr std::array of_mpirun_only = {Alias{"-c", "-n"},
                                       Alias{"-H", "--host"},
                                       Alias{"-f", "--hostfile"},
                                       Alias{"--machinefile", "--hostfile"},
                                       Alias{"-wd", "--wdir"},
                                       Alias{"--wd", "--wdir"},
                                       Alias{"-env", "--genv"},
                                       Alias{"-genvall", "--genvall"},
                                       Alias{"-envall", "--genvall"},
                                       Alias{"-ppn", "--ppn"},
                                       Alias{"-perhost", "--ppn"},
                                       Alias{"-N", "--ppn"},
                                       Alias{"-npernode", "--ppn"},
                                       Alias{"--npernode", "--ppn"},
                                       Alias{"-bind-to", "--bind"},
                                       Alias{"--bind-to", "--bind"},
                                       Alias{"-report-bindings", "--report-bindings"},
                                       Alias{"-l", "--tag-output"},
                                       Alias{"-prepend-rank", "--tag-output"},
                                       Alias{"-tag-output", "--tag-output"},
                                       Alias{"-timeout", "--timeout"},
                                       Alias{"-v", "--verbose"},
                                       Alias{"-verbose", "--verbose"},
                                       Alias{"-V", "--version"},
                                       Alias{"-version", "--version"},
                                       Alias{"-help", "--help"}};

constexpr std::array<string_view, 9> without_effect = {
    "--oversubscribe", "-oversubscribe", "--allow-fork", "--allow-run-as-root", "-allow-run-as-root",
    "--quiet",         "-quiet",         "-q",           "--no-ompi-server"};

struct Refusal {
  string_view word;
  const char* reason;
};

constexpr const char* placing =
    "ranks are dealt to node processes in blocks of neighbours; place them with --bind, --host and "
    "--processes-per-node";
constexpr const char* one_program =
    "a job has one program; let it branch on its rank, or start it through its own arguments";
constexpr const char* openmpi_settings =
    "settings of Open MPI concern node processes alone; give one as a variable: -x OMPI_MCA_NAME=VALUE";
constexpr const char* output = "redirect standard output; --tag-output tells the ranks apart";

constexpr std::array refusals = {Refusal{"--mca", openmpi_settings},
                                 Refusal{"-mca", openmpi_settings},
                                 Refusal{"--gmca", openmpi_settings},
                                 Refusal{"-gmca", openmpi_settings},
                                 Refusal{"--map-by", placing},
                                 Refusal{"-map-by", placing},
                                 Refusal{"--rank-by", placing},
                                 Refusal{"-rank-by", placing},
                                 Refusal{"--bynode", placing},
                                 Refusal{"-bynode", placing},
                                 Refusal{"--byslot", placing},
                                 Refusal{"-byslot", placing},
                                 Refusal{"-rf", placing},
                                 Refusal{"--rankfile", placing},
                                 Refusal{"--use-hwthread-cpus", placing},
                                 Refusal{"--nooversubscribe", placing},
                                 Refusal{"--cpus-per-proc", "say --threads, the cores of each rank"},
                                 Refusal{"--cpus-per-rank", "say --threads, the cores of each rank"},
                                 Refusal{"-configfile", one_program},
                                 Refusal{"--app", one_program},
                                 Refusal{"-app", one_program},
                                 Refusal{"-genvlist", "name the variables one by one with -x"},
                                 Refusal{"-envlist", "name the variables one by one with -x"},
                                 Refusal{"-genvnone", "ranks have the environment of marun; use env -i"},
                                 Refusal{"-path", "give the path with the program"},
                                 Refusal{"--prefix", "node processes are found next to marun"},
                                 Refusal{"--output-filename", output},
                                 Refusal{"-output-filename", output},
                                 Refusal{"-outfile-pattern", output},
                                 Refusal{"--stdin", "standard input goes to rank 0"},
                                 Refusal{"-s", "standard input goes to rank 0"}};

template <class Table, class Key>
auto find_in(const Table& table, Key key, string_view word) {
  return std::find_if(table.begin(), table.end(), [&](const auto& entry) { return key(entry) == word; });
}

}  // namespace

string_view our_spelling(string_view word, bool of_mpirun) noexcept {
  const auto spelling = [](const Alias& alias) { return alias.spelling; };
  if (const auto found = find_in(common, spelling, word); found != common.end()) return found->option;
  if (!of_mpirun) return word;
  const auto found = find_in(of_mpirun_only, spelling, word);
  return found != of_mpirun_only.end() ? found->option : word;
}

bool asks_for_nothing(string_view word) noexcept {
  return std::find(without_effect.begin(), without_effect.end(), word) != without_effect.end();
}

const char* reason_to_refuse(string_view word) noexcept {
  const auto found = find_in(refusals, [](const Refusal& refusal) { return refusal.word; }, word);
  return found != refusals.end() ? found->reason : nullptr;
}

}  // namespace taihu::launch
