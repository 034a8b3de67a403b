// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/config.h"

#include <algorithm>
#include <cstring>

#include "taihu/base/formatted.h"
#include "taihu/base/input_file.h"
#include "taihu/noc/workload/config_reader.h"

namespace taihu::noc {

namespace {

constexpr std::int64_t many = 1'000'000'000'000;
constexpr double most_data = 1 << 30;  ///< bytes of the members of one [[operation]]

class ConfigReader {
 public:
  ConfigReader(const toml::table& document, std::string path)
      : document_(document), path_(std::move(path)), root_(&document, path_, "") {
    config_.path = path_;
  }

  RunConfig read() {
    config_.seed =
        static_cast<std::uint64_t>(root_.whole("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
    read_network();
    read_routers();
    read_software();
    read_traffic();
    read_communicators();
    read_operations();
    read_sweep();
    read_output();
    root_.end();
    if (!config_.has_traffic && config_.operations.empty())
      throw Error(path_ + ":1: neither [traffic] nor [[operation]]: there is nothing to simulate");
    return config_;
  }

 private:
  TableReader table(const std::string& key) {
    const toml::node* node = root_.take(key);
    if (node != nullptr && !node->is_table()) root_.fail(key, *node, "not a table; write [" + key + "]");
    return {node == nullptr ? nullptr : node->as_table(), path_, key};
  }
  /// The tables of an array of tables.
  std::vector<TableReader> tables(const std::string& key) {
    std::vector<TableReader> list;
    const toml::node* node = root_.take(key);
    if (node == nullptr) return list;
    if (!node->is_array_of_tables()) root_.fail(key, *node, "not a list of tables; write [[" + key + "]]");
    for (const toml::node& each : *node->as_array()) list.emplace_back(each.as_table(), path_, key);
    return list;
  }

  /// [3, 7, "12-15"] or "all".
  std::vector<int> nodes(TableReader& reader, const std::string& key) {
    const toml::node* node = reader.take(key);
    const int all = config_.machine.network.mesh.nodes();
    std::vector<int> list;
    if (node == nullptr) reader.fail(key, "missing; it is a list of nodes or \"all\"");
    if (node->value<std::string>() == "all") {
      for (int each = 0; each < all; ++each) list.push_back(each);
      return list;
    }
    if (!node->is_array()) reader.fail(key, *node, "not a list of nodes or \"all\"");
    for (const toml::node& each : *node->as_array()) add_nodes(reader, key, each, list);
    return list;
  }
  void add_nodes(TableReader& reader, const std::string& key, const toml::node& node,
                 std::vector<int>& list) {
    std::int64_t first = 0, last = 0;
    if (node.is_integer()) {
      first = last = *node.value_exact<std::int64_t>();
    } else {
      const std::string text = node.value<std::string>().value_or("");
      char rest = 0;
      if (std::sscanf(text.c_str(), "%8ld-%8ld%c", &first, &last, &rest) != 2 || last < first)
        reader.fail(key, node, "not a node or a range such as \"12-15\"");
    }
    const int all = config_.machine.network.mesh.nodes();
    if (first < 0 || last >= all)
      reader.fail(key, node, "node outside the network, which has 0 to " + std::to_string(all - 1));
    for (std::int64_t each = first; each <= last; ++each) {
      if (std::find(list.begin(), list.end(), each) != list.end())
        reader.fail(key, node, "node " + std::to_string(each) + " is there twice");
      list.push_back(static_cast<int>(each));
    }
  }

  void read_network() {
    TableReader reader = table("network");
    const int width = static_cast<int>(reader.whole("width", 8, 1, 128));
    const int height = static_cast<int>(reader.whole("height", width, 1, 128));
    const bool torus = reader.one_of("topology", 0, {"mesh", "torus"}) == 1;
    const auto routing = reader.one_of("routing", 0, {"YX", "XY"}) == 0 ? Routing::yx : Routing::xy;
    if (width * height < 2) reader.fail("width", "a network needs at least 2 nodes");
    NetworkConfig& network = config_.machine.network;
    network.mesh = Mesh(width, height, torus, routing);
    network.vcs = static_cast<int>(reader.whole("vcs", 2, 1, 8));
    network.depth = static_cast<int>(reader.whole("depth", 5, 1, 32));
    network.link_cycles = static_cast<int>(reader.whole("link_cycles", 1, 1, 16));
    const bool collectives = root_.has("operation");
    network.reuse = static_cast<Reuse>(
        reader.one_of("reuse", collectives ? 1 : 0, {"wormhole", "cut-through", "atomic"}));
    network.route_at = static_cast<RouteAt>(reader.one_of("route_at", 0, {"write", "front"}));
    network.bypass = reader.yes("bypass", false);
    if (network.bypass && collectives)
      reader.fail("bypass", "only for ordinary traffic; collective units read flits that are in the buffer");
    network.watchdog_cycles = reader.whole("watchdog_cycles", 20000, 100, many);
    network.checked = reader.yes("checked", false);
    if (torus && network.vcs < 2) reader.fail("vcs", "a torus needs at least 2 (its rings would deadlock)");
    reader.end();
  }

  void read_routers() {
    TableReader reader = table("routers");
    MachineConfig& machine = config_.machine;
    const Mesh& mesh = machine.network.mesh;
    machine.tree_root = static_cast<int>(reader.whole("root", middle_node(mesh), 0, mesh.nodes() - 1));
    UnitConfig& unit = machine.network.unit;
    unit.communicators = static_cast<int>(reader.whole("communicators", 5, 1, 1024));
    unit.operations =
        static_cast<int>(reader.whole("operations", std::max(10, unit.communicators), 1, 65536));
    if (unit.operations < unit.communicators)
      reader.fail("operations", "fewer than communicators; each learned communicator needs at least one");
    unit.arithmetic_cycles = static_cast<int>(reader.whole("arithmetic_cycles", 6, 1, 1000));
    unit.fixed_order = reader.yes("fixed_order", false);
    machine.membership =
        reader.one_of("membership", 0, {"learned", "mask"}) == 0 ? Membership::learned : Membership::mask;
    read_placement(reader);
    reader.end();
    NetworkConfig& network = machine.network;
    // All routers are plain and no software asks a router for its table: an ordinary network.
    if (!root_.has("operation") &&
        std::count(network.levels.begin(), network.levels.end(), 0) == mesh.nodes())
      network.levels.clear();
    if (network.levels.empty()) return;
    if (network.bypass) reader.fail("placement", "collective routers do not work with network.bypass");
    if (network.depth < 5)
      reader.fail("placement", "collective routers need network.depth of at least 5 (a whole packet)");
    if (network.reuse == Reuse::wormhole)
      reader.fail("placement", "collective routers need network.reuse \"cut-through\" or \"atomic\"");
    const int needed = mesh.torus() ? 4 : 2;
    if (network.vcs < needed)
      reader.fail("placement", "collective routers need network.vcs of at least " + std::to_string(needed) +
                                   (mesh.torus() ? " in a torus" : ""));
  }

  void read_placement(TableReader& reader) {
    MachineConfig& machine = config_.machine;
    const Mesh& mesh = machine.network.mesh;
    if (!reader.has("placement")) {
      reader.take("plain");
      if (reader.has("plain")) reader.fail("plain", "only with a placement");
      if (root_.has("operation")) machine.network.levels = placement(mesh, "S2", machine.tree_root);
      return;
    }
    const toml::node* node = reader.take("placement");
    if (node->is_array()) {
      machine.network.levels = placement(mesh, nodes(reader, "placement"));
    } else {
      const std::vector<std::string> names = {"S1", "S2", "S3", "all", "none"};
      machine.network.levels =
          placement(mesh, names[reader.one_of("placement", 1, names)], machine.tree_root);
    }
    if (reader.has("plain"))
      for (const int plain : nodes(reader, "plain"))
        machine.network.levels[static_cast<std::size_t>(plain)] = 0;
  }

  void read_software() {
    TableReader reader = table("software");
    std::vector<std::string> names;
    const toml::node* node = reader.take("parameters");
    if (node == nullptr) {
      names = {"paper2017", "fair"};
    } else if (node->is_array()) {
      for (const toml::node& each : *node->as_array())
        names.push_back(each.value<std::string>().value_or(""));
      if (names.empty()) reader.fail("parameters", *node, "empty; name paper2017, fair or both");
    } else {
      names.push_back(node->value<std::string>().value_or(""));
    }
    for (const std::string& name : names) {
      if (name != "paper2017" && name != "fair")
        reader.fail("parameters", *node, "not one of paper2017, fair");
      Costs costs = costs_named(name);
      const auto cycles = [&](const char* key, int& value) {
        value = static_cast<int>(reader.whole(key, value, 0, 1'000'000));
      };
      cycles("send", costs.send);
      cycles("receive", costs.receive);
      cycles("word", costs.word);
      cycles("hardware_send", costs.hardware_send);
      cycles("hardware_receive", costs.hardware_receive);
      cycles("restart", costs.restart);
      cycles("fetch", costs.fetch);
      costs.pipelined = reader.yes("pipelined", costs.pipelined);
      config_.parameters.push_back(costs);
    }
    config_.machine.costs = config_.parameters.front();
    reader.end();
  }

  void read_traffic() {
    TableReader reader = table("traffic");
    config_.has_traffic = reader.present();
    TrafficConfig& traffic = config_.traffic;
    const Mesh& mesh = config_.machine.network.mesh;
    traffic.pattern = static_cast<Pattern>(
        reader.one_of("pattern", 0, {std::begin(pattern_names), std::end(pattern_names)}));
    if (traffic.pattern == Pattern::transpose && mesh.width() != mesh.height())
      reader.fail("pattern", "transpose needs as many rows as columns");
    traffic.load = reader.real("load", 0.1, 0, 1);
    traffic.packet_flits = static_cast<int>(reader.whole("packet_flits", 5, 1, max_packet_flits));
    const NetworkConfig& network = config_.machine.network;
    if (network.reuse != Reuse::wormhole && traffic.packet_flits > network.depth)
      reader.fail("packet_flits", "longer than network.depth, which only reuse \"wormhole\" can carry");
    traffic.seed = static_cast<std::uint64_t>(reader.whole("seed", static_cast<std::int64_t>(config_.seed), 0,
                                                           std::numeric_limits<std::int64_t>::max()));
    traffic.hot_share = reader.real("hot_share", 0.1, 0, 1);
    if (reader.has("hot_nodes")) {
      traffic.hot_nodes = nodes(reader, "hot_nodes");
      if (traffic.hot_nodes.empty()) reader.fail("hot_nodes", "names no node; leave it out for the middle");
    }
    traffic.queue_limit = static_cast<int>(reader.whole("queue", traffic.queue_limit, 1, 65536));
    config_.times.warm_up = reader.whole("warm_up", 2000, 0, many);
    config_.times.measure = reader.whole("measure", 10000, 1, many);
    config_.times.drain = reader.whole("drain", 50000, 0, many);
    reader.end();
    if (config_.has_traffic && root_.has("operation")) config_.machine.background = traffic;
  }

  void read_communicators() {
    for (TableReader& reader : tables("communicator")) {
      NamedCommunicator communicator;
      communicator.name = reader.text("name", "");
      if (communicator.name.empty()) reader.fail("name", "missing or empty");
      for (const NamedCommunicator& other : config_.communicators)
        if (other.name == communicator.name) reader.fail("name", "'" + other.name + "' is there twice");
      communicator.members = nodes(reader, "members");
      if (communicator.members.size() < 2) reader.fail("members", "a communicator needs at least 2 members");
      if (config_.machine.membership == Membership::mask &&
          !is_mask_set(config_.machine.network.mesh, communicator.members))
        reader.fail("members",
                    "no node and mask name exactly these nodes; use routers.membership \"learned\"");
      config_.communicators.push_back(communicator);
      reader.end();
    }
    if (!config_.communicators.empty() || !root_.has("operation")) return;
    NamedCommunicator world{"world", {}};
    for (int node = 0; node < config_.machine.network.mesh.nodes(); ++node) world.members.push_back(node);
    config_.communicators.push_back(world);
  }

  void read_operations() {
    for (TableReader& reader : tables("operation")) {
      PlannedOperation planned;
      Operation& operation = planned.operation;
      operation.collective = static_cast<Collective>(
          reader.one_of("type", 99, {"reduce", "broadcast", "allreduce", "gather", "barrier"}));
      if (!reader.has("type")) reader.fail("type", "missing");
      std::vector<std::string> names;
      for (const NamedCommunicator& each : config_.communicators) names.push_back(each.name);
      operation.communicator = static_cast<int>(reader.one_of("communicator", 0, names));
      const std::vector<int>& members =
          config_.communicators[static_cast<std::size_t>(operation.communicator)].members;
      const int node = static_cast<int>(
          reader.whole("root", members.front(), 0, config_.machine.network.mesh.nodes() - 1));
      const auto place = std::find(members.begin(), members.end(), node);
      if (place == members.end())
        reader.fail("root", "node " + std::to_string(node) + " is not in the communicator");
      operation.root = static_cast<int>(place - members.begin());
      const bool barrier = operation.collective == Collective::barrier;
      operation.bytes = static_cast<std::size_t>(reader.whole("bytes", barrier ? 0 : 8, 0, 1 << 24));
      if (barrier && operation.bytes != 0) reader.fail("bytes", "a barrier has no data");
      const bool reduces =
          operation.collective == Collective::reduce || operation.collective == Collective::allreduce;
      if (reduces && operation.bytes % 8 != 0) reader.fail("bytes", "a reduction works on words of 8 bytes");
      operation.arithmetic = static_cast<Arithmetic>(
          reader.one_of("arithmetic", 0,
                        {"sum", "prod", "min", "max", "sum-int", "min-int", "max-int", "and", "or", "xor"}));
      operation.means = static_cast<Means>(reader.one_of("means", 0, {"hardware", "software", "auto"}));
      operation.start = reader.whole("start", 0, 0, many);
      planned.repeat = static_cast<int>(reader.whole("repeat", 1, 1, 1'000'000));
      planned.every = reader.whole("every", 0, 0, many);
      const double data =
          static_cast<double>(operation.bytes) * static_cast<double>(members.size()) * planned.repeat;
      if (data > most_data)
        reader.fail("bytes", formatted("%.1f GiB for all members and repeats, at most %.0f", data / (1 << 30),
                                       most_data / (1 << 30)));
      config_.operations.push_back(planned);
      reader.end();
    }
  }

  void read_sweep() {
    TableReader reader = table("sweep");
    const toml::node* node = reader.take("loads");
    if (node != nullptr) {
      if (!node->is_array() || node->as_array()->empty()) reader.fail("loads", *node, "not a list of loads");
      for (const toml::node& each : *node->as_array()) {
        const double load = each.value<double>().value_or(-1);
        if (!(load > 0 && load <= 1)) reader.fail("loads", each, "a load is above 0 and at most 1");
        config_.loads.push_back(load);
      }
    }
    reader.end();
  }

  void read_output() {
    TableReader reader = table("output");
    config_.output.packets = reader.text("packets", "");
    config_.output.links = reader.text("links", "");
    config_.output.heat_map = reader.text("heat_map", "");
    config_.output.animation = reader.text("animation", "");
    if (!config_.output.animation.empty() && config_.operations.empty())
      reader.fail("animation", "shows an [[operation]], and there is none");
    if (!config_.output.packets.empty() && !config_.operations.empty())
      reader.fail("packets", "lists ordinary packets of a run without [[operation]]");
    reader.end();
    TableReader energy = table("energy");
    config_.energy.link_flit = energy.real("link_flit", 0, 0, 1e6);
    config_.energy.buffer_flit = energy.real("buffer_flit", 0, 0, 1e6);
    config_.energy.arithmetic_word = energy.real("arithmetic_word", 0, 0, 1e6);
    energy.end();
  }

  const toml::table& document_;
  std::string path_;
  TableReader root_;
  RunConfig config_;
};

}  // namespace

RunConfig parse_config(const std::string& text, const std::string& path) {
  toml::table document;
  try {
    document = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw Error(path + ":" + std::to_string(error.source().begin.line) + ": " +
                std::string(error.description()));
  } catch (const std::logic_error&) {
    throw Error(path + ":1: not TOML (a key or the name of a table is malformed)");
  }
  return ConfigReader(document, path).read();
}

RunConfig read_config(const std::string& path) {
  return parse_config(read_file(path), path);
}

void fill_data(Operation& operation, int members, std::uint64_t seed) {
  operation.data.clear();
  if (operation.collective == Collective::barrier) return;
  Random random(seed);
  const bool pieces =
      operation.collective == Collective::gather || operation.collective == Collective::broadcast;
  operation.data.resize(static_cast<std::size_t>(members));
  for (int member = 0; member < members; ++member) {
    if (operation.collective == Collective::broadcast && member != operation.root) continue;
    Bytes& data = operation.data[static_cast<std::size_t>(member)];
    data.resize(operation.bytes);
    for (std::size_t place = 0; pieces && place < data.size(); ++place)
      data[place] = static_cast<std::byte>(random.next());
    for (std::size_t place = 0; !pieces && place + 8 <= data.size(); place += 8) {
      // Whole numbers, whose sums are exact; for products, powers of two whose exponents sum to little.
      const double real = operation.arithmetic == Arithmetic::multiply_double
                              ? (random.below(2) == 0 ? 2.0 : 0.5) * (random.below(2) == 0 ? 1 : -1)
                              : static_cast<double>(random.below(2001)) - 1000;
      const std::uint64_t whole = random.next();
      if (operation.arithmetic <= Arithmetic::max_double)
        std::memcpy(data.data() + place, &real, 8);
      else
        std::memcpy(data.data() + place, &whole, 8);
    }
  }
}

}  // namespace taihu::noc
