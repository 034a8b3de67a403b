// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/launch_plan.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

using Words = std::vector<std::string>;

/// Surroundings whose PATH holds the given programs, each with its version text.
Surroundings place_with(const std::map<std::string, std::string>& programs) {
  Surroundings place;
  place.host_name = "login";
  place.node_program = "/opt/taihu/libexec/taihu/parallelc-node";
  place.find_program = [programs](const std::string& name) {
    return programs.contains(name) ? "/bin/" + name : std::string();
  };
  place.output_of = [programs](const Words& command) {
    const std::string name = command[0].substr(command[0].rfind('/') + 1);
    if (name == "srun" && command.back() == "--mpi=list") return programs.at("srun");
    return programs.at(name);
  };
  return place;
}

const std::string openmpi_text = "mpirun.openmpi (OpenRTE) 4.1.4\n";
const std::string mpich_text = "HYDRA build details:\n    Version: 4.0.2\n";

Surroundings usual_place() {
  return place_with(
      {{"mpirun.openmpi", openmpi_text}, {"mpirun", openmpi_text}, {"mpiexec.mpich", mpich_text}});
}

RunOptions options_of(Words words) {
  words.push_back("./p");
  words.push_back("a b");
  return parse_run(parcrun_command, words, "");
}

std::string words_of(const LaunchPlan& plan) {
  std::string text;
  for (const std::string& word : plan.command) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string command(const Words& words, const Surroundings& place) {
  return words_of(plan_launch(options_of(words), place));
}

std::string refusal(const Words& words, const Surroundings& place) {
  try {
    plan_launch(options_of(words), place);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string node_words = " /opt/taihu/libexec/taihu/parallelc-node ./p a b";

std::string job_variables(const std::string& prefix) {
  std::string text;
  EnvironmentMap variables = to_environment(JobParameters());
  for (const auto& [name, value] : variables)
    if (!value.empty() || name == "TAIHU_MPI") text += " " + prefix + " " + name;
  return text;
}

TEST(LaunchPlan, one_node_process_needs_no_mpi) {
  const LaunchPlan plan = plan_launch(options_of({"-n", "8", "--threads", "2", "-x", "A=1"}), place_with({}));
  EXPECT_EQ(plan.kind, LauncherKind::direct);
  EXPECT_EQ(" " + words_of(plan), node_words);
  EXPECT_EQ(plan.set.at("TAIHU_RANKS"), "8");
  EXPECT_EQ(plan.set.at("TAIHU_THREADS"), "2");
  EXPECT_EQ(plan.set.at("A"), "1");
  EXPECT_EQ(plan.unset,
            (Words{"TAIHU_MPI", "TAIHU_PRIVATE_LIBRARIES", "TAIHU_PROGRAM_NAME", "TAIHU_RANK_DIRECTORY",
                   "TAIHU_RESTART", "TAIHU_TRACE", "TAIHU_TRACE_COLLECTIVES", "TAIHU_RANK_PRELOAD"}))
      << "nothing comes from an outer job";
}

TEST(LaunchPlan, heap_of_the_node_process) {
  const std::string with = "/opt/taihu/libexec/taihu/parallelc-node", without = with + "-libc";
  Surroundings place = place_with({{"valgrind", ""}, {"gdb", ""}});
  const auto program = [&](const Words& words) {
    const LaunchPlan plan = plan_launch(options_of(words), place);
    EXPECT_NE(std::find(plan.command.begin(), plan.command.end(), plan.node_program), plan.command.end());
    return plan.node_program;
  };
  EXPECT_EQ(program({"-n", "2"}), with);
  EXPECT_EQ(program({"-x", "TAIHU_HEAP=libc"}), without);
  EXPECT_EQ(program({"--debugger", "valgrind -q"}), without);
  EXPECT_EQ(program({"--debugger", "gdb --args"}), with);
  place.environment["TAIHU_HEAP"] = "libc";
  EXPECT_EQ(program({"-n", "2"}), without);
  EXPECT_EQ(program({"-x", "TAIHU_HEAP=taihu"}), with) << "an option comes before the environment";
  place.environment = {{"LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"}};
  EXPECT_EQ(program({"-n", "2"}), without);
  EXPECT_EQ(refusal({"-x", "TAIHU_HEAP=glibc"}, place),
            "TAIHU_HEAP=glibc is neither taihu nor libc; correct it, or leave it out");
}

TEST(LaunchPlan, tools_go_to_the_ranks_and_mallocs_to_the_node_process) {
  Surroundings place = usual_place();
  place.split_preloads = [](const std::string& list, const std::string&) {
    return list == "tool.so:other.so" ? Preloads{"/t/tool.so", "other.so"} : Preloads{{}, list};
  };
  LaunchPlan plan = plan_launch(options_of({"-x", "LD_PRELOAD=tool.so:other.so"}), place);
  EXPECT_EQ(plan.set.at("TAIHU_RANK_PRELOAD"), "/t/tool.so");
  EXPECT_EQ(plan.set.at("LD_PRELOAD"), "other.so");
  place.linked_malloc = [](const std::string& program) { return program == "./p" ? "/lib/malloc.so" : ""; };
  plan = plan_launch(options_of({"-n", "2"}), place);
  EXPECT_EQ(plan.set.at("LD_PRELOAD"), "/lib/malloc.so");
  EXPECT_FALSE(plan.set.contains("TAIHU_RANK_PRELOAD"));
  place.environment["LD_PRELOAD"] = "tool.so:other.so";
  EXPECT_EQ(plan_launch(options_of({"-n", "2"}), place).set.at("LD_PRELOAD"), "other.so:/lib/malloc.so");
  // Nothing of it is left for the node process, nor for those on other nodes.
  place = usual_place();
  place.environment["LD_PRELOAD"] = "tool.so";
  place.split_preloads = [](const std::string&, const std::string&) { return Preloads{"/t/tool.so", {}}; };
  plan = plan_launch(options_of({"-n", "2", "--host", "a,b", "-x", "LD_PRELOAD"}), place);
  EXPECT_NE(std::find(plan.unset.begin(), plan.unset.end(), "LD_PRELOAD"), plan.unset.end());
  EXPECT_EQ(words_of(plan).find("-x LD_PRELOAD"), std::string::npos) << words_of(plan);
  EXPECT_NE(words_of(plan).find("-x TAIHU_RANK_PRELOAD"), std::string::npos);
}

TEST(LaunchPlan, debugger_stands_before_the_node_process) {
  EXPECT_EQ(command({"--debugger", "gdb --args"}, place_with({{"gdb", ""}})), "/bin/gdb --args" + node_words);
  EXPECT_NE(refusal({"--debugger", "gdb --args"}, place_with({})), "accepted");
  EXPECT_NE(refusal({"-n", "2", "--processes-per-node", "2", "--debugger", "gdb"}, usual_place()),
            "accepted");
}

TEST(LaunchPlan, open_mpi) {
  const LaunchPlan plan =
      plan_launch(options_of({"-n", "5", "--processes-per-node", "2", "-x", "A"}), usual_place());
  EXPECT_EQ(plan.kind, LauncherKind::openmpi);
  EXPECT_EQ(words_of(plan),
            "/bin/mpirun.openmpi -np 2 --bind-to none --oversubscribe --map-by ppr:2:node -x A" +
                job_variables("-x") + node_words);
  EXPECT_EQ(plan.set.at("TAIHU_MPI"), "openmpi");
  EXPECT_FALSE(plan.set.contains("OMPI_ALLOW_RUN_AS_ROOT"));
  Surroundings as_root = usual_place();
  as_root.root = true;
  const LaunchPlan root_plan = plan_launch(options_of({"-n", "2", "--processes-per-node", "2"}), as_root);
  EXPECT_EQ(root_plan.set.at("OMPI_ALLOW_RUN_AS_ROOT"), "1");
  EXPECT_EQ(root_plan.set.at("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1");
}

TEST(LaunchPlan, variables_of_the_user_go_to_other_nodes_too) {
  Surroundings place = usual_place();
  place.environment = {{"TAIHU_STACK_SIZE", "1G"}, {"TAIHU_PRIVATE_LIBRARIES", "stale"}, {"HOME", "/"}};
  const std::string words = command({"-n", "2", "--host", "a,b"}, place);
  EXPECT_NE(words.find(" -x TAIHU_STACK_SIZE "), std::string::npos);
  EXPECT_EQ(words.find("TAIHU_PRIVATE_LIBRARIES"), std::string::npos);
  EXPECT_EQ(words.find("HOME"), std::string::npos);
}

TEST(LaunchPlan, mpich) {
  const LaunchPlan plan = plan_launch(options_of({"-n", "6", "--processes-per-node", "2", "--host", "a,b,c",
                                                  "-wdir", "/w", "--mpi", "mpich"}),
                                      usual_place());
  EXPECT_EQ(words_of(plan),
            "/bin/mpiexec.mpich -n 6 -ppn 2 -bind-to none -genvall -hosts a,b,c -wdir /w" + node_words);
  EXPECT_EQ(plan.set.at("TAIHU_MPI"), "mpich");
  EXPECT_EQ(plan.set.at("TAIHU_PROCESSES"), "6");
  EXPECT_EQ(plan.set.at("TAIHU_PROCESSES_PER_NODE"), "2");
}

TEST(LaunchPlan, hosts_for_open_mpi_have_one_slot_per_node_process) {
  EXPECT_NE(
      command({"-n", "4", "-host", "a,b", "--processes-per-node", "2", "-wdir", "/w"}, usual_place())
          .find(" -np 4 --bind-to none --oversubscribe --map-by ppr:2:node --host a:2,b:2 -wdir /w -x "),
      std::string::npos);
}

TEST(LaunchPlan, the_only_host_may_be_another_one) {
  EXPECT_EQ(" " + command({"--host", "login"}, place_with({})), node_words);
  EXPECT_EQ(" " + command({"--host", "localhost"}, place_with({})), node_words);
  EXPECT_EQ(" " + command({"--host", "login.site.org"}, place_with({})), node_words);
  const LaunchPlan plan = plan_launch(options_of({"--host", "n1"}), usual_place());
  EXPECT_EQ(plan.kind, LauncherKind::openmpi);
  EXPECT_EQ(plan.processes, 1);
  EXPECT_NE(refusal({"--host", "n1", "--mpi", "none"}, usual_place()), "accepted");
}

TEST(LaunchPlan, slurm) {
  Surroundings place =
      place_with({{"srun", "MPI plugin types are...\n\tpmi2\n\tpmix\n"}, {"mpirun", openmpi_text}});
  place.environment = {{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_JOB_NODELIST", "n[1-2]"}};
  const std::string common =
      " --distribution=block --cpu-bind=none --kill-on-bad-exit=1 --input=0 --export=ALL --mpi=";
  const LaunchPlan plan = plan_launch(options_of({"-n", "8"}), place);
  EXPECT_EQ(words_of(plan),
            "/bin/srun --ntasks=2 --nodes=2 --ntasks-per-node=1" + common + "pmix" + node_words);
  EXPECT_EQ(plan.set.at("TAIHU_MPI"), "openmpi");
  EXPECT_EQ(plan_launch(options_of({"-n", "8", "--mpi", "openmpi"}), place).kind, LauncherKind::openmpi);
  place.environment["SLURM_JOB_NUM_NODES"] = "1";
  place.environment["SLURM_JOB_NODELIST"] = "n1";
  EXPECT_EQ(plan_launch(options_of({}), place).kind, LauncherKind::slurm) << "allocated from a login node";
  place.host_name = "n1";
  EXPECT_EQ(plan_launch(options_of({}), place).kind, LauncherKind::direct);
}

TEST(LaunchPlan, slurm_interface_decides_the_library) {
  Surroundings place = place_with({{"srun", "pmi2\n"}});
  place.environment = {{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "2"}};
  EXPECT_EQ(plan_launch(options_of({"-n", "2"}), place).set.at("TAIHU_MPI"), "mpich");
  for (const char* const nodes : {"many", "2x", "0", "-1", "99999999999"}) {
    place.environment["SLURM_JOB_NUM_NODES"] = nodes;
    EXPECT_NE(refusal({"-n", "2"}, place).find("is not a number of nodes"), std::string::npos) << nodes;
  }
  place = place_with({{"srun", "none\n"}});
  EXPECT_NE(refusal({"-n", "2", "--processes-per-node", "2", "--mpi", "slurm"}, place).find("pmix"),
            std::string::npos);
}

TEST(LaunchPlan, pbs_node_file) {
  const std::string file = testing::TempDir() + "taihu_pbs_nodes";
  std::ofstream(file) << "n1\nn1\nn2\nn2\n";
  Surroundings place = usual_place();
  place.environment["PBS_NODEFILE"] = file;
  EXPECT_EQ(plan_launch(options_of({"-n", "4"}), place).hosts, (Words{"n1", "n2"}));
  std::filesystem::remove(file);
}

TEST(LaunchPlan, launcher_is_recognised_by_what_it_says) {
  EXPECT_EQ(
      plan_launch(options_of({"-n", "2", "--processes-per-node", "2"}), place_with({{"mpirun", mpich_text}}))
          .kind,
      LauncherKind::mpich);
  EXPECT_EQ(plan_launch(options_of({"-n", "2", "--processes-per-node", "2"}),
                        place_with({{"mpiexec", "mpiexec (Open MPI) 5.0.3"}}))
                .kind,
            LauncherKind::openmpi);
  const Words given = {"-n", "2", "--processes-per-node", "2", "--launcher", "true"};
  Surroundings place = place_with({{"true", mpich_text}});
  EXPECT_EQ(plan_launch(options_of(given), place).kind, LauncherKind::mpich);
  place = place_with({{"true", "my own launcher"}});
  EXPECT_NE(refusal(given, place).find("cannot tell the kind of launcher"), std::string::npos);
  Words with_kind = given;
  with_kind.insert(with_kind.end(), {"--mpi", "openmpi"});
  EXPECT_EQ(plan_launch(options_of(with_kind), place).kind, LauncherKind::openmpi);
  EXPECT_NE(refusal({"-n", "2", "--processes-per-node", "2", "--launcher", "/no/such"}, place), "accepted");
}

TEST(LaunchPlan, refusals) {
  EXPECT_EQ(
      refusal({"-n", "2", "--processes-per-node", "3"}, usual_place()),
      "2 ranks cannot fill 3 node processes (1 node, 3 on each); raise -n, or name fewer nodes with --host");
  EXPECT_NE(
      refusal({"-n", "2", "--processes-per-node", "2"}, place_with({})).find("install openmpi-bin or mpich"),
      std::string::npos);
  EXPECT_NE(refusal({"-n", "2", "--processes-per-node", "2", "--mpi", "mpich"},
                    place_with({{"mpirun", openmpi_text}})),
            "accepted");
  EXPECT_NE(refusal({"-n", "2", "--processes-per-node", "2", "--mpi", "none"}, usual_place()), "accepted");
  EXPECT_NE(refusal({"--hostfile", "/no/such/file"}, usual_place()), "accepted");
}

TEST(LaunchPlan, shell_line_can_be_typed) {
  LaunchPlan plan;
  plan.command = {"/bin/x", "it's", "", "a b", "plain-1"};
  plan.set = {{"A", "1 2"}};
  plan.unset = {"B"};
  plan.working_directory = "/w";
  EXPECT_EQ(to_shell(plan), "env -C /w -u B 'A=1 2' /bin/x 'it'\\''s' '' 'a b' plain-1");
}

TEST(HostFile, formats_of_both_libraries) {
  const std::string file = testing::TempDir() + "taihu_hosts";
  std::ofstream(file) << "# nodes\nn1 slots=4\n\nn2:8\nn1\n  n3  # last\n";
  EXPECT_EQ(read_host_file(file), (Words{"n1", "n2", "n3"}));
  std::ofstream(file) << "# none\n";
  EXPECT_THROW(read_host_file(file), Error);
  std::filesystem::remove(file);
}

class Program : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "taihu_program_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directory(folder_ + "/folder");
    make("script", "#!/bin/sh\n", 0755);
    make("text", "hello world", 0755);
    make("short", "", 0755);
    make("locked",
         "\x7f"
         "ELF....",
         0644);
    make("good",
         "\x7f"
         "ELF....",
         0755);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void make(const std::string& name, const std::string& text, mode_t mode) {
    std::ofstream(folder_ + "/" + name) << text;
    chmod((folder_ + "/" + name).c_str(), mode);
  }
  std::string refusal_of(const std::string& program, const std::string& folder = "") {
    try {
      check_program(program, folder, place_with({}));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string folder_;
};

TEST_F(Program, what_is_no_file_is_refused_and_not_opened) {
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0755), 0);  // to open it would wait for a writer
  EXPECT_NE(refusal_of(folder_ + "/pipe").find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal_of("").find("without a name"), std::string::npos);
  EXPECT_NE(refusal_of("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_EQ(refusal_of(".", folder_), "cannot find the program . in PATH") << "a folder is no program";
}

TEST_F(Program, a_text_is_told_from_a_python_program_by_its_name) {
  EXPECT_EQ(refusal_of("./text", folder_),
            "cannot run ./text (it is not a compiled program); build it with parcc");
  make("text.py", "print(1)", 0644);
  EXPECT_EQ(
      refusal_of("./text.py", folder_),
      "cannot run ./text.py (it is not a compiled program); name its interpreter: parcrun python3 ./text.py");
}

TEST_F(Program, good_ones) {
  EXPECT_EQ(check_program(folder_ + "/good", "", place_with({})).path, folder_ + "/good");
  EXPECT_EQ(check_program("./good", folder_, place_with({})).path, "./good")
      << "relative to the working directory";
  Surroundings place = place_with({});
  place.find_program = [this](const std::string&) { return folder_ + "/good"; };
  EXPECT_EQ(check_program("good", "", place).path, folder_ + "/good") << "from PATH";
}

TEST_F(Program, python_scripts_whose_interpreter_is_a_script) {
  make("python3", "#!/bin/sh\n", 0755);
  make("script", "#!" + folder_ + "/python3 -u\n", 0755);
  Surroundings place = place_with({});
  place.output_of = [this](const Words& words) {
    return words.front() == folder_ + "/python3" ? folder_ + "/good\n" : "";
  };
  const CheckedProgram found = check_program("./script", folder_, place);
  EXPECT_EQ(found.path, folder_ + "/good");
  EXPECT_EQ(found.arguments, (Words{"-u", "./script"}));
  place.output_of = [](const Words&) { return ""; };
  EXPECT_THROW(check_program("./script", folder_, place), Error);
  make("python3",
       "\x7f"
       "ELF....",
       0755);
  EXPECT_EQ(check_program("./script", folder_, place).arguments, Words{})
      << "ranks read such scripts themselves";
}

TEST_F(Program, python_scripts_are_found_from_directories_of_ranks) {
  make("python3", "", 0755);
  make("script", "#!" + folder_ + "/python3\n", 0755);
  const std::string relative = std::filesystem::relative(folder_).string() + "/script";
  EXPECT_EQ(check_program(relative, "run%r", place_with({})).path, std::filesystem::absolute(relative));
  EXPECT_EQ(check_program(relative, "", place_with({})).path, relative);
}

TEST_F(Program, for_ranks_is_beside_what_a_link_leads_to) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe"), other = own + "-taihu";
  const std::string link = folder_ + "/link";
  std::filesystem::remove(other);  // of a run that was ended
  std::filesystem::create_symlink(own, link);
  Surroundings place = place_with({});
  place.command = &marun_command;
  EXPECT_EQ(check_program(link, "", place).path, link) << "there is no other one";
  std::filesystem::create_symlink(own, other);
  EXPECT_EQ(check_program(link, "", place).path, other);
  place.command = &parcrun_command;
  EXPECT_EQ(check_program(link, "", place).path, link);
  std::filesystem::remove(other);
}

TEST_F(Program, refusals_say_what_to_do) {
  EXPECT_NE(refusal_of("no_such_program").find("cannot find the program no_such_program in PATH"),
            std::string::npos);
  EXPECT_NE(refusal_of("good", folder_).find("write ./good"), std::string::npos);
  EXPECT_NE(refusal_of(folder_ + "/none").find("no such file"), std::string::npos);
  EXPECT_NE(refusal_of("./good", folder_ + "/none").find("no working directory"), std::string::npos);
  EXPECT_NE(refusal_of(folder_ + "/folder").find("it is a directory"), std::string::npos);
  EXPECT_NE(refusal_of(folder_ + "/script").find("it is a script"), std::string::npos);
  EXPECT_NE(refusal_of(folder_ + "/text").find("build it with parcc"), std::string::npos);
  EXPECT_NE(refusal_of(folder_ + "/short").find("build it with parcc"), std::string::npos);
  EXPECT_NE(refusal_of(folder_ + "/locked").find("chmod +x"), std::string::npos);
}

TEST(ThisPlace, finds_programs_and_runs_them) {
  const Surroundings place = this_place(parcrun_command);
  EXPECT_FALSE(place.find_program("sh").empty());
  EXPECT_EQ(place.find_program("no-such-program-anywhere"), "");
  EXPECT_EQ(place.output_of({place.find_program("echo"), "a b", "c"}), "a b c\n");
  EXPECT_EQ(place.output_of({"/no/such/program"}), "");
  EXPECT_NE(place.node_program.find("/libexec/taihu/parallelc-node"), std::string::npos);
}

LaunchPlan marun_plan(Words words) {
  words.push_back("./p");
  return plan_launch(parse_run(marun_command, words, ""), usual_place());
}

TEST(LaunchPlan, ranks_per_node_must_agree_with_the_deal) {
  const auto accepted = [](const Words& words) {
    try {
      marun_plan(words);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  };
  EXPECT_TRUE(accepted({"-n", "4", "-ppn", "4"}));
  EXPECT_TRUE(accepted({"-n", "3", "-ppn", "4"}));
  EXPECT_FALSE(accepted({"-n", "5", "-ppn", "4"}));
  EXPECT_TRUE(accepted({"-n", "8", "-ppn", "4", "-host", "a,b"}));
  EXPECT_TRUE(accepted({"-n", "7", "-ppn", "4", "-host", "a,b"}));
  EXPECT_FALSE(accepted({"-n", "5", "-ppn", "4", "-host", "a,b"})) << "4 and 1 is not how ranks are dealt";
}

TEST(LaunchPlan, says_when_an_option_has_nothing_to_do) {
  EXPECT_TRUE(marun_plan({"-n", "2"}).remarks.empty());
  EXPECT_TRUE(marun_plan({"-n", "2", "--mpi", "none"}).remarks.empty());
  EXPECT_EQ(marun_plan({"-n", "2", "--mpi", "openmpi"}).remarks.size(), 1u);
  EXPECT_EQ(
      marun_plan({"-n", "2", "--launcher", "/x/mpirun"}).remarks,
      Words{"--launcher /x/mpirun has nothing to do (one node process on this node needs no launcher)"});
  EXPECT_TRUE(marun_plan({"-n", "2", "--mpi", "openmpi", "-host", "a,b"}).remarks.empty());
}

TEST(LaunchPlan, options_of_mpi_jobs_reach_the_node_process) {
  const LaunchPlan plan = marun_plan({"--stats", "--deadlock-timeout", "0.25", "--trace-collectives", "/t/f",
                                      "--private-library", "libx", "--argv0", "name"});
  const JobParameters job = from_environment(plan.set);
  EXPECT_TRUE(job.stats);
  EXPECT_EQ(job.deadlock_timeout_seconds, 0.25);
  EXPECT_EQ(job.trace_collectives, "/t/f");
  EXPECT_EQ(job.program_name, "name");
}

TEST(LaunchPlan, all_variables_can_be_forwarded) {
  Surroundings place = usual_place();
  place.environment = {{"MINE", "1"}, {"OMPI_X", "1"}, {"BASH_FUNC_f%%", "x"}};
  const auto line = [&](Words words) {
    words.push_back("./p");
    return words_of(plan_launch(parse_run(marun_command, words, ""), place));
  };
  const Words several = {"-n", "2", "-host", "a,b", "--mpi", "openmpi", "-genvall"};
  EXPECT_NE(line(several).find(" -x MINE"), std::string::npos);
  EXPECT_EQ(line(several).find("OMPI_X"), std::string::npos);
  EXPECT_EQ(line(several).find("BASH_FUNC"), std::string::npos);
  EXPECT_EQ(line({several.begin(), several.end() - 1}).find(" -x MINE"), std::string::npos);
}

}  // namespace
}  // namespace taihu::launch
