// SPDX-License-Identifier: Apache-2.0
// Sources that begin at the points of a cloud, or in the cells of a mesh.
#include <gtest/gtest.h>

#include <numbers>

#include "taihu/base/error.h"
#include "taihu/neutron/source/source.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

constexpr int sampled_count = 20000;

/// A mesh of each type with cells of unequal volumes, all inside the model.
const std::vector<std::string> meshes{
    "<mesh id=\"5\"><dimension>2 3 2</dimension><lower_left>-2 -1 0</lower_left><upper_right>2 2 1"
    "</upper_right></mesh>",
    "<mesh id=\"5\" type=\"rectilinear\"><x_grid>-2 0 0.5</x_grid><y_grid>-1 2</y_grid><z_grid>0 1 1.5 2.9"
    "</z_grid></mesh>",
    "<mesh id=\"5\" type=\"cylindrical\"><r_grid>0.2 1 1.5</r_grid><phi_grid>0 1 2.5 6</phi_grid><z_grid>-1 "
    "0 2"
    "</z_grid><origin>0.5 0.2 -0.5</origin></mesh>",
    "<mesh id=\"5\" type=\"spherical\"><r_grid>0 1 2</r_grid><theta_grid>0 1 2.2 3</theta_grid><phi_grid>0.1 "
    "2 6"
    "</phi_grid><origin>0.5 0.2 -0.5</origin></mesh>"};

Model fixed_source_model(const std::string& sources) {
  return test_model(
      "rectangular",
      "<run_mode>fixed source</run_mode><energy_mode>multi-group</energy_mode><particles>100"
      "</particles><batches>2</batches><create_fission_neutrons>false</create_fission_neutrons>\n" +
          sources);
}

std::vector<Site> sites_of(const Model& model, int count = sampled_count) {
  const SourceSampler sampler(model.settings.sources, model.geometry, model.data, nullptr);
  CellMemory memory(model.geometry);
  std::vector<Site> sites;
  for (int i = 0; i < count; ++i) {
    Stream random(1, StreamUse::source, 0, i);
    sites.push_back(sampler.sample(random, memory));
  }
  return sites;
}

/// Whether a count is what is expected with a probability; five standard deviations.
void expect_share(std::int64_t count, std::int64_t all, double probability, const std::string& what) {
  const double mean = static_cast<double>(all) * probability;
  EXPECT_NEAR(static_cast<double>(count), mean, 5 * std::sqrt(mean * (1 - probability)) + 1e-9) << what;
}

/// The mesh with each cell cut into eight, or four without a third axis.
Mesh halved(const Mesh& mesh) {
  Mesh fine = mesh;
  for (int axis = 0; axis < mesh.dimensions; ++axis) {
    fine.shape[axis] *= 2;
    fine.width[axis] /= 2;
    if (mesh.type == MeshType::regular) continue;
    fine.edges[axis].clear();
    for (int i = 0; i < mesh.shape[axis]; ++i) {
      fine.edges[axis].push_back(mesh.edge(axis, i));
      fine.edges[axis].push_back(0.5 * (mesh.edge(axis, i) + mesh.edge(axis, i + 1)));
    }
    fine.edges[axis].push_back(mesh.edge(axis, mesh.shape[axis]));
  }
  return fine;
}

TEST(CloudSource, GivesItsPointsInProportionToTheirStrengths) {
  const Model model = fixed_source_model(
      "<source><space type=\"cloud\"><coords>1 0.5 0  -1 0.5 2  0 0 -2</coords><strengths>1 0 3</strengths>"
      "</space></source>");
  std::map<double, int> counts;
  for (const Site& site : sites_of(model)) {
    ++counts[site.r.x];
    EXPECT_EQ(site.r.z, site.r.x == 1 ? 0 : -2);
  }
  ASSERT_EQ(counts.size(), 2u);
  expect_share(counts[1], sampled_count, 0.25, "first point");
  expect_share(counts[0], sampled_count, 0.75, "last point");
  const Model alike =
      fixed_source_model("<source><space type=\"cloud\"><coords>1 0.5 0  -1 0.5 2</coords></space></source>");
  std::int64_t first = 0;
  for (const Site& site : sites_of(alike)) first += site.r.x == 1;
  expect_share(first, sampled_count, 0.5, "points without strengths");
}

TEST(MeshSpace, FillsEachCellEvenly) {
  for (const std::string& text : meshes)
    for (const bool by_volume : {true, false}) {
      const Model model = fixed_source_model(
          "<source><space type=\"mesh\"><mesh_id>5</mesh_id><volume_normalized>" +
          std::string(by_volume ? "true" : "false") + "</volume_normalized></space></source>" + text);
      const Mesh& mesh = *model.settings.sources[0].mesh;
      const Mesh fine = halved(mesh);
      std::vector<std::int64_t> counts(fine.size());
      for (const Site& site : sites_of(model)) {
        ASSERT_GE(fine.index_of(site.r), 0) << text;
        ++counts[fine.index_of(site.r)];
      }
      double all = 0;
      for (int cell = 0; cell < mesh.size(); ++cell) all += mesh.volume(cell);
      for (int index = 0; index < fine.size(); ++index) {
        const int cell = ((index / fine.shape[0] / fine.shape[1] / 2) * mesh.shape[1] +
                          index / fine.shape[0] % fine.shape[1] / 2) *
                             mesh.shape[0] +
                         index % fine.shape[0] / 2;
        const double of_cell = by_volume ? mesh.volume(cell) / all : 1.0 / mesh.size();
        expect_share(counts[index], sampled_count, of_cell * fine.volume(index) / mesh.volume(cell),
                     text + std::to_string(index));
      }
    }
}

TEST(MeshSpace, HasTheVolumesOfItsCells) {
  constexpr double pi = std::numbers::pi;
  const auto volumes = [](const std::string& mesh) {
    const Model model =
        fixed_source_model("<source><space type=\"mesh\"><mesh_id>5</mesh_id></space></source>" + mesh);
    double sum = 0;
    for (int cell = 0; cell < model.settings.sources[0].mesh->size(); ++cell)
      sum += model.settings.sources[0].mesh->volume(cell);
    return sum;
  };
  EXPECT_NEAR(volumes(meshes[0]), 12, 1e-9);
  EXPECT_NEAR(volumes(meshes[1]), 2.5 * 3 * 2.9, 1e-9);
  EXPECT_NEAR(
      volumes("<mesh id=\"5\" type=\"cylindrical\"><r_grid>0 1 2</r_grid><phi_grid>0 1 6.283185307179586"
              "</phi_grid><z_grid>0 1 3</z_grid></mesh>"),
      12 * pi, 1e-9);
  EXPECT_NEAR(
      volumes("<mesh id=\"5\" type=\"spherical\"><r_grid>0 1 2</r_grid><theta_grid>0 1 3.141592653589793"
              "</theta_grid><phi_grid>0 1 6.283185307179586</phi_grid></mesh>"),
      32.0 / 3 * pi, 1e-9);
}

/// Two cells along x, without a third axis, with a fast and a slow source; the second one in fuel only.
const std::string two_cells =
    "<mesh id=\"5\"><dimension>2 1</dimension><lower_left>-2 -2</lower_left><upper_right>2 "
    "2</upper_right></mesh>";
const std::string source_of_mesh =
    "<source type=\"mesh\" mesh=\"5\" strength=\"77\"><source strength=\"3\"><energy "
    "type=\"discrete\"><parameters>1e6 1"
    "</parameters></energy></source><source type=\"independent\" strength=\"1\"><energy type=\"discrete\">"
    "<parameters>0.1 1</parameters></energy><constraints><domain_type>material</domain_type><domain_ids>1"
    "</domain_ids></constraints></source></source>";

TEST(MeshSource, HasASourceForEachCell) {
  const Model model = fixed_source_model(source_of_mesh + two_cells);
  EXPECT_EQ(model.settings.sources[0].strength, 4);
  std::int64_t slow = 0, fuel = 0;
  CellMemory memory(model.geometry);
  for (const Site& site : sites_of(model)) {
    EXPECT_EQ(site.r.z, 0);
    EXPECT_EQ(site.group, GroupId(site.r.x < 0 ? 0 : 1));
    Location location;
    ASSERT_TRUE(locate(model.geometry, memory, site.r, site.u, location));
    if (site.r.x < 0) {
      fuel += location.material == MaterialId(0);
      continue;
    }
    ++slow;
    EXPECT_EQ(location.material, MaterialId(0));
  }
  expect_share(slow, sampled_count, 0.25, "second cell");
  EXPECT_GT(fuel, 0);
  EXPECT_LT(fuel, sampled_count - slow);
}

TEST(MeshSource, CountsWithItsStrengthAmongOthers) {
  const Model model = fixed_source_model(
      "<source strength=\"12\"><space type=\"point\"><parameters>0 0 1</parameters>"
      "</space></source>" +
      source_of_mesh + two_cells);
  std::int64_t of_mesh = 0;
  for (const Site& site : sites_of(model)) of_mesh += site.r.z == 0;
  expect_share(of_mesh, sampled_count, 0.25, "mesh source");
}

/// Threads sample the source together; a history's neutron depends on its number only.
TEST(MeshSource, IsTheSameForAnyThreads) {
  const Model model = fixed_source_model(source_of_mesh + two_cells);
  std::vector<double> places[2];
  for (const int threads : {1, 3}) {
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, threads, parallel::parse_loop_schedule("dynamic,1"));
    simulation.run_batch();
    for (const Site& site : simulation.source()) places[threads == 3].push_back(site.r.x);
  }
  EXPECT_EQ(places[0].size(), 100u);
  EXPECT_EQ(places[0], places[1]);
}

TEST(SourceSpaces, ThatAreWrongAreRefused) {
  const auto refused = [](const std::string& source) {
    try {
      fixed_source_model(source + two_cells);
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find(": ", text.find(":2:") + 1) + 2);
    }
    return std::string("accepted");
  };
  const auto space = [&](const std::string& inside) {
    return refused("<source><space " + inside + "</space></source>");
  };
  EXPECT_NE(space("type=\"cloud\"><coords>1 2</coords>").find("has three numbers for each point"),
            std::string::npos);
  EXPECT_NE(
      space("type=\"cloud\"><coords>1 2 3</coords><strengths>1 2</strengths>").find("has 2 numbers for 1"),
      std::string::npos);
  EXPECT_NE(space("type=\"cloud\"><coords>1 2 3</coords><strengths>0</strengths>").find("are all zero"),
            std::string::npos);
  EXPECT_NE(
      space("type=\"cloud\"><coords>1 2 3</coords><strengths>-1</strengths>").find("must not be negative"),
      std::string::npos);
  EXPECT_NE(space("type=\"mesh\"><mesh_id>6</mesh_id>").find("there is no mesh 6 in <settings>"),
            std::string::npos);
  EXPECT_NE(refused("<source type=\"mesh\" mesh=\"5\"><source/></source>")
                .find("it has 1 sources for 2 cells of the mesh"),
            std::string::npos);
  EXPECT_NE(
      refused("<source type=\"mesh\" mesh=\"5\"><source type=\"file\" file=\"x.h5\"/><source/></source>")
          .find("the source of a cell of a mesh has the type independent"),
      std::string::npos);
  EXPECT_NE(
      refused("<source type=\"mesh\" mesh=\"5\"><source strength=\"0\"/><source strength=\"0\"/></source>")
          .find("are all zero"),
      std::string::npos);
}

}  // namespace
}  // namespace taihu::neutron
