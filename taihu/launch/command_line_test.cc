// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/command_line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

using Words = std::vector<std::string>;

RunOptions parse(const Words& words) {
  return parse_run(parcrun_command, words, "parcrun 1.2.3");
}

std::string refusal(const Words& words) {
  try {
    parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, program_only) {
  const RunOptions options = parse({"./heat"});
  EXPECT_EQ(options.job.program, "./heat");
  EXPECT_TRUE(options.job.arguments.empty());
  EXPECT_EQ(options.job.ranks, 1);
  EXPECT_EQ(options.job.processes_per_node, 1);
  EXPECT_EQ(options.job.bind, BindPolicy::automatic);
  EXPECT_EQ(options.mpi, LauncherChoice::automatic);
  EXPECT_EQ(options.timeout_seconds, 0);
}

TEST(CommandLine, options_of_the_program_are_left_alone) {
  const Words arguments = {"-n", "3", "--help", "--threads=9", "--", "", "-x"};
  Words words = {"-n", "4", "./a.out"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const RunOptions options = parse(words);
  EXPECT_EQ(options.job.ranks, 4);
  EXPECT_EQ(options.job.arguments, arguments);
  EXPECT_EQ(options.text_to_print, "");
}

TEST(CommandLine, double_dash_ends_the_options) {
  EXPECT_EQ(parse({"-n", "2", "--", "-odd-name", "x"}).job.program, "-odd-name");
  EXPECT_EQ(parse({"-"}).job.program, "-");
}

TEST(CommandLine, every_spelling_of_the_rank_count) {
  for (const Words& words :
       {Words{"-n", "7", "p"}, {"-np", "7", "p"}, {"--np", "7", "p"}, {"--np=7", "p"}, {"-np=7", "p"}})
    EXPECT_EQ(parse(words).job.ranks, 7) << words[0];
}

TEST(CommandLine, all_options) {
  const RunOptions options = parse({"-n",
                                    "12",
                                    "--threads",
                                    "3",
                                    "--node",
                                    "2",
                                    "--bnode=4",
                                    "--snode",
                                    "12",
                                    "--processes-per-node",
                                    "3",
                                    "--bind",
                                    "numa",
                                    "--report-bindings",
                                    "--tag-output",
                                    "-x",
                                    "A",
                                    "-x",
                                    "B=c=d",
                                    "-genv",
                                    "E",
                                    "f g",
                                    "-host",
                                    "n1:4,n2",
                                    "-host",
                                    "n1",
                                    "-wdir",
                                    "/tmp",
                                    "--timeout",
                                    "2.5",
                                    "--mpi",
                                    "mpich",
                                    "--launcher",
                                    "/x/mpiexec",
                                    "--dry-run",
                                    "--private-library",
                                    "a",
                                    "--private-library",
                                    "b",
                                    "--emulate-nodes",
                                    "--verbose",
                                    "--debugger",
                                    "gdb --args",
                                    "p"});
  const JobParameters& job = options.job;
  EXPECT_EQ(job.ranks, 12);
  EXPECT_EQ(job.threads, 3);
  EXPECT_EQ(job.scopes.node, 2);
  EXPECT_EQ(job.scopes.bnode, 4);
  EXPECT_EQ(job.scopes.snode, 12);
  EXPECT_EQ(job.processes_per_node, 3);
  EXPECT_EQ(job.bind, BindPolicy::numa);
  EXPECT_TRUE(job.report_bindings && job.tag_output && job.emulate_nodes && job.verbose && options.dry_run);
  EXPECT_EQ(options.forwarded, Words{"A"});
  ASSERT_EQ(options.assignments.size(), 2u);
  EXPECT_EQ(options.assignments[0], (std::pair<std::string, std::string>("B", "c=d")));
  EXPECT_EQ(options.assignments[1], (std::pair<std::string, std::string>("E", "f g")));
  EXPECT_EQ(options.hosts, (Words{"n1", "n2"}));
  EXPECT_EQ(options.working_directory, "/tmp");
  EXPECT_EQ(options.timeout_seconds, 2.5);
  EXPECT_EQ(options.mpi, LauncherChoice::mpich);
  EXPECT_EQ(options.launcher, "/x/mpiexec");
  EXPECT_EQ(job.private_libraries, (Words{"a", "b"}));
  EXPECT_EQ(options.debugger, (Words{"gdb", "--args"}));
  EXPECT_EQ(parse({"-hostfile", "f", "p"}).host_file, "f");
  EXPECT_EQ(parse({"--hostfile", "f", "p"}).host_file, "f");
}

TEST(CommandLine, values_may_look_like_anything) {
  const RunOptions options = parse({"-x", "A=[1,2]", "-x", "B=", "-genv", "C", "-n", "-genv", "D", "", "p"});
  ASSERT_EQ(options.assignments.size(), 4u);
  EXPECT_EQ(options.assignments[0].second, "[1,2]");
  EXPECT_EQ(options.assignments[1].second, "");
  EXPECT_EQ(options.assignments[2].second, "-n");
  EXPECT_EQ(options.assignments[3].second, "");
  EXPECT_EQ(options.job.program, "p");
}

TEST(CommandLine, help_and_version) {
  const std::string help = parse({"--help"}).text_to_print;
  for (const char* option : {"--np",
                             "--threads",
                             "--node",
                             "--bnode",
                             "--snode",
                             "--processes-per-node",
                             "--bind",
                             "--report-bindings",
                             "--tag-output",
                             "-x",
                             "--host",
                             "--hostfile",
                             "--wdir",
                             "--timeout",
                             "--mpi",
                             "--launcher",
                             "--dry-run",
                             "--private-library",
                             "--emulate-nodes",
                             "--verbose",
                             "--debugger",
                             "--version"})
    EXPECT_NE(help.find(option), help.npos) << option;
  EXPECT_LT(std::count(help.begin(), help.end(), '\n'), 50) << "one screen";
  EXPECT_EQ(parse({"--version"}).text_to_print, "parcrun 1.2.3\n");
}

TEST(CommandLine, refusals) {
  EXPECT_EQ(refusal({"--treads", "2", "p"}), "unknown option --treads (did you mean --threads?)");
  EXPECT_EQ(refusal({"-hostfil", "2", "p"}), "unknown option -hostfil (did you mean -hostfile?)");
  EXPECT_EQ(refusal({"--xyzzyplugh", "p"}), "unknown option --xyzzyplugh");
  EXPECT_EQ(refusal({}), "no program given; parcrun [options] program [arguments]");
  EXPECT_EQ(refusal({"-n", "2"}), "no program given; parcrun [options] program [arguments]");
  EXPECT_EQ(refusal({"-n"}), "-n needs a value; see parcrun --help");
  EXPECT_EQ(refusal({"-n", "0", "p", "--np"}), "-n: '0' is not a whole number from 1 on");
  EXPECT_EQ(refusal({"-genv", "A"}), "-genv needs a value; see parcrun --help");
  EXPECT_EQ(refusal({"--verbose=1", "p"}), "--verbose takes no value");
  for (const char* number : {"0", "-1", "x", "2x", "", "99999999999", "1.5"})
    EXPECT_NE(refusal({"-n", number, "p"}).find("is not a whole number from 1 on"), std::string::npos)
        << number;
  EXPECT_NE(refusal({"--timeout", "0", "p"}), "accepted");
  EXPECT_NE(refusal({"--timeout", "soon", "p"}), "accepted");
  EXPECT_NE(refusal({"-n", "2", "-n", "3", "p"}), "accepted") << "twice is a mistake";
  EXPECT_NE(refusal({"--bind", "socket", "p"}), "accepted");
  EXPECT_NE(refusal({"--mpi", "intel", "p"}), "accepted");
  EXPECT_NE(refusal({"-x", "=1", "p"}), "accepted");
  EXPECT_NE(refusal({"--host", "a,,b", "p"}), "accepted");
  EXPECT_EQ(refusal({"--host", "a", "--hostfile", "f", "p"}), "give --host or --hostfile, not both");
}

RunOptions marun(const Words& words) {
  return parse_run(marun_command, words, "marun 1.2.3");
}

std::string marun_refusal(const Words& words) {
  try {
    marun(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Marun, options_of_mpi_jobs) {
  const RunOptions options =
      marun({"--stats", "--trace-collectives", "t.json", "--deadlock-timeout=2.5", "p"});
  EXPECT_TRUE(options.job.stats);
  EXPECT_EQ(options.job.trace_collectives, "t.json");
  EXPECT_EQ(options.job.deadlock_timeout_seconds, 2.5);
  const RunOptions plain = marun({"p"});
  EXPECT_FALSE(plain.job.stats);
  EXPECT_EQ(plain.job.deadlock_timeout_seconds, 0);
  EXPECT_NE(marun_refusal({"--deadlock-timeout", "0", "p"}), "accepted");
}

TEST(CommandLine, statistics_are_for_both_languages_and_traces_differ) {
  const JobParameters job = parse_run(parcrun_command, {"--stats", "--trace", "t.json", "p"}, "").job;
  EXPECT_TRUE(job.stats);
  EXPECT_EQ(job.trace, "t.json");
  EXPECT_EQ(marun({"--trace", "t.json", "p"}).job.trace, "t.json");
}

TEST(CommandLine, a_universe_holds_the_ranks_that_start) {
  EXPECT_EQ(marun({"-n", "4", "--universe-size", "6", "p"}).job.universe, 6);
  EXPECT_EQ(marun({"-n", "4", "p"}).job.universe, 0);
  EXPECT_NE(marun_refusal({"--universe-size", "2000000000", "p"}).find("above 16777216"), std::string::npos);
  EXPECT_NE(marun_refusal({"-n", "4", "--universe-size", "3", "p"}).find("below the 4 ranks"),
            std::string::npos);
  EXPECT_NE(marun_refusal({"--universe-size", "0", "p"}), "accepted");
  EXPECT_EQ(marun({"--universe-size", "3", "--deadlock-timeout", "2", "p"}).job.universe, 3);
  EXPECT_NE(refusal({"--universe-size", "3", "p"}), "accepted") << "not of Parallel C";
}

TEST(CommandLine, deadlock_timeout_is_for_both_languages) {
  EXPECT_EQ(parse_run(parcrun_command, {"--deadlock-timeout", "2.5", "p"}, "").job.deadlock_timeout_seconds,
            2.5);
}

TEST(Marun, spellings_of_mpirun_and_mpiexec) {
  for (const char* word : {"-n", "-np", "--np", "-c"})
    EXPECT_EQ(marun({word, "5", "p"}).job.ranks, 5) << word;
  for (const char* word : {"-ppn", "--ppn", "-N", "-npernode", "--npernode", "-perhost"})
    EXPECT_EQ(marun({word, "5", "p"}).ranks_per_node, 5) << word;
  for (const char* word : {"-host", "-hosts", "--host", "-H"})
    EXPECT_EQ(marun({word, "a,b:3", "p"}).hosts, (Words{"a", "b"})) << word;
  for (const char* word : {"-hostfile", "--hostfile", "-machinefile", "--machinefile", "-f"})
    EXPECT_EQ(marun({word, "x", "p"}).host_file, "x") << word;
  for (const char* word : {"-wdir", "--wdir", "-wd"})
    EXPECT_EQ(marun({word, "/x", "p"}).working_directory, "/x") << word;
  EXPECT_EQ(marun({"-env", "A", "b c", "p"}).assignments.at(0).second, "b c");
  EXPECT_EQ(marun({"--bind-to", "core", "p"}).job.bind, BindPolicy::core);
  EXPECT_TRUE(marun({"-l", "p"}).job.tag_output);
  EXPECT_TRUE(marun({"-genvall", "p"}).forward_all);
  EXPECT_EQ(marun({"--oversubscribe", "--allow-run-as-root", "--allow-fork", "-q", "p"}).job.program, "p");
}

TEST(Marun, refuses_with_what_to_do) {
  EXPECT_EQ(marun_refusal({"--mca", "btl", "self", "p"}),
            "--mca: settings of Open MPI concern node processes alone; give one as a variable: -x "
            "OMPI_MCA_NAME=VALUE");
  for (const char* word : {"--map-by", "-configfile", "--output-filename", "-genvlist", "--rankfile"})
    EXPECT_NE(marun_refusal({word, "x", "p"}).find("unknown"), 0u) << word;
  EXPECT_EQ(marun_refusal({"--node", "2", "p"}).substr(0, 21), "unknown option --node");
  EXPECT_EQ(marun_refusal({"-nn", "2", "p"}), "unknown option -nn (did you mean -n?)");
  EXPECT_NE(marun_refusal({"-n", "1", "a", ":", "-n", "1", "b"}).find("several programs"), std::string::npos);
  EXPECT_EQ(marun({"--", "a", ":", "b"}).job.arguments, (Words{":", "b"}));
  EXPECT_NE(refusal({"--trace-collectives", "f", "p"}), "accepted") << "not of Parallel C";
  EXPECT_NE(refusal({"--oversubscribe", "p"}), "accepted");
  EXPECT_EQ(refusal({"a", ":", "b"}), "accepted");
  EXPECT_NE(refusal({"--private-library", "", "p"}), "accepted");
  EXPECT_NE(refusal({"--private-library", "/lib/libx.so", "p"}), "accepted");
}

TEST(Marun, help_is_one_screen) {
  const std::string help = marun({"--help"}).text_to_print;
  for (const char* option :
       {"Usage: marun", "--stats", "--trace-collectives", "--deadlock-timeout", "--ppn", "--threads"})
    EXPECT_NE(help.find(option), help.npos) << option;
  EXPECT_EQ(help.find("CCC_NODE"), help.npos);
  EXPECT_LT(std::count(help.begin(), help.end(), '\n'), 50) << "one screen";
}

}  // namespace
}  // namespace taihu::launch
