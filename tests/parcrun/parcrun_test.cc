// SPDX-License-Identifier: Apache-2.0
// parcrun as its user sees it, with a stand-in for the node process and the real MPI launchers of this
// machine.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/parcrun/run_parcrun.h"

namespace taihu::test {
namespace {

using Words = std::vector<std::string>;
namespace fs = std::filesystem;

/// A prefix with bin/parcrun and the stand-in where the node process belongs.
class Parcrun : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "taihu_parcrun_XXXXXX";
    prefix_ = mkdtemp(pattern.data());
    fs::create_directories(prefix_ + "/bin");
    fs::create_directories(prefix_ + "/libexec/taihu");
    fs::copy_file(TAIHU_PARCRUN, prefix_ + "/bin/parcrun");
    fs::copy_file(TAIHU_STANDIN_NODE, prefix_ + "/libexec/taihu/parallelc-node");
  }
  void TearDown() override { fs::remove_all(prefix_); }

  Words command(const Words& options, const Words& task) const {
    Words words = {prefix_ + "/bin/parcrun"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(TAIHU_STANDIN_NODE);  // any compiled program will do: the stand-in does not start it
    words.insert(words.end(), task.begin(), task.end());
    return words;
  }
  Result parcrun(const Words& options, const Words& task, const std::string& input = "",
                 const Words& environment = {}) const {
    return run(command(options, task), input, environment);
  }
  std::string prefix_;
};

/// The same for several node processes, on each MPI library that is installed.
class ParcrunSeveral : public Parcrun, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const bool openmpi = std::string(GetParam()) == "openmpi";
    if (access(openmpi ? "/usr/bin/mpirun.openmpi" : "/usr/bin/mpiexec.mpich", X_OK) != 0)
      GTEST_SKIP() << GetParam() << " is not installed";
    Parcrun::SetUp();
  }
  void TearDown() override {
    if (!prefix_.empty()) Parcrun::TearDown();
  }
  Words several(int processes, const Words& more = {}) const {
    Words words = {"-n", "7", "--processes-per-node", std::to_string(processes), "--mpi", GetParam()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

INSTANTIATE_TEST_SUITE_P(On, ParcrunSeveral, testing::Values("openmpi", "mpich"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(Parcrun, passes_job_arguments_and_environment) {
  const Result result = parcrun({"-n", "5", "--bind", "none", "-x", "A=x y", "-wdir", prefix_},
                                {"say", "-n", "", "a b"}, "", {"B=from outside", "TAIHU_MPI=stale"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "process 0 TAIHU_RANKS=5 TAIHU_PROCESSES=1 TAIHU_MPI=(unset) TAIHU_BIND=none A=x y B=from "
            "outside [say] [-n] [] "
            "[a b] in " +
                fs::canonical(prefix_).string() + "\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Parcrun, input_goes_through) {
  const std::string text(200'000, 'x');
  EXPECT_EQ(parcrun({}, {"cat"}, text).out, text);
}

TEST_F(Parcrun, exit_codes_and_signals_of_the_node_process) {
  EXPECT_EQ(parcrun({}, {"exit", "0", "0"}).exit_code, 0);
  EXPECT_EQ(parcrun({}, {"exit", "7", "0"}).exit_code, 7);
  EXPECT_EQ(parcrun({}, {"exit", "255", "0"}).exit_code, 255);
  const Result killed = parcrun({}, {"raise", "9", "0"});
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_EQ(killed.err, "parcrun: parallelc-node was ended by signal 9 (Killed)\n");
}

TEST_F(Parcrun, signals_are_passed_on) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Running job(command({}, {"wait"}));
    ASSERT_TRUE(job.wait_for_output("ready"));
    job.signal(signal);
    EXPECT_EQ(job.finish().exit_code, 128 + signal);
    EXPECT_TRUE(job.left_behind().empty());
  }
}

TEST_F(Parcrun, second_signal_kills) {
  Running job(command({}, {"ignore"}));
  ASSERT_TRUE(job.wait_for_output("ready"));
  job.signal(SIGINT);
  usleep(200'000);
  job.signal(SIGTERM);
  const Result result = job.finish();
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_EQ(result.err, "parcrun: second Terminated signal, killing the job\n");
  EXPECT_TRUE(job.left_behind().empty()) << "also what the node process started";
}

TEST_F(Parcrun, signal_to_process_and_group_is_one_request) {
  Running job(command({}, {"ignore"}));
  ASSERT_TRUE(job.wait_for_output("ready"));
  job.signal(SIGTERM);
  usleep(20'000);
  job.signal(SIGTERM);
  usleep(300'000);
  job.signal(SIGINT);
  const Result result = job.finish();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.err, "parcrun: second Interrupt signal, killing the job\n");
}

TEST_F(Parcrun, broken_pipe_needs_no_message) {
  const Result result = parcrun({}, {"raise", "13", "0"});
  EXPECT_EQ(result.exit_code, 141);
  EXPECT_EQ(result.err, "");
}

TEST_F(Parcrun, killed_parcrun_leaves_no_node_process) {
  Running job(command({}, {"wait"}));
  ASSERT_TRUE(job.wait_for_output("ready"));
  job.signal(SIGKILL);
  EXPECT_EQ(job.finish().exit_code, 137);
  EXPECT_TRUE(job.left_behind().empty());
}

TEST_F(Parcrun, timeout) {
  Running job(command({"--timeout", "0.3"}, {"wait"}));
  const Result result = job.finish();
  EXPECT_EQ(result.exit_code, 124);
  EXPECT_EQ(result.err, "parcrun: the job took longer than 0.3 s (--timeout); ending it\n");
  EXPECT_TRUE(job.left_behind().empty());
  EXPECT_EQ(parcrun({"--timeout", "20"}, {"exit", "3", "0"}).exit_code, 3);
}

TEST_F(Parcrun, timeout_of_a_job_that_does_not_listen) {
  Running job(command({"--timeout", "0.3"}, {"ignore"}));
  const Result result = job.finish();
  EXPECT_EQ(result.exit_code, 124);
  EXPECT_NE(result.err.find("did not end when asked to"), std::string::npos);
  EXPECT_TRUE(job.left_behind().empty());
}

TEST_F(Parcrun, refusals) {
  const std::string parcrun_path = prefix_ + "/bin/parcrun";
  const Result unknown = run({parcrun_path, "--treads", "2", "x"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "parcrun: unknown option --treads (did you mean --threads?)\n");
  EXPECT_EQ(run({parcrun_path}).exit_code, 2);
  EXPECT_EQ(run({parcrun_path, "-n", "zero", "x"}).exit_code, 2);
  EXPECT_EQ(parcrun({"-n", "2", "--processes-per-node", "3"}, {"say"}).exit_code, 2);
  const Result missing = run({parcrun_path, "./no-such"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.err, "parcrun: cannot run ./no-such (no such file)\n");
  EXPECT_EQ(parcrun({"--wdir", "/no/such/folder"}, {"say"}).exit_code, 1);
  fs::remove(prefix_ + "/libexec/taihu/parallelc-node");
  const Result broken = parcrun({}, {"say"});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_NE(broken.err.find("parallelc-node; install Taihu as a whole"), std::string::npos);
}

TEST_F(Parcrun, unknown_variable_warns) {
  const Result result = parcrun({}, {"exit", "0", "0"}, "", {"TAIHU_STACKSIZE=1M"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "parcrun: unknown environment variable TAIHU_STACKSIZE (did you mean TAIHU_STACK_SIZE?)\n");
}

TEST_F(Parcrun, help_version_dry_run_verbose) {
  EXPECT_NE(run({prefix_ + "/bin/parcrun", "--help"}).out.find("--processes-per-node"), std::string::npos);
  EXPECT_TRUE(run({prefix_ + "/bin/parcrun", "--version"}).out.starts_with("parcrun "));
  const Result dry = parcrun({"-n", "3", "--dry-run"}, {"exit", "9", "0"});
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_NE(dry.out.find("TAIHU_RANKS=3"), std::string::npos);
  EXPECT_EQ(run({"/bin/sh", "-c", dry.out}).exit_code, 9) << "the printed line is the command";
  EXPECT_NE(parcrun({"--verbose"}, {"exit", "0", "0"}).err.find("parcrun: 1 rank in 1 node process: env"),
            std::string::npos);
}

TEST_F(Parcrun, debugger_is_put_in_front) {
  EXPECT_EQ(parcrun({"--debugger", "env A=debugged"}, {"say"}).out.find("A=debugged") != std::string::npos,
            true);
}

TEST_F(Parcrun, given_launcher_gets_the_command_line) {
  const std::string launcher = prefix_ + "/my-launcher";
  std::ofstream(launcher) << "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'mpiexec (Open MPI) 5.0'; exit; }\n"
                             "printf '%s\\n' \"$@\"; echo \"$TAIHU_MPI\"; exit 5\n";
  chmod(launcher.c_str(), 0755);
  const std::string hosts = prefix_ + "/hosts";
  std::ofstream(hosts) << "n1 slots=64\nn2\n";
  const Result result = parcrun({"-n", "4", "--launcher", launcher, "-hostfile", hosts}, {"say"});
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(result.out.starts_with(
      "-np\n2\n--bind-to\nnone\n--oversubscribe\n--map-by\nppr:1:node\n--host\nn1:1,n2:1\n-x\n"))
      << result.out;
  EXPECT_TRUE(result.out.ends_with("\nsay\nopenmpi\n"));
}

TEST_P(ParcrunSeveral, starts_them_all) {
  for (int processes : {2, 3}) {
    const Result result =
        parcrun(several(processes, {"-x", "A=x y", "-wdir", prefix_}), {"say", "a b"}, "", {"B=b"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    for (int process = 0; process < processes; ++process)
      EXPECT_NE(result.out.find("process " + std::to_string(process) +
                                " TAIHU_RANKS=7 TAIHU_PROCESSES=" + std::to_string(processes) +
                                " TAIHU_MPI=" + GetParam() + " TAIHU_BIND=auto A=x y B=b [say] [a b] in " +
                                fs::canonical(prefix_).string() + "\n"),
                std::string::npos)
          << result.out;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), processes) << result.out;
  }
}

TEST_P(ParcrunSeveral, exit_code_of_one_ends_all) {
  // MPICH's launcher only watches processes that have called MPI_Init; abort_of_one_ends_all covers those.
  if (std::string(GetParam()) == "mpich") GTEST_SKIP() << "not a promise of MPICH's launcher";
  Running job(command(several(3), {"exit", "7", "1"}));
  EXPECT_EQ(job.finish().exit_code, 7);
  EXPECT_TRUE(job.left_behind().empty());
}

TEST_P(ParcrunSeveral, abort_of_one_ends_all) {
  const std::string with_mpi = std::string(TAIHU_STANDIN_NODE) + "_" + GetParam();
  if (!fs::exists(with_mpi)) GTEST_SKIP() << "no compiler wrapper of " << GetParam();
  fs::copy_file(with_mpi, prefix_ + "/libexec/taihu/parallelc-node", fs::copy_options::overwrite_existing);
  Running job(command(several(3), {"abort", "7", "1"}));
  const Result result = job.finish();
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_TRUE(job.left_behind().empty());
}

TEST_P(ParcrunSeveral, killed_node_process_ends_all) {
  Running job(command(several(2), {"raise", "9", "1"}));
  const int exit_code = job.finish().exit_code;
  if (std::string(GetParam()) == "openmpi") {
    EXPECT_EQ(exit_code, 137);
  } else {
    // MPICH's launcher does not tell a signal from an exit code, and is lost itself, with 255, when a process
    // dies before the launcher has noted that it began.
    EXPECT_TRUE(exit_code == 9 || exit_code == 255) << exit_code;
  }
  EXPECT_TRUE(job.left_behind().empty());
}

TEST_P(ParcrunSeveral, input_goes_to_the_first) {
  EXPECT_EQ(parcrun(several(2), {"cat"}, "line 1\nline 2\n").out, "line 1\nline 2\n");
}

TEST_P(ParcrunSeveral, signals_end_all) {
  for (int signal : {SIGINT, SIGTERM}) {
    Running job(command(several(2), {"wait"}));
    ASSERT_TRUE(job.wait_for_output("ready", 2));
    job.signal(signal);
    EXPECT_EQ(job.finish().exit_code, 128 + signal);
    EXPECT_TRUE(job.left_behind().empty()) << signal;
  }
}

TEST_P(ParcrunSeveral, killed_parcrun_leaves_nothing) {
  Running job(command(several(2), {"wait"}));
  ASSERT_TRUE(job.wait_for_output("ready", 2));
  job.signal(SIGKILL);
  job.finish();
  EXPECT_TRUE(job.left_behind().empty());
}

TEST_P(ParcrunSeveral, timeout_ends_all) {
  Running job(command(several(2, {"--timeout", "1.5"}), {"wait"}));
  EXPECT_EQ(job.finish().exit_code, 124);
  EXPECT_TRUE(job.left_behind().empty());
}

TEST(TaihuInfo, shows_this_node_and_others) {
  const Result live = run({TAIHU_INFO, "-n", "2"});
  EXPECT_EQ(live.exit_code, 0) << live.err;
  EXPECT_NE(live.out.find("machine (live): "), std::string::npos);
  EXPECT_NE(live.out.find("job of 2 ranks in one node process"), std::string::npos);
  const Result text = run({TAIHU_INFO, "--machine", "package:2 numanode:1 core:4", "-n", "8"});
  EXPECT_NE(text.out.find("CCC_SNODE 8, CCC_BNODE 8, CCC_NODE 4, CCC_ARRAY 1, bind core"), std::string::npos)
      << text.out;
  const Result recorded = run({TAIHU_INFO, "--machine", TAIHU_RECORDED_MACHINES "/hybrid.xml", "--json"});
  EXPECT_EQ(recorded.exit_code, 0);
  EXPECT_NE(recorded.out.find("\"hybrid\": true"), std::string::npos);
}

TEST(TaihuInfo, tells_settings_with_their_values) {
  const Result shown = run({"/usr/bin/env", "TAIHU_HEAP_DECAY=17", TAIHU_INFO, "--settings"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("TAIHU_HEAP_DECAY=17  (set)\n"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("TAIHU_EAGER_BYTES=1K, ranks that share cores 2K\n"), std::string::npos)
      << shown.out;
}

TEST(TaihuInfo, refusals) {
  EXPECT_EQ(run({TAIHU_INFO, "--jsn"}).err, "taihu-info: unknown option --jsn (did you mean --json?)\n");
  EXPECT_EQ(run({TAIHU_INFO, "--jsn"}).exit_code, 2);
  EXPECT_EQ(run({TAIHU_INFO, "-n", "0"}).exit_code, 2);
  EXPECT_EQ(run({TAIHU_INFO, "extra"}).exit_code, 2);
  EXPECT_EQ(run({TAIHU_INFO, "--machine", "banana"}).exit_code, 1);
}

}  // namespace
}  // namespace taihu::test
