// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/costs.h"

#include "taihu/base/error.h"

namespace taihu::noc {

Costs fair_costs() {
  return {};
}

Costs paper2017_costs() {
  Costs costs;
  costs.name = "paper2017";
  costs.send = 680;
  costs.receive = 0;
  costs.word = 0;
  costs.hardware_send = costs.hardware_receive = 0;
  costs.restart = 440;
  costs.fetch = 190;
  costs.pipelined = false;
  costs.allreduce_as_two = true;
  costs.trees_know_mesh = false;
  return costs;
}

Costs costs_named(const std::string& name) {
  if (name == "paper2017") return paper2017_costs();
  if (name == "fair") return fair_costs();
  throw Error("unknown parameter set '" + name + "'; there are paper2017 and fair");
}

}  // namespace taihu::noc
