// SPDX-License-Identifier: Apache-2.0
// A mesh with collective routers that find the port of a head when it is in front of its buffer, and with
// small tables. A separate program: blocks that Verilator compiles separately have the same names in all
// models.
#include "MeshFront.h"
#include "rtl/cosim/followed_machine.h"

namespace taihu::rtl {
namespace {

/// As MeshFront: tables of two communicators with one open operation each.
MachineConfig front_config() {
  MachineConfig config = noc::machine_config(3, 2, "S2");
  config.costs.hardware_send = config.costs.hardware_receive = config.costs.restart = 3;
  config.network.route_at = noc::RouteAt::front;
  config.network.unit.communicators = config.network.unit.operations = 2;
  return config;
}

TEST(RoutedInFront, CollectivesAgreeWithTheModel) {
  run_collectives<MeshFront>(front_config(), 0, 8);
  run_collectives<MeshFront>(front_config(), 0.3, 9);
}

TEST(RoutedInFront, OverlappingOperationsBesideTrafficAgreeWithTheModel) {
  run_overlapping<MeshFront>(front_config(), 6, 10);
}

}  // namespace
}  // namespace taihu::rtl
