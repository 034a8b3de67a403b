// SPDX-License-Identifier: Apache-2.0
// Tables of faults that no model may have: each row changes one place of a good model and names the message.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/input/multigroup_library.h"
#include "taihu/neutron/input/nuclear_library.h"
#include "taihu/neutron/input/nuclide_hdf5.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/input/text_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

const std::string flux_in_mesh =
    "<mesh id=\"1\"><dimension>2 2</dimension><lower_left>0 0</lower_left><upper_right>1 "
    "1</upper_right></mesh>"
    "<filter id=\"1\" type=\"mesh\"><bins>1</bins></filter>\n"
    "<filter id=\"2\" type=\"energy\"><bins>0 1 2e7</bins></filter>\n"
    "<tally id=\"1\"><filters>1 2</filters><scores>flux</scores></tally>\n";

const std::string good = model_text(geometry_text("rectangular"), settings_text(), flux_in_mesh);

/// The message with which a model is refused, without the name of its folder, or "accepted". Also makes a
/// simulation of the model, because some faults are detected only then.
std::string refusal(const std::string& model, const std::string& library = library_text()) {
  const TemporaryFolder folder;
  folder.write("library.json", library);
  folder.write("model.xml", model);
  try {
    const Model read = read_model(folder.path());
    parallel::SoloCommunicator ranks;
    const Simulation simulation(read, ranks, 1, {});
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string prefix = folder.path() + "/";
    for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }
  return "accepted";
}

struct Row {
  std::string from, to, message;
};

void expect_all(const std::vector<Row>& rows) {
  for (const auto& [from, to, message] : rows) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    EXPECT_EQ(refusal(text.replace(at, from.size(), to)), message) << from << " -> " << to;
  }
}

TEST(RefusedModels, TheGoodOneIsGood) {
  EXPECT_EQ(refusal(good), "accepted");
}

TEST(RefusedModels, ACylinderMayHaveNothingInside) {
  std::string text = good;
  text.replace(text.find("<geometry>"), 10,
               "<geometry><surface id=\"277\" type=\"z-cylinder\" coeffs=\"0 0 0\"/>");
  EXPECT_EQ(refusal(text), "accepted");
}

TEST(RefusedModels, SurfacesThatAreNone) {
  const std::string radius = "the radius has to be positive",
                    cone = "the radius (or r2 of a cone) has to be positive";
  const std::string torus = "the radii have to be positive",
                    quadric = "a quadric needs one of its first nine coefficients other than 0";
  const std::string plane = "a plane needs A, B or C other than 0", large = "a coefficient is beyond 1e100";
  const struct {
    std::string type, coefficients, message;
  } surfaces[] = {
      {"plane", "0 0 0 1", plane},
      {"plane", "1e-300 0 0 1", plane},
      {"quadric", "0 0 0 0 0 0 0 0 0 0", quadric},
      {"quadric", "0 0 0 0 0 0 0 0 0 5", quadric},
      {"quadric", "1e200 0 0 0 0 0 0 0 0 5", large},
      {"z-cylinder", "0 0 -1", radius},
      {"x-cylinder", "0 0 1e-200", radius},
      {"y-cylinder", "1e200 0 1", large},
      {"sphere", "0 0 0 0", cone},
      {"sphere", "0 0 0 -2", cone},
      {"x-cone", "0 0 0 0", cone},
      {"z-cone", "0 0 0 -1", cone},
      {"z-torus", "0 0 0 -1 1 1", torus},
      {"x-torus", "0 0 0 1 0 1", torus},
      {"y-torus", "0 0 0 1 1 0", torus},
      {"sphere", "0 0 0 nan", "\"coeffs\": \"nan\" is not a number of double precision"},
      {"sphere", "0 0 inf 1", "\"coeffs\": \"inf\" is not a number of double precision"},
      {"sphere", "0 0 0 1e309", "\"coeffs\": \"1e309\" is not a number of double precision"},
      {"sphere", "0 0 0 0x1", "\"coeffs\": \"0x1\" is not a number of double precision"},
      {"sphere", "0 0 0 1 1", "sphere needs 4 coefficients"},
      {"sphere", "", "sphere needs 4 coefficients"},
  };
  for (const auto& surface : surfaces)
    expect_all({{"type=\"z-cylinder\" coeffs=\"0 0 0.45\"",
                 "type=\"" + surface.type + "\" coeffs=\"" + surface.coefficients + "\"",
                 "model.xml:9:1: <surface>: " + surface.message}});
}

TEST(RefusedModels, Geometries) {
  const std::string surface = "model.xml:9:1: <surface>: ", cell = "model.xml:10:1: <cell>: ";
  const std::string lattice = "model.xml:13:1: <lattice>: ", root_cell = "model.xml:12:1: <cell>: ";
  expect_all({
      {"id=\"7\"", "id=\"0\"", surface + "\"id\" has to be positive"},
      {"id=\"7\"", "id=\"6\"", surface + "surface 6 is there twice"},
      {"id=\"7\"", "id=\"99999999999\"", surface + "\"id\" has to be a whole number, not \"99999999999\""},
      {"id=\"7\"", "id=\"\"", surface + "\"id\" has to be a whole number, not \"\""},
      {"id=\"7\"", "id=\"7\" id=\"8\"", surface + "\"id\" is there twice"},
      {"coeffs=\"0 0 0.45\"", "coeffs=\"0 0 0.45\" albedo=\"-1\"",
       surface + "\"albedo\" must not be negative"},
      {"coeffs=\"0 0 0.45\"/>", "coeffs=\"0 0 0.45\">5</surface>",
       surface + "the text \"5\" is not expected here"},
      {"coeffs=\"0 0 0.45\"", "coeffs=\"0 0 0.45\" periodic_surface_id=\"7\"",
       surface + "a surface is not its own periodic partner"},
      {"coeffs=\"0 0 0.45\"", "coeffs=\"0 0 0.45\" periodic_surface_id=\"70\"",
       surface + "there is no surface 70, which periodic_surface_id names"},
      {"coeffs=\"0 0 0.45\"", "coeffs=\"0 0 0.45\" boundary=\"periodic\"",
       surface + "surface 7: boundary condition \"periodic\" inside universe 1 is not supported; put it on "
                 "surfaces "
                 "of cells of the root universe"},
      {"<cell id=\"1\"", "<cell id=\"-1\"", cell + "\"id\" must not be negative"},
      {"<cell id=\"1\" universe=\"1\"", "<cell id=\"1\" universe=\"-4\"",
       cell + "\"universe\" must not be negative"},
      {"region=\"-7\" material=\"1\"", "region=\"-7\" material=\"\"", cell + "\"material\" is empty"},
      {"region=\"-7\" material=\"1\"", "region=\"-7\" material=\"1 2\"",
       cell + "2 values are given for the instances of the cell, which has 12"},
      {"region=\"-7\" material=\"1\"", "region=\"-7\"", cell + "a cell has either \"material\" or \"fill\""},
      {"region=\"-7\"", "region=\"-7\n | 8x\"", cell + "there is no surface 8"},
      {"region=\"-7\"", "region=\"-7 \t ^\"",
       cell + "region \"-7   ^\": a surface number is expected at character 6"},
      {"fill=\"10\"/>", "fill=\"-1\"/>",
       root_cell + "it is filled with -1, which is neither a universe nor a lattice"},
      {"fill=\"10\"/>", "fill=\"0\"/>",
       "model.xml:11:1: <cell>: universes 1 and 2 are both in no cell; one root is needed"},
      {"<cell id=\"3\" universe=\"2\" material=\"2\"/>", "<cell id=\"3\" universe=\"2\" fill=\"10\"/>",
       "model.xml:11:1: <cell>: universe 2 contains itself"},
      {"<lattice id=\"10\">", "<lattice id=\"2\">", lattice + "2 is a universe already"},
      {"<dimension>4 4</dimension><lower_left>-2 -2", "<dimension>0 4</dimension><lower_left>-2 -2",
       lattice + "\"dimension\" and \"pitch\" have to be positive"},
      {"<dimension>4 4</dimension><lower_left>-2 -2", "<dimension>60000 60000</dimension><lower_left>-2 -2",
       lattice + "more than 10^8 elements"},
      {"<pitch>1 1", "<pitch>1 0", lattice + "\"dimension\" and \"pitch\" have to be positive"},
      {"<pitch>1 1", "<pitch>1 1e-30",
       lattice + "\"pitch\" is too small or too large compared with \"lower_left\""},
      {"<pitch>1 1", "<pitch>1 1e308",
       lattice + "\"pitch\" is too small or too large compared with \"lower_left\""},
      {"<pitch>1 1", "<pitch>1 <!-- y --> 1", "accepted"},
      {"<pitch>1 1", "<pitch unit=\"cm\">1 1",
       "model.xml:13:74: <pitch>: has attributes, but its text is its value"},
      {"<pitch>1 1", "<pitch><x/>1 1", "model.xml:13:74: <pitch>: has elements, but its text is its value"},
  });
}

TEST(RefusedModels, RegionsAreShownWhereTheyAreWrong) {
  std::string region = "-7";
  for (int i = 0; i < 5000; ++i) region += " | -7";
  const std::size_t at = good.find("region=\"-7\"");
  std::string text = good;
  text.replace(at, 11, "region=\"" + region + " # " + region + "\"");
  const std::string message = refusal(text);
  EXPECT_EQ(message,
            "model.xml:10:1: <cell>: region \"...| -7 | -7 | -7 | -7 | -7 | -7 | -7 | -7 # -7 | -7 | -7 | -7 "
            "| -7 | "
            "-7 | -7 | -7 ...\": a surface number is expected at character 25004");
}

TEST(RefusedModels, Materials) {
  const std::string material = "model.xml:3:1: <material>: ", density = "model.xml:3:30: <density>: ";
  expect_all({
      {"<density units=\"macro\" value=\"1\"/>", "",
       material + "<density> is missing; units=\"macro\" value=\"1\" is the library's own"},
      {"value=\"1\"", "value=\"0\"", density + "\"value\" has to be positive"},
      {"value=\"1\"", "value=\"-1\"", density + "\"value\" has to be positive"},
      {"value=\"1\"", "value=\"\"", density + "\"value\" has to be one number"},
      {"value=\"1\"", "value=\"1 2\"", density + "\"value\" has to be one number"},
      {"value=\"1\"", "value=\"1e999\"",
       density + "\"value\": \"1e999\" is not a number of double precision"},
      {"id=\"1\" name=\"fuel\"", "id=\"-1\" name=\"fuel\"", material + "\"id\" must not be negative"},
      {"id=\"1\" name=\"fuel\"", "id=\"2\" name=\"fuel\"",
       "model.xml:4:1: <material>: material 2 is there twice"},
      {"<macroscopic name=\"fuel\"/>", "",
       material + "a material has exactly one <macroscopic> in a multi-group model"},
      {"<macroscopic name=\"fuel\"/>", "<macroscopic name=\"\"/>",
       "model.xml:3:64: <macroscopic>: \"name\" is not a name that a library can have"},
      {"<macroscopic name=\"fuel\"/>", "<macroscopic name=\"a\nb\"/>",
       "model.xml:3:1: library.json: the library has no cross sections named \"a b\""},
      {"name=\"water\"><density", "name=\"w&#10;x\"><density foo=\"a&#10;b\"",
       "model.xml:4:33: <density>: \"foo\" is not supported here"},
  });
}

TEST(RefusedModels, Settings) {
  const std::string settings = "model.xml:15:1: <settings>: ", space = "model.xml:17:9: <space>: ";
  const std::string box = "<parameters>-2 -2 -2 2 2 2</parameters></space>";
  const auto energy = [&](const std::string& type, const std::string& parameters) {
    return box + "<energy type=\"" + type + "\" parameters=\"" + parameters + "\"/>";
  };
  const std::string at_energy = "model.xml:17:74: <energy>: ", at_source = "model.xml:17:1: <source>: ";
  expect_all({
      {box, "<parameters>-2 -2 2 2 2 -2</parameters></space>",
       space + "the lower corner of the box is above the upper one"},
      {box, "<parameters>3 -2 -2 2 2 2</parameters></space>",
       space + "the lower corner of the box is above the upper one"},
      {box, "<parameters>-2 -2 -2 2 2</parameters></space>", space + "\"parameters\" has six numbers"},
      {box, energy("discrete", "1e6 0"), at_energy + "probabilities are all zero or have no sum"},
      {box, energy("discrete", "1e6 2e6 1"),
       at_energy + "\"parameters\" has as many values as probabilities"},
      {box, energy("discrete", "1e6 -1"), at_energy + "probabilities must not be negative"},
      {box, energy("discrete", ""), at_energy + "\"parameters\" has as many values as probabilities"},
      {box, energy("discrete", "-1e6 1"), at_source + "<energy> has values below 0"},
      {box, energy("discrete", "0 1"), at_source + "<energy> has no energy above 0"},
      {box, energy("tabular", "2 1 1 1"), at_energy + "a table needs two points that rise"},
      {box, energy("tabular", "1 2 0 1"),
       at_energy + "the densities of the table are zero wherever they count"},
      {box, energy("uniform", "2 1"), at_energy + "the lower end is above the upper one"},
      {box, energy("uniform", "-1 1"), at_source + "<energy> has values below 0"},
      {box, energy("watt", "1e6 -1"), at_energy + "\"b\" must not be negative"},
      {box, energy("maxwell", "0"), at_energy + "the temperature has to be positive"},
      {box, energy("powerlaw", "2 1 2"), at_energy + "impossible powerlaw"},
      {box, box + "<angle type=\"mu-phi\"><mu type=\"uniform\" parameters=\"-2 1\"/></angle>",
       "model.xml:17:74: <angle>: <mu> has values outside of -1 to 1"},
      {box, box + "<angle type=\"monodirectional\" reference_uvw=\"0 0 0\"/>",
       "model.xml:17:74: <angle>: \"reference_uvw\" is zero"},
      {"<space type=\"box\">" + box,
       "<space type=\"spherical\"><r type=\"uniform\" parameters=\"-1 1\"/></space>",
       space + "<r> has values below 0"},
      {"<source>", "<source strength=\"0\">", settings + "all sources have the strength 0"},
      {"<source>", "<source strength=\"-1\">", at_source + "\"strength\" must not be negative"},
      {"<particles>500", "<particles>0", settings + "\"particles\" has to be positive and below 2^40"},
      {"<particles>500", "<particles>1e3", settings + "\"particles\" has to be a whole number, not \"1e3\""},
      {"<particles>500", "<particles>9999999999999999999",
       settings + "\"particles\" has to be a whole number, not \"9999999999999999999\""},
      {"<batches>6", "<batches>-6", settings + "\"batches\" has to be positive and at most 10^8"},
      {"<batches>6", "<generations_per_batch>2000000000</generations_per_batch><batches>6",
       settings + "\"generations_per_batch\" has to be positive, and at most 10^9 in all batches"},
      {"<inactive>2", "<inactive>6", settings + "\"inactive\" has to be less than \"batches\""},
      {"<inactive>2", "<max_lost_particles>0</max_lost_particles><inactive>2",
       settings + "impossible number of lost particles"},
      {"<inactive>2", "<seed>0</seed><inactive>2", settings + "\"seed\" has to be positive"},
      {"<inactive>2", "<seed>1</seed><seed>2</seed><inactive>2", settings + "<seed> is there twice"},
      {"<inactive>2", "<state_point batches=\"0\"/><inactive>2",
       "model.xml:16:85: <state_point>: \"batches\" are numbered from 1"},
      {"<inactive>2", "<tabular_legendre num_points=\"1\"/><inactive>2",
       "model.xml:16:85: <tabular_legendre>: \"num_points\" has to be from 2 to 100000"},
      {"<entropy_mesh>9", "<entropy_mesh>8", settings + "there is no mesh 8 for entropy_mesh"},
  });
}

TEST(RefusedModels, Tallies) {
  const std::string mesh = "model.xml:21:1: <mesh>: ", energy = "model.xml:22:1: <filter>: ",
                    tally = "model.xml:23:1: ";
  expect_all({
      {"<mesh id=\"1\"><dimension>2 2", "<mesh id=\"1\"><dimension>2 0",
       mesh + "\"dimension\" has to be positive"},
      {"<mesh id=\"1\"><dimension>2 2", "<mesh id=\"1\"><dimension>200000 200000",
       mesh + "more than 10^9 mesh cells"},
      {"<upper_right>1 1", "<upper_right>0 1", mesh + "the mesh has no width"},
      {"<upper_right>1 1", "<upper_right>1e-320 1", mesh + "the mesh has no width"},
      {"<lower_left>0 0</lower_left><upper_right>1 1",
       "<lower_left>-1e308 0</lower_left><upper_right>1e308 1",
       mesh + "the mesh is too small or too large compared with \"lower_left\""},
      {"0 1 2e7", "1 0 2e7", energy + "\"bins\" has at least two energies that rise"},
      {"0 1 2e7", "0 1 1", energy + "\"bins\" has at least two energies that rise"},
      {"0 1 2e7", "1", energy + "\"bins\" has at least two energies that rise"},
      {"0 1 2e7", "-1 1 2e7", energy + "\"bins\" has a negative energy"},
      {"0 1 2e7", "0 3 2e7",
       "model.xml:22:1: filter 2: the energy 3.000000 eV is not an edge of the library's groups, so a group "
       "would "
       "belong to two bins"},
      {"<filter id=\"2\"", "<filter id=\"1\"", energy + "filter 1 is there twice"},
      {"<filter id=\"2\" type=\"energy\"><bins>0 1 2e7", "<filter id=\"2\" type=\"mesh\"><bins>1",
       tally + "tally 1 has two mesh filters; one is supported"},
      {"<filter id=\"2\" type=\"energy\"><bins>0 1 2e7", "<filter id=\"2\" type=\"cell\"><bins>9 1",
       "model.xml:22:1: filter 2: cell 1 is inside cell 9; a point would count twice, make two filters"},
      {"<filter id=\"2\" type=\"energy\"><bins>0 1 2e7", "<filter id=\"2\" type=\"cell\"><bins>",
       energy + "\"bins\" is empty"},
      {"<filters>1 2", "<filters>1 1", tally + "<tally>: filter 1 is there twice"},
      {"<filters>1 2", "<filters>3", tally + "<tally>: there is no filter 3"},
      {"<scores>flux", "<scores>", tally + "<tally>: \"scores\" is empty"},
      {"<scores>flux", "<estimator>analog</estimator><nuclides></nuclides><scores>flux",
       tally + "<tally>: \"nuclides\" is empty"},
  });
}

TEST(RefusedModels, WhatOnlyTheWholeModelShows) {
  const std::string source = "model.xml:17:1: the source gives no ";
  const std::string lattice =
      "<dimension>4 4</dimension><lower_left>-2 -2</lower_left><pitch>1 1</pitch><outer>2</outer>"
      "<universes>1 1 1 1  1 2 2 1  1 2 1 1  1 1 1 2</universes></lattice>\n";
  // 10 x 10 x ... instances: each lattice is in each element of the one above it.
  std::string deep =
      "<dimension>10 10</dimension><lower_left>-2 -2</lower_left><pitch>1 "
      "1</pitch><outer>2</outer><universes>";
  const std::string ten_by_ten = deep;
  for (int i = 0; i < 100; ++i) deep += "30 ";
  deep += "</universes></lattice>\n";
  for (int level = 30; level < 34; ++level) {
    const std::string name = std::to_string(level), below = level == 33 ? "1" : std::to_string(level + 1);
    deep += "<cell id=\"" + name + "\" universe=\"" + name + "\" fill=\"1" + name + "\"/><lattice id=\"1" +
            name + "\">" + ten_by_ten;
    for (int i = 0; i < 100; ++i) deep += below + " ";
    deep += "</universes></lattice>";
  }
  deep += "\n";
  expect_all({
      {"<macroscopic name=\"fuel\"/>", "<macroscopic name=\"water\"/>",
       "model.xml:15:1: run mode eigenvalue, but no material is fissionable"},
      {"-2 -2 -2 2 2 2</parameters>", "5 5 5 6 6 6</parameters>",
       source + "point inside the model (10000 points were tried); correct its <space>"},
      {"box\"><parameters>-2 -2 -2 2 2 2", "fission\"><parameters>2.9 2.9 2.9 3 3 3",
       source + "point inside the model that is fissionable (10000 points were tried); correct its <space>"},
      {lattice, deep, "accepted"},
  });
  std::string text = good;
  text.replace(text.find(lattice), lattice.size(), deep);
  text.replace(text.find("type=\"mesh\"><bins>1"), 19, "type=\"distribcell\"><bins>1");
  EXPECT_EQ(refusal(text), "model.xml:22:105: <filter>: universe 1 has more than 2^31 instances");
}

TEST(RefusedModels, TextThatIsNoXml) {
  std::string text = good;
  text.insert(text.find("fuel"), "\xff");
  EXPECT_EQ(refusal(text), "model.xml:3:24: the byte 0xff is not a character of XML in UTF-8");
  text = good;
  text.insert(text.find("fuel"), "\xc0\xaf");
  EXPECT_EQ(refusal(text), "model.xml:3:24: the byte 0xc0 is not a character of XML in UTF-8")
      << "longer than needed";
  text = good;
  text.insert(text.find("fuel"), "\x01");
  EXPECT_EQ(refusal(text), "model.xml:3:24: the byte 0x01 is not a character of XML in UTF-8");
  for (const char* const reference : {"&#0;", "&#xD800;", "&#xFFFFFFFF;", "&#xFFFE;", "&#1;",
                                      "&#99999999999999999999;", "&#;", "&#xq;", "&#65"}) {
    text = good;
    text.insert(text.find("fuel"), reference);
    EXPECT_EQ(refusal(text), "model.xml:3:24: this reference is not to a character of XML") << reference;
  }
  text = good;
  text.insert(text.find("fuel"), "&#xe4;&#20013;&#x1F600;&amp;&lt;");
  EXPECT_EQ(refusal(text), "accepted");
  text = good;
  text.insert(text.find("fuel"), "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80");
  EXPECT_EQ(refusal(text), "accepted") << "the name of a material in any script";
}

TEST(RefusedModels, TextLibraries) {
  const std::string where = "library.json: cross sections \"fuel\"";
  const Row rows[] = {
      {"[0.03, 0.3]", "[0.03]", where + ": absorption has 1 values instead of 2"},
      {"[[0.25, 0.02]", "[[0.25]", where + ": scatter has not one column per group"},
      {"[0.3, 0.9]", "[0.3, -0.9]", where + ": total has the value -0.900000"},
      {"[0.3, 0.9]", "[3e30, 0.9]",
       where + ", group 1: total less absorption is 3e+30, but only 0.27 is scattered"},
      {"[0.03, 0.3]", "[0.03, 30]", where + ", group 2: absorption is larger than total"},
      {"\"chi\": [1, 0]", "\"chi\": [0, 0]", where + ", group 1: chi is zero everywhere"},
      {"[[0.25, 0.02]", "[[0.25, -0.02]", where + ", group 1: scattering to group 2 is negative"},
      {"[1e-5, 1, 2e7]", "[1, 1e-5, 2e7]", "library.json: group_edges_eV has to rise, from 0 eV on"},
      {"[1e-5, 1, 2e7]", "[-1, 1, 2e7]", "library.json: group_edges_eV has to rise, from 0 eV on"},
      {"[1e-5, 1, 2e7]", "[1e-5, 2e7]",
       "library.json: 1 groups have edges, but cross sections \"fuel\" have 2"},
  };
  for (const auto& [from, to, message] : rows) {
    std::string text = library_text();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    EXPECT_EQ(refusal(good, text.replace(at, from.size(), to)), message) << from << " -> " << to;
  }
}

TEST(RefusedModels, Hdf5Libraries) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  const MultigroupLibrary library = read_text_library(folder.path("library.json"), {});
  const auto refused = [&](const std::function<void(MultigroupLibrary&)>& change) -> std::string {
    MultigroupLibrary changed = library;
    change(changed);
    const std::string path = folder.path("made.h5");
    write_multigroup_library(path, changed);
    try {
      read_multigroup_library(path, {"fuel", "water"}, 294);
    } catch (const Error& error) {
      return std::string(error.what()).substr(path.size() + 2);
    }
    return "accepted";
  };
  const std::string fuel = "cross sections \"fuel\"";
  EXPECT_EQ(refused([](MultigroupLibrary&) {}), "accepted");
  EXPECT_EQ(refused([](MultigroupLibrary& l) { l.group_edges[0] = -1; }),
            "\"group structure\" has to rise, from 0 eV on");
  EXPECT_EQ(refused([](MultigroupLibrary& l) { l.group_edges[1] = 1e9; }),
            "\"group structure\" has to rise, from 0 eV on");
  EXPECT_EQ(refused([](MultigroupLibrary& l) { l.data[0].total[0] = std::nan(""); }),
            fuel + ": total has the value nan");
  EXPECT_EQ(refused([](MultigroupLibrary& l) { l.data[0].nu_fission[1] = -1; }),
            fuel + ": nu-fission has the value -1.000000");
  EXPECT_EQ(refused([](MultigroupLibrary& l) { l.data[0].scatter[0] = -1; }),
            fuel + ", group 1: scattering to group 1 is negative");
  EXPECT_EQ(refused([](MultigroupLibrary& l) { l.data[0].chi[0] = 0; }),
            fuel + ", group 1: chi is zero everywhere");
}

/// The format's version of a file that has nothing else.
template <typename Read>
std::string refused_version(const std::string& type, int version, const Read& read) {
  const TemporaryFolder folder;
  const std::string path = folder.path("made.h5");
  {
    Hdf5File file(path, Hdf5File::Mode::create);
    file.write_attribute("/", "filetype", type);
    file.write_attribute("/", "version", std::vector<int>{version, 0});
    file.close();
  }
  try {
    read(path);
  } catch (const Error& error) {
    return std::string(error.what()).substr(path.size() + 2);
  }
  return "accepted";
}

TEST(RefusedModels, OtherVersionsOfFormats) {
  const auto multigroup = [](const std::string& path) { read_multigroup_library(path, {}, 294); };
  const auto nuclide = [](const std::string& path) { read_nuclide_hdf5(path, "U235", {}, {}); };
  const auto thermal = [](const std::string& path) { read_thermal_hdf5(path, "c_H", {}); };
  EXPECT_EQ(refused_version("mgxs", 99, multigroup),
            "this multi-group library has version 99 of its format; version 1 is supported");
  EXPECT_EQ(refused_version("mgxs", 1, multigroup), "attribute \"energy_groups\" of / is missing");
  EXPECT_EQ(refused_version("data_neutron", 1, multigroup),
            "this is not a multi-group library (filetype \"data_neutron\")");
  EXPECT_EQ(refused_version("data_neutron", 99, nuclide),
            "this library of a nuclide has version 99 of its format; version 3 is supported");
  EXPECT_EQ(refused_version("data_neutron", 3, nuclide), "there is no nuclide \"U235\"");
  EXPECT_EQ(refused_version("data_thermal", 99, thermal),
            "this library of thermal scattering has version 99 of its format; version 3 is supported");
  EXPECT_EQ(refused_version("data_neutron", 3, thermal),
            "this is not a library of thermal scattering (filetype \"data_neutron\")");
}

}  // namespace
}  // namespace taihu::neutron
