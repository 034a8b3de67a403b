// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "taihu/schedule/algorithms.h"

namespace taihu::noc {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool is_unit(const Tree& tree, int router) {
  return tree.entries[static_cast<std::size_t>(router)].inputs != 0;
}

/// Links from `node` to router `unit`, or to the root when there is none.
int links_until(const Mesh& mesh, const Tree& tree, int node, int unit) {
  return mesh.distance(node, unit < 0 ? tree.root : unit);
}

}  // namespace

int reduce_hops(const Mesh& mesh, const Tree& tree) {
  int hops = 0;
  for (std::size_t member = 0; member < tree.members.size(); ++member)
    hops += links_until(mesh, tree, tree.members[member], tree.first_unit[member]);
  for (int router = 0; router < mesh.nodes(); ++router)
    if (is_unit(tree, router))
      hops += links_until(mesh, tree, router, tree.parent_unit[static_cast<std::size_t>(router)]);
  return hops;
}

int flat_hops(const Mesh& mesh, const Tree& tree) {
  int hops = 0;
  for (const int member : tree.members) hops += mesh.distance(member, tree.root);
  return hops;
}

int broadcast_hops(const Mesh& mesh, const Tree& tree) {
  int links = 0;
  for (int router = 0; router < mesh.nodes(); ++router)
    if (router != tree.root && tree.entries[static_cast<std::size_t>(router)].total != 0) ++links;
  return links;
}

int gather_hops(const Mesh& mesh, const Tree& tree) {
  int hops = 0;
  for (std::size_t member = 0; member < tree.members.size(); ++member)
    hops += links_until(mesh, tree, tree.members[member], tree.first_unit[member]);
  for (int router = 0; router < mesh.nodes(); ++router)
    if (tree.entries[static_cast<std::size_t>(router)].direct != 0) hops += mesh.distance(router, tree.root);
  return hops;
}

int binomial_hops(const Mesh& mesh, const std::vector<int>& members, int root) {
  int hops = 0;
  const int count = static_cast<int>(members.size());
  for (int me = 0; me < count; ++me) {
    const auto program = schedule::reduce_binomial({count, me}, 8, root, schedule::Operands::commutative);
    for (const schedule::Step& step : program.steps)
      if (step.action == schedule::Action::send)
        hops += mesh.distance(members[static_cast<std::size_t>(me)],
                              members[static_cast<std::size_t>(step.peer)]);
  }
  return hops;
}

double table2(Collective collective, int strategy, int size) {
  const double n = size, square = n * n, cube = n * n * n;
  switch (collective) {
    case Collective::reduce: {
      const double values[] = {cube / 2, cube / 2, cube / 4 + n - 1, cube / 4 - square / 2 + 2 * n - 1};
      return values[strategy];
    }
    case Collective::broadcast:
      return strategy == 0 ? cube / 2 : square - 1;
    case Collective::allreduce: {
      const double values[] = {cube, cube / 2 + square - 1, cube / 4 + square + n - 2,
                               cube / 4 + square / 2 + 2 * n - 2};
      return values[strategy];
    }
    case Collective::gather: {
      const double values[] = {cube / 2, cube / 2, cube / 4 + square / 4, cube / 4 + n};
      return values[strategy];
    }
    case Collective::barrier:
      break;
  }
  return none;
}

Table3Terms table3_terms(const MachineConfig& config, std::size_t bytes) {
  Table3Terms terms;
  const int words = static_cast<int>((bytes + 7) / 8);
  UnitConfig unit = config.network.unit;
  unit.pipelined = config.costs.pipelined;
  terms.transfer = config.network.hop_cycles();
  terms.compute = unit.combine_cycles(words);
  terms.append = flits_for_bytes(static_cast<int>(bytes));
  terms.fetch = config.costs.fetch;
  terms.software = config.costs.send + config.costs.receive;
  terms.software_compute = words * config.costs.word;
  return terms;
}

double table3(Collective collective, int strategy, int size, const Table3Terms& t) {
  const double n = size, rounds = 2 * std::log2(n);
  const double computations[] = {0, n * n * t.compute, 1.5 * n * t.compute, n * t.compute};
  switch (collective) {
    case Collective::reduce:
      if (strategy == 0) return rounds * (t.software + t.transfer + t.software_compute);
      return n * t.transfer + computations[strategy];
    case Collective::broadcast:
      return strategy == 0 ? rounds * (t.software + t.transfer) : n * t.transfer;
    case Collective::allreduce:
      if (strategy == 0) return rounds * (2 * t.software + 2 * t.transfer + t.software_compute);
      return t.software + 2 * n * t.transfer + computations[strategy];
    case Collective::gather:
      if (strategy == 0) return rounds * t.software + (n * n - 1) / n * (t.transfer + t.append);
      if (strategy == 2)
        return t.software + n * t.fetch + (n + n * n) / 2 * t.transfer + (n + n * n) * t.append;
      if (strategy == 3)
        return t.software + 2 * n * t.fetch + (n * n / 4 + n - 1) * t.transfer + (n / 2 + n * n) * t.append;
      return none;
    case Collective::barrier:
      break;
  }
  return none;
}

namespace {

/// One packet on its way: written at a router's input at `head` (its head), `flits` long, `sources` inside.
struct Input {
  Cycle head = 0;
  int flits = 1;
  int weight = 1;
};

/// Zero-load times of one segment on its way up.
class Ascent {
 public:
  Ascent(const MachineConfig& config, const Tree& tree, const Operation& operation, std::size_t bytes)
      : config_(config),
        mesh_(config.network.mesh),
        tree_(tree),
        gathers_(operation.collective == Collective::gather),
        bytes_(static_cast<int>(bytes)),
        hop_(config.network.hop_cycles()) {
    unit_ = config.network.unit;
    unit_.pipelined = config.costs.pipelined;
    inputs_.resize(static_cast<std::size_t>(mesh_.nodes()));
  }

  /// When software at the tree's root has taken all packets; contributions are handed over at cycle 0.
  Cycle end() {
    for (std::size_t member = 0; member < tree_.members.size(); ++member)
      forward(tree_.members[member], unit_of(member), {1, flits_for_bytes(bytes_), 1});
    for (const int router : farthest_first()) pass(router);
    std::sort(at_core_.begin(), at_core_.end(),
              [](const Input& a, const Input& b) { return a.head < b.head; });
    Cycle free = 0;
    for (const Input& input : at_core_)
      free = std::max(free, input.head + input.flits - 1) + core_cost(input);
    return free;
  }

 private:
  int unit_of(std::size_t member) const {
    const int unit = tree_.first_unit[member];
    const bool fits = unit >= 0 && tree_.entries[static_cast<std::size_t>(unit)].direct * bytes_ <= max_bytes;
    return gathers_ && !fits ? -1 : unit;
  }
  /// A packet written at router `from` goes to the unit of router `to`, or (-1) to the root's core.
  void forward(int from, int to, Input input) {
    if (to >= 0) {
      input.head += hop_ * mesh_.distance(from, to);
      inputs_[static_cast<std::size_t>(to)].push_back(input);
    } else {
      input.head += hop_ * (mesh_.distance(from, tree_.root) + 1);
      at_core_.push_back(input);
    }
  }
  std::vector<int> farthest_first() const {
    std::vector<int> order;
    for (int router = 0; router < mesh_.nodes(); ++router)
      if (is_unit(tree_, router)) order.push_back(router);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return mesh_.distance(a, tree_.root) > mesh_.distance(b, tree_.root);
    });
    return order;
  }
  /// The unit takes its inputs one after the other, in the order of their coming.
  void pass(int router) {
    std::vector<Input>& inputs = inputs_[static_cast<std::size_t>(router)];
    if (inputs.empty()) return;
    std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.head < b.head; });
    Cycle done = 0;
    Input out{0, inputs.front().flits, 0};
    for (const Input& input : inputs) {
      const bool stores = out.weight == 0 || gathers_ || bytes_ == 0;
      done = std::max(done, input.head + 1) + (stores ? input.flits : unit_.combine_cycles((bytes_ + 7) / 8));
      out.weight += input.weight;
    }
    out.head = done;
    if (gathers_) out.flits = flits_for_bytes(bytes_ * out.weight);
    forward(router, gathers_ ? -1 : tree_.parent_unit[static_cast<std::size_t>(router)], out);
  }
  Cycle core_cost(const Input& input) const {
    if (gathers_) return config_.costs.fetch;
    if (input.weight == static_cast<int>(tree_.members.size())) return 0;
    return config_.costs.receive + config_.costs.word * ((bytes_ + 7) / 8);
  }

  const MachineConfig& config_;
  const Mesh& mesh_;
  const Tree& tree_;
  bool gathers_;
  int bytes_;
  Cycle hop_;
  UnitConfig unit_;
  std::vector<std::vector<Input>> inputs_;
  std::vector<Input> at_core_;
};

Cycle descent(const MachineConfig& config, const Tree& tree, std::size_t bytes) {
  int farthest = 0;
  for (const int member : tree.members)
    farthest = std::max(farthest, config.network.mesh.distance(tree.root, member));
  return 1 + config.network.hop_cycles() * (farthest + 1) + flits_for_bytes(static_cast<int>(bytes)) - 1;
}

}  // namespace

Cycle message_cycles(const MachineConfig& config, int from, int to, std::size_t bytes) {
  const int packets = static_cast<int>(std::max<std::size_t>(1, (bytes + max_bytes - 1) / max_bytes));
  const std::size_t last = bytes - std::min(bytes, static_cast<std::size_t>(packets - 1) * max_bytes);
  const int flits = 5 * (packets - 1) + flits_for_bytes(static_cast<int>(last));
  return config.costs.send + 1 + config.network.hop_cycles() * (config.network.mesh.distance(from, to) + 1) +
         flits - 1 + config.costs.receive;
}

Cycle predict_hardware(const MachineConfig& config, const Tree& tree, const Operation& operation) {
  const Costs& costs = config.costs;
  const std::size_t segment = std::min<std::size_t>(operation.bytes, max_bytes);
  const auto segments =
      static_cast<Cycle>(std::max<std::size_t>(1, (operation.bytes + max_bytes - 1) / max_bytes));
  const int root = tree.members[static_cast<std::size_t>(operation.root)];
  const Cycle down = descent(config, tree, segment);
  if (operation.collective == Collective::broadcast) {
    const Cycle first = root == tree.root ? 0 : message_cycles(config, root, tree.root, operation.bytes);
    return first + costs.hardware_send + down + (segments - 1) * flits_for_bytes(max_bytes) +
           costs.hardware_receive;
  }
  const Cycle up = Ascent(config, tree, operation, segment).end();
  // Further segments: those of one window go up together, then the root's answer has to come down.
  const Cycle window = std::max(1, config.network.unit.window());
  const Cycle answer = costs.restart + down;
  const Cycle more = (segments - 1) / window * (up + answer);
  if (operation.collective == Collective::allreduce || operation.collective == Collective::barrier)
    return costs.hardware_send + up + more + costs.restart + down + costs.hardware_receive;
  const std::size_t result =
      operation.collective == Collective::gather ? operation.bytes * tree.members.size() : operation.bytes;
  const Cycle leg = root == tree.root ? 0 : message_cycles(config, tree.root, root, result);
  return costs.hardware_send + up + more + costs.hardware_receive + leg;
}

Cycle predict_software(const MachineConfig& config, int members, const Operation& operation) {
  const Costs& costs = config.costs;
  const auto rounds = static_cast<Cycle>(std::bit_width(static_cast<unsigned>(members - 1)));
  const bool gathers = operation.collective == Collective::gather;
  const std::size_t bytes = operation.bytes;
  const Cycle packets = static_cast<Cycle>(std::max<std::size_t>(1, (bytes + max_bytes - 1) / max_bytes));
  const Cycle transfer = config.network.hop_cycles() + 5 * (packets - 1);
  const Cycle words = static_cast<Cycle>((bytes + 7) / 8) * costs.word;
  const Cycle message = costs.send + costs.receive + transfer;
  const bool reduces =
      operation.collective == Collective::reduce || operation.collective == Collective::allreduce;
  Cycle cycles = rounds * (message + (reduces ? words : 0));
  if (operation.collective == Collective::allreduce && costs.allreduce_as_two) cycles += rounds * message;
  if (gathers) cycles += static_cast<Cycle>(bytes) * (members - 1) / 16;
  return cycles;
}

}  // namespace taihu::noc
