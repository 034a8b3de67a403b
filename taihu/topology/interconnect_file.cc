// SPDX-License-Identifier: Apache-2.0
// Networks as JSON text.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/base/input_file.h"
#include "taihu/base/nearest.h"
#include "taihu/topology/interconnect.h"
#include "taihu/topology/network.h"

namespace taihu::topology {
namespace {

using nlohmann::json;

/// The members of one JSON object; those that nobody asked for are errors.
class Members {
 public:
  Members(const json& object, const std::string& name) : object_(object), name_(name) {}

  template <class Value>
  Value number(const std::string& key, Value otherwise) {
    known_.push_back(key);
    if (!object_.contains(key)) return otherwise;
    const json& value = object_[key];
    check_input(value.is_number(), name_ + ": '" + key + "' has to be a number");
    const double read = value.get<double>();
    check_input(std::isfinite(read) && read >= 0 && read < 1e18, name_ + ": '" + key + "' is out of range");
    if constexpr (std::is_integral_v<Value>)
      check_input(value.is_number_integer() && read < 1e9,
                  name_ + ": '" + key + "' has to be a whole number below 1e9");
    return static_cast<Value>(read);
  }
  std::string text(const std::string& key) {
    known_.push_back(key);
    if (!object_.contains(key)) return {};
    check_input(object_[key].is_string(), name_ + ": '" + key + "' has to be a text");
    return object_[key].get<std::string>();
  }
  std::vector<int> sizes(const std::string& key) {
    known_.push_back(key);
    const json value = object_.contains(key) ? object_[key] : json();
    check_input(value.is_array() && !value.empty(), name_ + ": '" + key + "' has to be a list of numbers");
    std::vector<int> result;
    for (const json& size : value) {
      check_input(size.is_number_integer() && size >= 1 && size < 1000000,
                  name_ + ": '" + key + "' has to be a list of whole numbers from 1 on");
      result.push_back(size.get<int>());
    }
    return result;
  }
  void refuse_rest() const {
    for (const auto& [key, value] : object_.items())
      check_input(std::find(known_.begin(), known_.end(), key) != known_.end(),
                  name_ + ": unknown member '" + one_line(key) + "'" + suggestion(key, known_));
  }

 private:
  const json& object_;
  const std::string& name_;
  std::vector<std::string> known_;
};

std::unique_ptr<Interconnect> read_shape(Members& members, const std::string& kind, const LinkRates& rates,
                                         const std::string& name) {
  if (kind == "fat-tree") {
    FatTree shape;
    shape.supernodes = members.number("supernodes", shape.supernodes);
    shape.nodes_per_supernode = members.number("nodes_per_supernode", shape.nodes_per_supernode);
    shape.uplinks = members.number("uplinks", shape.uplinks);
    return make_interconnect(shape, rates);
  }
  if (kind == "dragonfly") {
    Dragonfly shape;
    shape.groups = members.number("groups", shape.groups);
    shape.routers_per_group = members.number("routers_per_group", shape.routers_per_group);
    shape.nodes_per_router = members.number("nodes_per_router", shape.nodes_per_router);
    return make_interconnect(shape, rates);
  }
  if (kind == "torus") return make_interconnect(Torus{members.sizes("sizes")}, rates);
  throw Error(name + ": 'kind' has to be fat-tree, dragonfly or torus");
}

std::string without_domain(const std::string& host) {
  return host.substr(0, host.find('.'));
}

}  // namespace

NamedInterconnect parse_interconnect(std::string_view text, const std::string& name) {
  const json object = json::parse(text, nullptr, false);
  check_input(object.is_object(), name + ": not a JSON object");
  Members members(object, name);
  LinkRates rates;
  rates.bytes_per_second = members.number("bytes_per_second", rates.bytes_per_second);
  rates.hop_seconds = members.number("hop_seconds", rates.hop_seconds);
  rates.start_seconds = members.number("start_seconds", rates.start_seconds);
  check_input(rates.bytes_per_second > 0, name + ": 'bytes_per_second' has to be above 0");
  NamedInterconnect result;
  const std::string kind = members.text("kind");
  const std::string hosts = members.text("hosts");
  try {
    result.network = read_shape(members, kind, rates, name);
    result.hosts = expand_host_list(hosts);
  } catch (const Error& error) {
    const std::string problem = error.what();
    throw Error(problem.starts_with(name) ? problem : name + ": " + problem);
  }
  members.refuse_rest();
  check_input(result.hosts.size() <= static_cast<std::size_t>(result.network->nodes()),
              name + ": there are more hosts than nodes (" + std::to_string(result.network->nodes()) + ")");
  const std::set<std::string> different(result.hosts.begin(), result.hosts.end());
  check_input(different.size() == result.hosts.size(), name + ": a host is named twice");
  return result;
}

NamedInterconnect read_interconnect(const std::string& file) {
  return parse_interconnect(read_file(file, "the network file"), file);
}

int NamedInterconnect::node_of(const std::string& host) const {
  for (std::size_t node = 0; node < hosts.size(); ++node)
    if (hosts[node] == host || without_domain(hosts[node]) == without_domain(host))
      return static_cast<int>(node);
  return -1;
}

}  // namespace taihu::topology
