// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/job.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

JobParameters unusual_job() {
  JobParameters job;
  job.ranks = 12;
  job.processes = 4;
  job.processes_per_node = 2;
  job.threads = 64;
  job.scopes = {12, 6, 3};
  job.bind = BindPolicy::numa;
  job.report_bindings = job.tag_output = job.emulate_nodes = job.verbose = true;
  job.mpi = "mpich";
  job.program_name = "name";
  job.private_libraries = {"liba.so", "libb.so.2"};
  return job;
}

TEST(JobParameters, travel_through_the_environment) {
  EnvironmentMap environment = to_environment(unusual_job());
  environment["OMPI_COMM_WORLD_LOCAL_RANK"] = "1";
  const JobParameters job = from_environment(environment);
  EXPECT_EQ(job.process_on_node, 1);
  EXPECT_EQ(to_environment(job), to_environment(unusual_job()));
  EXPECT_EQ(job.private_libraries, unusual_job().private_libraries);
  EXPECT_EQ(job.scopes.bnode, 6);
  EXPECT_EQ(job.bind, BindPolicy::numa);
  EXPECT_TRUE(job.tag_output);
}

TEST(JobParameters, defaults_reset_what_an_outer_job_set) {
  const EnvironmentMap outer = to_environment(unusual_job()), inner = to_environment(JobParameters());
  for (const auto& [name, value] : outer) EXPECT_TRUE(inner.contains(name)) << name;
  EXPECT_EQ(to_environment(from_environment({})), inner) << "no variables: one rank";
}

TEST(JobParameters, index_on_node_from_each_launcher) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    EnvironmentMap environment = to_environment(unusual_job());
    environment[name] = "1";
    EXPECT_EQ(from_environment(environment).process_on_node, 1) << name;
    environment[name] = "2";
    EXPECT_THROW(from_environment(environment), Error) << "more processes than the node should have";
  }
  EnvironmentMap alone = to_environment(JobParameters());
  alone["SLURM_LOCALID"] = "5";
  EXPECT_EQ(from_environment(alone).process_on_node, 0) << "a batch step that starts parcrun itself";
}

TEST(JobParameters, wrong_values_name_the_variable) {
  for (auto [name, value] : {std::pair{"TAIHU_RANKS", "0"},
                             {"TAIHU_RANKS", "4x"},
                             {"TAIHU_THREADS", "-1"},
                             {"TAIHU_PROCESSES", "2"},
                             {"TAIHU_SNODE", "99999999999"}}) {
    try {
      from_environment({{name, value}});
      FAIL() << name << "=" << value;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(from_environment({{"TAIHU_BIND", "socket"}}), Error);
}

TEST(JobParameters, program_from_the_command_line) {
  JobParameters job;
  const char* argv[] = {"parallelc-node", "./heat", "--size", "", "a b"};
  from_command_line(job, 5, argv);
  EXPECT_EQ(job.program, "./heat");
  EXPECT_EQ(job.program_name, "./heat");
  EXPECT_EQ(job.arguments, (std::vector<std::string>{"--size", "", "a b"}));
  EXPECT_THROW(from_command_line(job, 1, argv), UsageError);
}

TEST(Environment, unknown_variables_warn_with_the_nearest_name) {
  EXPECT_EQ(environment_warnings({{"TAIHU_RANKS", "1"}, {"TAIHU_STACKSIZE", "1"}, {"HOME", "/"}}),
            (std::vector<std::string>{
                "unknown environment variable TAIHU_STACKSIZE (did you mean TAIHU_STACK_SIZE?)"}));
  EXPECT_EQ(environment_warnings({{"TAIHU_OTHER_LAYER", ""}}).size(), 1u);
}

TEST(Environment, known_are_those_of_all_layers_and_of_the_job) {
  EXPECT_TRUE(environment_warnings({{"TAIHU_HEAP_SECURE", "1"}, {"TAIHU_LIBRARY_FOLDER", "/"}}).empty());
  EXPECT_TRUE(environment_warnings(to_environment(JobParameters())).empty());
}

TEST(Environment, stack_size) {
  EXPECT_EQ(rank_stack_bytes({{"TAIHU_STACK_SIZE", "256M"}}), 256u << 20);
  EXPECT_GE(rank_stack_bytes({}), 64u << 20);
  EXPECT_THROW(rank_stack_bytes({{"TAIHU_STACK_SIZE", "1K"}}), Error);
  EXPECT_THROW(rank_stack_bytes({{"TAIHU_STACK_SIZE", "much"}}), Error);
}

TEST(NodeShare, of_uneven_processes) {
  JobParameters job;
  job.processes = 3;
  job.processes_per_node = 2;
  const Layout layout = make_layout(8, {{"a", "", 1}, {"a", "", 1}, {"b", "", 1}}, {});
  const NodeShare first = node_share(job, layout, 0);
  EXPECT_EQ(first.node_ranks, 6);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(first.ranks, 3);
  job.process_on_node = 1;
  EXPECT_EQ(node_share(job, layout, 1).first, 3);
  job.process_on_node = 0;
  const NodeShare last = node_share(job, layout, 2);
  EXPECT_EQ(last.node_ranks, 2);
  EXPECT_EQ(last.ranks, 2);
}

TEST(ThisHost, emulated_nodes_have_different_names) {
  const auto machine = topology::machine_from_text("numanode:2 core:2");
  JobParameters job;
  const Host plain = this_host(job, machine);
  EXPECT_EQ(plain.numa_nodes, 2);
  job.emulate_nodes = true;
  job.process_on_node = 1;
  EXPECT_EQ(this_host(job, machine).name, plain.name + "#1");
}

}  // namespace
}  // namespace taihu::launch
