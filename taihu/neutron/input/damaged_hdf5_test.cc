// SPDX-License-Identifier: Apache-2.0
// Sound HDF5 files with impossible numbers in them. Most of these were found by the targets of tests/fuzz.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_handle.h"
#include "taihu/neutron/input/nuclide_hdf5.h"
#include "taihu/neutron/nuclide/distribution_table.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

/// Runs `change` on the file, open for writing.
void edit(const std::string& path, const std::function<void(hid_t)>& change) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  change(file);
  H5Fclose(file);
}

/// Changes the first number of a data set.
void overwrite(const std::string& path, const std::string& name, double value) {
  edit(path, [&](hid_t file) {
    const Hdf5Handle set = dataset_handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
    ASSERT_TRUE(set.ok()) << name;
    const Hdf5Handle space = space_handle(H5Dget_space(*set));
    std::vector<double> values(H5Sget_simple_extent_npoints(*space));
    H5Dread(*set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    values[0] = value;
    H5Dwrite(*set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  });
}

std::vector<std::size_t> first(const std::vector<double>&) {
  return {0};
}

/// What `read` says of the file, without its name; "accepted".
std::string said(const std::string& path, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
  }
  return "accepted";
}

TEST(DamagedHdf5, ThermalTables) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.h5"), at = "/c_A/294K/";
  const auto refusal = [&](const std::string& name, double value) {
    write_test_thermal(path, "c_A", "A1");
    overwrite(path, at + name, value);
    return said(path, [&] { read_thermal_hdf5(path, "c_A", first); });
  };
  EXPECT_EQ(refusal("elastic/xs", 0.01), "accepted");
  for (const char* name :
       {"elastic/xs", "inelastic/distribution/energy_out", "inelastic/distribution/mu_out"})
    for (const double value : {std::nan(""), HUGE_VAL, -2.0, 1e300})
      EXPECT_EQ(refusal(name, value), "data set " + at + name + " has an impossible value");
}

/// Reading a mixture that contains itself would never end.
TEST(DamagedHdf5, AMixtureInsideAMixture) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.h5"), elastic = "/c_A/294K/elastic";
  write_test_thermal(path, "c_A", "A1");
  edit(path, [&](hid_t file) {
    const std::string law = elastic + "/distribution";
    H5Adelete_by_name(file, law.c_str(), "type", H5P_DEFAULT);
    const Hdf5Handle type = type_handle(H5Tcopy(H5T_C_S1)), space = space_handle(H5Screate(H5S_SCALAR));
    H5Tset_size(*type, 13);
    const Hdf5Handle owner = object_handle(H5Oopen(file, law.c_str(), H5P_DEFAULT));
    const Hdf5Handle made =
        attribute_handle(H5Acreate2(*owner, "type", *type, *space, H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(*made, *type, "mixed_elastic");
    H5Lcreate_hard(file, law.c_str(), file, (law + "/coherent").c_str(), H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(said(path, [&] { read_thermal_hdf5(path, "c_A", first); }),
            elastic + "/distribution/coherent: a mixture inside a mixture is not supported");
}

/// 32 GB of zeros in a file of some kilobytes.
TEST(DamagedHdf5, ASizeWithoutData) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.h5"), place = "/c_A/294K/elastic/xs";
  write_test_thermal(path, "c_A", "A1");
  edit(path, [&](hid_t file) {
    H5Ldelete(file, place.c_str(), H5P_DEFAULT);
    const hsize_t shape[] = {2, hsize_t{1} << 31}, chunk[] = {2, 8}, none[] = {0, 0};
    const Hdf5Handle space = space_handle(H5Screate_simple(2, shape, nullptr)),
                     list = list_handle(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(*list, 2, chunk);
    const Hdf5Handle set = dataset_handle(
        H5Dcreate2(file, place.c_str(), H5T_NATIVE_DOUBLE, *space, H5P_DEFAULT, *list, H5P_DEFAULT));
    const Hdf5Handle part = space_handle(H5Scopy(*space)),
                     memory = space_handle(H5Screate_simple(2, chunk, nullptr));
    H5Sselect_hyperslab(*part, H5S_SELECT_SET, none, nullptr, chunk, nullptr);
    const double values[16] = {};
    H5Dwrite(*set, H5T_NATIVE_DOUBLE, *memory, *part, H5P_DEFAULT, values);
  });
  EXPECT_EQ(said(path, [&] { read_thermal_hdf5(path, "c_A", first); }),
            "data set " + place + " has a size that its data do not have");
}

TEST(DamagedHdf5, TablesOfDistributions) {
  IncidentGrid grid;
  grid.energy = {1, std::nan(""), 2};
  EXPECT_THROW(grid.check("g"), Error);
  grid.energy = {1, HUGE_VAL};
  EXPECT_THROW(grid.check("g"), Error);
  TabulatedDistribution table;
  table.x = {0, 1e300}, table.p = {1, 1}, table.c = {0, 1};
  EXPECT_THROW(table.check("t"), Error);
}

TEST(DamagedHdf5, Statepoints) {
  const TemporaryFolder folder;
  const Model model =
      test_model("rectangular", settings_text(20, 3, 1), "<tally id=\"2\"><scores>flux</scores></tally>");
  const std::string path = folder.path("s.h5");
  parallel::SoloCommunicator alone;
  const auto refusal = [&](const std::function<void()>& change) {
    Simulation run(model, alone, 1, parallel::LoopSchedule{});
    run.run_batch();
    run.run_batch();
    write_statepoint(run, path);
    change();
    Simulation other(model, alone, 1, parallel::LoopSchedule{});
    return said(path, [&] { resume_from_statepoint(other, path); });
  };
  const auto number = [&](const char* name, double value) {
    return refusal([&] { overwrite(path, name, value); });
  };
  EXPECT_EQ(refusal([] {}), "accepted");
  for (const double value : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(number("/k_generation", value), "k_generation has a number that is impossible");
  EXPECT_EQ(number("/entropy", std::nan("")), "entropy has a number that is impossible");
  EXPECT_EQ(number("/global_tallies", HUGE_VAL), "global_tallies has a number that is impossible");
  EXPECT_EQ(number("/n_realizations", -1), "/n_realizations is -1, which is impossible");
  EXPECT_EQ(number("/tallies/tally 2/n_realizations", 7),
            "/tallies/tally 2/n_realizations is 7, which is impossible");
  EXPECT_EQ(number("/tallies/tally 2/results", std::nan("")), "a result of a tally is not a finite number");
  for (const char* member : {"wgt", "E"})
    for (const double value : {HUGE_VAL, std::nan(""), -1.0})
      EXPECT_EQ(refusal([&] {
                  edit(path, [&](hid_t file) {
                    const Hdf5Handle type = type_handle(H5Tcreate(H5T_COMPOUND, sizeof(double)));
                    H5Tinsert(*type, member, 0, H5T_NATIVE_DOUBLE);
                    const std::vector<double> values(20, value);
                    const Hdf5Handle set = dataset_handle(H5Dopen2(file, "/source_bank", H5P_DEFAULT));
                    ASSERT_GE(H5Dwrite(*set, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
                  });
                }),
                "the source bank has a neutron of impossible place, direction, energy or weight")
          << member << " " << value;
}

}  // namespace
}  // namespace taihu::neutron
