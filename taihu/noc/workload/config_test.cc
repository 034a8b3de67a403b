// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/config.h"

#include <gtest/gtest.h>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/noc/workload/run.h"

namespace taihu::noc {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_config(text, "f.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Config, FaultsNameLineAndKey) {
  const std::string operation = "[[operation]]\ntype = \"reduce\"\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "f.toml:1: neither [traffic] nor [[operation]]: there is nothing to simulate"},
      {"[network]\nvcs = 0\n[traffic]\n", "f.toml:2: network.vcs: 0 is not from 1 to 8"},
      {"[network]\nwidht = 8\n[traffic]\n", "f.toml:2: network.widht: unknown key"},
      {"[network]\nwidth = 1\nheight = 1\n[traffic]\n",
       "f.toml:2: network.width: a network needs at least 2 nodes"},
      {"[network]\nwidth = \"8\"\n[traffic]\n", "f.toml:2: network.width: not a whole number"},
      {"[traffic]\nload = 2\n", "f.toml:2: traffic.load: not from 0 to 1"},
      {"[traffic]\nload = true\n", "f.toml:2: traffic.load: not a number"},
      {"[traffic]\npattern = \"x\"\n",
       "f.toml:2: traffic.pattern: not one of uniform, transpose, bit-complement, tornado, hotspot, "
       "neighbour"},
      {"[traffic]\npattern = \"hotspot\"\nhot_nodes = []\n",
       "f.toml:3: traffic.hot_nodes: names no node; leave it out for the middle"},
      {"[network]\nheight = 4\n[traffic]\npattern = \"transpose\"\n",
       "f.toml:4: traffic.pattern: transpose needs as many rows as columns"},
      {"[network]\nreuse = \"atomic\"\n[traffic]\npacket_flits = 6\n",
       "f.toml:4: traffic.packet_flits: longer than network.depth, which only reuse \"wormhole\" can carry"},
      {"[network]\ntopology = \"torus\"\nvcs = 1\n[traffic]\n",
       "f.toml:3: network.vcs: a torus needs at least 2 (its rings would deadlock)"},
      {"traffic = 3\n", "f.toml:1: traffic: not a table; write [traffic]"},
      {operation + "root = 64\n", "f.toml:3: operation.root: 64 is not from 0 to 63"},
      {operation + "bytes = 12\n", "f.toml:3: operation.bytes: a reduction works on words of 8 bytes"},
      {"[routers]\nroot = 64\n" + operation, "f.toml:2: routers.root: 64 is not from 0 to 63"},
      {"[routers]\nplacement = [64]\n" + operation,
       "f.toml:2: routers.placement: node outside the network, which has 0 to 63"},
      {"[routers]\ncommunicators = 5\noperations = 4\n" + operation,
       "f.toml:3: routers.operations: fewer than communicators; each learned communicator needs at least "
       "one"},
      {"[[communicator]]\nname = \"a\"\nmembers = [3]\n" + operation,
       "f.toml:3: communicator.members: a communicator needs at least 2 members"},
      {"[[communicator]]\nname = \"a\"\nmembers = [3, \"2-4\"]\n" + operation,
       "f.toml:3: communicator.members: node 3 is there twice"},
      {"[[communicator]]\nname = \"a\"\nmembers = [1, 2]\n[[operation]]\ntype = \"reduce\"\nroot = 5\n",
       "f.toml:6: operation.root: node 5 is not in the communicator"},
      {"[network]\nvcs = 1\n[routers]\nplacement = \"S2\"\n" + operation,
       "f.toml:4: routers.placement: collective routers need network.vcs of at least 2"},
      {"[software]\nparameters = \"mine\"\n" + operation,
       "f.toml:2: software.parameters: not one of paper2017, fair"},
      {"[[operation]]\nbytes = 8\n", "f.toml:1: operation.type: missing"},
      {"[sweep]\nloads = [0.1, 2]\n[traffic]\n", "f.toml:2: sweep.loads: a load is above 0 and at most 1"},
      {"[network]\nroute_at = \"back\"\n[traffic]\n", "f.toml:2: network.route_at: not one of write, front"},
      {"[network]\nbypass = 1\n[traffic]\n", "f.toml:2: network.bypass: not true or false"},
      {"[network]\nbypass = true\n" + operation,
       "f.toml:2: network.bypass: only for ordinary traffic; collective units read flits that are in the "
       "buffer"},
      {"[network]\nbypass = true\nreuse = \"atomic\"\n[routers]\nplacement = [3]\n[traffic]\n",
       "f.toml:5: routers.placement: collective routers do not work with network.bypass"},
      {"\"a\\nb\" = 1\n[traffic]\n", "f.toml:1: a?b: unknown key"},
      {operation + "bytes = 16777216\nrepeat = 8\n",
       "f.toml:3: operation.bytes: 8.0 GiB for all members and repeats, at most 1"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error_of(text), expected) << text;
  EXPECT_NE(error_of("[network\n").find("f.toml:1: "), std::string::npos);
}

TEST(Config, RunsWhatItSays) {
  const RunConfig config = parse_config(
      "seed = 5\n[network]\nwidth = 4\n[[communicator]]\nname = \"c\"\nmembers = [\"0-5\", 15]\n"
      "[[operation]]\ntype = \"allreduce\"\nbytes = 128\nrepeat = 3\n[[operation]]\ntype = \"gather\"\nbytes "
      "= 5\nroot = 15\n"
      "means = \"auto\"\n",
      "f.toml");
  const RunReport report = run_config(config);
  ASSERT_EQ(report.operations.size(), 4u);  // two operations, two parameter sets
  EXPECT_EQ(report.operations[0].parameters, "paper2017");
  EXPECT_EQ(report.operations[2].parameters, "fair");
  EXPECT_TRUE(report.operations[0].by_hardware);
  EXPECT_GT(report.operations[0].mean, 100);
  EXPECT_NE(to_text(report).find("all results agree"), std::string::npos);
  EXPECT_NE(to_json(report).find("\"collective\": \"gather\""), std::string::npos);
}

TEST(Config, OperationsMayBeFarApart) {
  const RunConfig config = parse_config(
      "[network]\nwidth = 2\n[[operation]]\ntype = \"barrier\"\nstart = 500000000\nrepeat = 3\n"
      "every = 1000000000000\n",
      "f.toml");
  EXPECT_EQ(run_config(config).operations.front().repeats, 3);
}

/// Any text gives a configuration or an error of one line; never anything else.
TEST(Config, FuzzedTexts) {
  const std::string good =
      "[network]\nwidth = 3\nheight = 4\nvcs = 2\ntopology = \"mesh\"\n[routers]\nplacement = \"S2\"\nroot = "
      "4\n"
      "[traffic]\nload = 0.2\nmeasure = 20\nwarm_up = 5\n[[communicator]]\nname = \"a\"\nmembers = [0, "
      "\"2-5\"]\n"
      "[[operation]]\ntype = \"reduce\"\ncommunicator = \"a\"\nbytes = 16\nrepeat = 2\n";
  Random random(7);
  constexpr int rounds = plain_or_sanitized(3000, 1000);
  int right = 0, wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = good;
    for (std::uint64_t change = random.below(4); change > 0; --change) {
      const std::size_t place = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text.erase(place, 1 + random.below(5));
          break;
        case 1:
          text[place] = static_cast<char>(32 + random.below(95));
          break;
        case 2:
          text.insert(place, std::to_string(random.below(100)));
          break;
        default:
          text.insert(place, text.substr(random.below(text.size()), random.below(20)));
          break;
      }
    }
    try {
      const RunConfig config = parse_config(text, "f.toml");
      ++right;
      if (config.machine.network.mesh.nodes() <= 64 && config.operations.size() < 3 &&
          config.times.measure < 1000 && config.operations.front().operation.bytes < 4096 &&
          config.operations.front().repeat < 20 && config.machine.network.unit.communicators < 100 &&
          config.operations.front().operation.start < 100000 && config.times.warm_up < 1000 && round % 4 == 0)
        run_config(config);
    } catch (const Error& error) {
      ++wrong;
      EXPECT_EQ(std::string(error.what()).substr(0, 7), "f.toml:") << text << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(right, rounds / 10);
  EXPECT_GT(wrong, rounds / 10);
}

}  // namespace
}  // namespace taihu::noc
