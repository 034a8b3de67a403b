// SPDX-License-Identifier: Apache-2.0
// A statepoint that a run goes on from, to its end, and whose tallies are read piece by piece.
#include "taihu/neutron/output/statepoint.h"

#include "taihu/neutron/output/statepoint_tallies.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/solo_communicator.h"
#include "tests/fuzz/edited_hdf5.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::neutron;

static const Model& model() {
  static const Model model =
      test_model("rectangular", settings_text(20, 3, 1),
                 "<filter id=\"3\" type=\"material\"><bins>2 1</bins></filter>"
                 "<tally id=\"2\"><filters>3</filters><scores>flux nu-fission</scores></tally>");
  return model;
}

static taihu::fuzz::EditedHdf5 make_edits() {
  taihu::parallel::SoloCommunicator alone;
  Simulation simulation(model(), alone, 1, taihu::parallel::LoopSchedule{});
  simulation.run_batch();
  simulation.run_batch();
  write_statepoint(simulation, "base.h5");
  return {"base.h5",
          {"results", "source_bank", "k_generation", "entropy", "estimator", "nuclides", "score_bins",
           "eigenvalue", "fixed source", "multi-group", "continuous-energy", "statepoint", "collision",
           "tracklength"}};
}

TAIHU_FUZZ_BYTES(input) {
  static const taihu::fuzz::EditedHdf5 edits = make_edits();
  edits.write("statepoint.h5", input);
  taihu::parallel::SoloCommunicator alone;
  Simulation simulation(model(), alone, 1, taihu::parallel::LoopSchedule{});
  taihu::fuzz::run([&] { StatepointTallies("statepoint.h5", simulation.layout()).read(0, 0, 1); });
  resume_from_statepoint(simulation, "statepoint.h5");
  if (!simulation.finished()) simulation.run_batch();
}
