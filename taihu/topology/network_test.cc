// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/network.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

#include "taihu/base/error.h"

namespace taihu::topology {
namespace {

class Network : public testing::Test {
 protected:
  std::string file_with(const std::string& text) {
    const std::string path = testing::TempDir() + "taihu_network_" + std::to_string(files_.size()) + "_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ofstream(path) << text;
    files_.push_back(path);
    return path;
  }
  ~Network() override {
    for (const std::string& file : files_) std::remove(file.c_str());
  }
  NetworkPosition position(const std::string& host) {
    return network_position(host, [this](const char* name) -> const char* {
      auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }
  std::map<std::string, std::string> variables_;

 private:
  std::vector<std::string> files_;
};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Network, nothing_known) {
  EXPECT_EQ(position("node17").path, "");
}

TEST_F(Network, user_file_comes_first) {
  variables_["SLURM_TOPOLOGY_ADDR"] = "other.n1";
  variables_["SLURM_TOPOLOGY_ADDR_PATTERN"] = "switch.node";
  variables_["TAIHU_TOPOLOGY_FILE"] =
      file_with("# host  path\n\nn1 root/leaf1  # first\nn2.site.org /root/leaf2/\nn1 ignored\n");
  EXPECT_EQ(position("n1").path, "root/leaf1");
  EXPECT_EQ(position("n1.site.org").path, "root/leaf1");
  EXPECT_EQ(position("n2").path, "root/leaf2");
  EXPECT_EQ(position("n2.elsewhere.org").path, "other") << "another domain is another host";
  EXPECT_EQ(position("n3").path, "other") << "a host that the file does not name: the next source answers";
}

TEST_F(Network, wrong_user_file_names_the_line) {
  variables_["TAIHU_TOPOLOGY_FILE"] = file_with("n1 a/b\nn2\n");
  EXPECT_NE(error_of([&] { position("n1"); }).find(":2: expected two words"), std::string::npos);
  variables_["TAIHU_TOPOLOGY_FILE"] = file_with("n1 a//b\n");
  EXPECT_NE(error_of([&] { position("n1"); }).find(":1: "), std::string::npos);
  variables_["TAIHU_TOPOLOGY_FILE"] = "/no/such/file";
  EXPECT_NE(error_of([&] { position("n1"); }).find("/no/such/file"), std::string::npos);
  variables_["TAIHU_TOPOLOGY_FILE"] = "/";
  EXPECT_EQ(error_of([&] { position("n1"); }), "cannot read the topology file / (Is a directory)");
}

TEST_F(Network, slurm_address) {
  variables_["SLURM_TOPOLOGY_ADDR"] = "root_switch.CELL1.iswi1r4s0c1l1.node386";
  variables_["SLURM_TOPOLOGY_ADDR_PATTERN"] = "switch.switch.switch.node";
  EXPECT_EQ(position("node386").path, "root_switch/CELL1/iswi1r4s0c1l1");
  EXPECT_EQ(position("node386").source, "SLURM_TOPOLOGY_ADDR");
  variables_["SLURM_TOPOLOGY_ADDR"] = "leaf.node386.site.org";
  variables_["SLURM_TOPOLOGY_ADDR_PATTERN"] = "switch.node";
  EXPECT_EQ(position("node386").path, "leaf");
  variables_["SLURM_TOPOLOGY_ADDR"] = "node386";
  variables_["SLURM_TOPOLOGY_ADDR_PATTERN"] = "node";
  EXPECT_EQ(position("node386").path, "") << "Slurm without a topology plugin";
  variables_["SLURM_TOPOLOGY_ADDR_PATTERN"] = "switch.switch.node";
  EXPECT_EQ(position("node386").path, "") << "shorter than its pattern";
}

TEST_F(Network, slurm_topology_file) {
  variables_["TAIHU_SLURM_TOPOLOGY"] = file_with(
      "SwitchName=leaf1 Nodes=n[1-2],login\nSwitchName=leaf2 Nodes=n[03-04] LinkSpeed=100\n"
      "SwitchName=mid Switches=leaf[1-2]\nSwitchName=top Switches=mid\n");
  EXPECT_EQ(position("n2").path, "top/mid/leaf1");
  EXPECT_EQ(position("n04").path, "top/mid/leaf2");
  EXPECT_EQ(position("n4").path, "");
  variables_["TAIHU_SLURM_TOPOLOGY"] =
      file_with("SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=a Switches=b\n");
  EXPECT_NE(error_of([&] { position("n1"); }).find("above itself"), std::string::npos);
  variables_["TAIHU_SLURM_TOPOLOGY"] = file_with("SwitchName=a\nnonsense\n");
  EXPECT_NE(error_of([&] { position("n1"); }).find(":2: "), std::string::npos);
}

TEST_F(Network, names_that_spell_out_a_place) {
  EXPECT_EQ(path_from_host_name("rack3-node12"), "rack3");
  EXPECT_EQ(path_from_host_name("r2c4n7.site.org"), "r2/c4");
  EXPECT_EQ(path_from_host_name("x1000c0s5b0n1"), "x1000/c0/s5/b0");
  EXPECT_EQ(position("rack3-node12").source, "host name");
}

TEST_F(Network, names_that_say_nothing) {
  for (const char* name : {"", "localhost", "node17", "rack3", "gpu2-node4", "ip-10-0-3-4", "c1d2e3f4a5b6",
                           "r1n", "r1n2x", "3r4n", "r1--n2", "r1n2-", "web-frontend"})
    EXPECT_EQ(path_from_host_name(name), "") << name;
}

TEST(HostList, expands) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expand_host_list(""), Names{});
  EXPECT_EQ(expand_host_list("a"), Names{"a"});
  EXPECT_EQ(expand_host_list("n[1-3,07],login"), (Names{"n1", "n2", "n3", "n07", "login"}));
  EXPECT_EQ(expand_host_list("n[09-11]"), (Names{"n09", "n10", "n11"}));
  EXPECT_EQ(expand_host_list("r[1-2]n[1-2]-ib"), (Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
}

TEST(HostList, refuses) {
  for (const char* list :
       {"n[1-", "n1]", "n[3-1]", "n[a]", "n[]", "n[1-99999999999]", "n[1-2000000]", "n[0-999]m[0-9999]"})
    EXPECT_THROW(expand_host_list(list), Error) << list;
}

TEST(HostName, is_short) {
  EXPECT_FALSE(host_name().empty());
  EXPECT_EQ(host_name().find('.'), std::string::npos);
}

}  // namespace
}  // namespace taihu::topology
