// SPDX-License-Identifier: Apache-2.0
// What the readers accept, what they refuse and how; damaged files.
#include "taihu/neutron/input/read_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/input/text_library.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

/// The message with which a model is refused, without its folder.
std::string reading_refusal(const std::string& model) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  folder.write("model.xml", model);
  try {
    read_model(folder.path());
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string prefix = folder.path() + "/";
    for (std::size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }
  return "accepted";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string good_model = model_text(geometry_text("rectangular"), settings_text(),
                                          "<tally id=\"1\"><scores>flux</scores></tally>\n");

TEST(ReadModel, ReadsAGoodOne) {
  EXPECT_EQ(reading_refusal(good_model), "accepted");
}

/// The error of a filter, at the place of `element` behind a first line.
std::string filter_refusal(const std::string& element) {
  return reading_refusal(
      model_text(geometry_text("rectangular"), settings_text(),
                 "\n  " + element + "<tally id=\"1\"><filters>1</filters><scores>flux</scores></tally>\n"));
}

TEST(ReadModel, RefusesInstancesThatAreNotThere) {
  const auto filter = [](const std::string& type, const std::string& bins) {
    return filter_refusal("<filter id=\"1\" type=\"" + type + "\"><bins>" + bins + "</bins></filter>");
  };
  const std::string place = "model.xml:22:3: <filter>: ";
  EXPECT_EQ(filter("distribcell", "1"), "accepted");
  EXPECT_EQ(filter("distribcell", "7"), place + "there is no cell 7");
  EXPECT_EQ(filter("distribcell", "1 2"), place + "a distribcell filter has one cell");
  EXPECT_EQ(filter("cellinstance", "1 0 9 0 1 11"), "accepted");
  EXPECT_EQ(filter("cellinstance", "1 12"), place + "cell 1 has no instance 12, but 12");
  EXPECT_EQ(filter("cellinstance", "1 -1"), place + "cell 1 has no instance -1, but 12");
  EXPECT_EQ(filter("cellinstance", "1 3 2 3 1 3"), place + "instance 3 of cell 1 is there twice");
  EXPECT_EQ(filter("cellinstance", "1 3 2"), place + "\"bins\" has pairs of a cell and an instance");
  EXPECT_EQ(filter("cellinstance", "7 3"), place + "there is no cell 7");
}

TEST(ReadModel, RefusesWithFileLineAndName) {
  const std::pair<std::string, std::string> cases[] = {
      {changed(good_model, "type=\"z-cylinder\"", "type=\"z-ellipse\""),
       "model.xml:9:1: <surface>: type \"z-ellipse\" is not supported"},
      {changed(good_model, "0 0 0.45", "0 0"), "model.xml:9:1: <surface>: z-cylinder needs 3 coefficients"},
      {changed(good_model, "0 0 0.45", "0 0 -1"), "model.xml:9:1: <surface>: the radius has to be positive"},
      {changed(good_model, "region=\"-7\"", "region=\"-17\""),
       "model.xml:10:1: <cell>: there is no surface 17"},
      {changed(good_model, "region=\"-7\"", "region=\"-7 (\""),
       "model.xml:10:1: <cell>: region \"-7 (\": a surface number is expected at character 5"},
      {changed(good_model, "material=\"1\"/>", "material=\"7\"/>"),
       "model.xml:10:1: <cell>: there is no material 7"},
      {changed(good_model, "material=\"1\"/>", "material=\"1\" temperature=\"600\"/>"),
       "model.xml:10:1: <cell>: temperatures of cells need continuous-energy data; multi-group data have one "
       "for all"},
      {changed(good_model, "fill=\"10\"", "fill=\"77\""),
       "model.xml:12:1: <cell>: it is filled with 77, which is neither a universe nor a lattice"},
      {changed(good_model, "<outer>2</outer>", "<outer>5</outer>"),
       "model.xml:13:1: <lattice>: there is no universe 5"},
      {changed(good_model, "1 1 1 2</universes>", "1 1 1</universes>"),
       "model.xml:13:1: <lattice>: \"universes\" has 15 entries instead of 16"},
      {changed(good_model, "<particles>500</particles>", "<particles>many</particles>"),
       "model.xml:15:1: <settings>: \"particles\" has to be a whole number, not \"many\""},
      {changed(good_model, "multi-group", "continuous-energy"),
       "model.xml:3:30: <density>: units \"macro\" are not supported"},
      {changed(good_model, "multi-group", "grey"),
       "model.xml:15:1: <settings>: energy_mode \"grey\" is not known"},
      {changed(good_model, "<batches>6", "<ufs_mesh>1</ufs_mesh><batches>6"),
       "model.xml:15:1: <settings>: there is no mesh 1 for ufs_mesh"},
      {changed(good_model, "<batches>6", "<volume_calc/><batches>6"),
       "model.xml:16:65: <volume_calc>: is not supported inside <settings>"},
      {changed(good_model, "<scores>flux", "<scores>flux heating"),
       "model.xml:21:1: <tally>: score \"heating\" needs continuous-energy data"},
      {changed(good_model, "<scores>flux", "<nuclides>U235</nuclides><scores>total"),
       "model.xml:21:1: <tally>: there are no data for the nuclide \"U235\""},
      {changed(good_model, "<scores>flux", "<triggers/><scores>flux"),
       "model.xml:21:15: <triggers>: is not supported inside <tally>"},
      {changed(good_model, "</settings>", "</setting>"),
       "model.xml:19:3: not well-formed XML (Start-end tags mismatch)"},
      {changed(good_model, "<macroscopic name=\"fuel\"/>", "<macroscopic name=\"lead\"/>"),
       "model.xml:3:1: library.json: the library has no cross sections named \"lead\""},
      {changed(good_model, "<macroscopic name=\"fuel\"/>", "<nuclide name=\"U235\" ao=\"1\"/>"),
       "model.xml:3:64: <nuclide>: is not supported inside <material>"},
      {"", "model.xml:1:1: not well-formed XML (No document element found)"},
  };
  for (const auto& [model, message] : cases) EXPECT_EQ(reading_refusal(model), message);
}

TEST(ReadModel, DamagedXmlIsReadOrRefusedWithOneLine) {
  const std::string models[] = {good_model, model_text(geometry_text("hexagonal"), settings_text()),
                                model_text(geometry_text("boolean"), settings_text())};
  Random random(11);
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string text = models[i % 3];
    const int damage = 1 + static_cast<int>(random.below(3));
    for (int d = 0; d < damage; ++d) {
      const std::size_t at = random.below(text.size()), length = random.below(12);
      if (random.below(3) == 0)
        text.erase(at, length);
      else if (random.below(2) == 0)
        text.insert(at, text.substr(random.below(text.size()), length));
      else
        text[at] =
            static_cast<char>(random.below(2) == 0 ? random.below(256) : "0-9<>\"/ ~|("[random.below(11)]);
    }
    const std::string message = reading_refusal(text);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    refused += message != "accepted";
  }
  EXPECT_GT(refused, 500);
}

TEST(ReadModel, HasTheSameCrossSectionsFromTextAndFromHdf5) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  folder.write("model.xml", changed(good_model, "library.json", "library.h5"));
  write_multigroup_library(folder.path("library.h5"), read_text_library(folder.path("library.json"), {}));
  const Model binary = read_model(folder.path());
  const Model text = model_from_text(good_model);
  for (int reaction = 0; reaction < reaction_count; ++reaction)
    for (int material = 0; material < 2; ++material)
      for (int g = 0; g < 2; ++g)
        EXPECT_EQ(binary.data.value(static_cast<Reaction>(reaction), MaterialId(material), GroupId(g)),
                  text.data.value(static_cast<Reaction>(reaction), MaterialId(material), GroupId(g)));
  EXPECT_EQ(binary.data.group_edges(), text.data.group_edges());
}

TEST(ReadModel, DamagedLibrariesAreRefusedWithOneLine) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  write_multigroup_library(folder.path("good.h5"), read_text_library(folder.path("library.json"), {}));
  std::ifstream file(folder.path("good.h5"), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  for (std::size_t keep = 0; keep < bytes.size(); keep += 97) {
    folder.write("cut.h5", bytes.substr(0, keep));
    try {
      read_multigroup_library(folder.path("cut.h5"), {"fuel", "water"}, 294);
      ADD_FAILURE() << "a library cut to " << keep << " bytes was read";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_TRUE(std::string(error.what()).starts_with(folder.path("cut.h5")));
    }
  }
}

TEST(ReadModel, LibrariesThatDoNotFitAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::function<void(Hdf5File&)>& make) -> std::string {
    const std::string path = folder.path("made.h5");
    {
      Hdf5File file(path, Hdf5File::Mode::create);
      file.write_attribute("/", "energy_groups", std::int64_t{1});
      file.write_attribute("/", "group structure", std::vector<double>{1, 2});
      make(file);
      file.close();
    }
    try {
      read_multigroup_library(path, {"a"}, 294);
    } catch (const Error& error) {
      return std::string(error.what()).substr(path.size() + 2);
    }
    return "accepted";
  };
  EXPECT_EQ(refused([](Hdf5File&) {}), "the library has no cross sections named \"a\"");
  EXPECT_EQ(refused([](Hdf5File& file) { file.make_group("/a"); }), "group /a/kTs is missing");
  const auto entry = [](Hdf5File& file) {
    file.make_group("/a");
    file.make_group("/a/kTs");
    file.write_number("/a/kTs/294K", 0.0253);
    file.make_group("/a/294K");
    file.write_attribute("/a", "order", std::int64_t{0});
  };
  EXPECT_EQ(refused([&](Hdf5File& file) {
              entry(file);
              file.write_attribute("/a", "representation", std::string("angle"));
            }),
            "/a: representation \"angle\" is not supported, only \"isotropic\"");
  EXPECT_EQ(refused([&](Hdf5File& file) { entry(file); }), "data set /a/294K/absorption is missing");
  EXPECT_EQ(refused([&](Hdf5File& file) {
              entry(file);
              file.write("/a/294K/absorption", {1, 2});
            }),
            "/a/294K: absorption has 2 values for 1 groups");
}

TEST(ReadModel, WithoutASourceItIsOpenMCs) {
  const std::string source =
      "<source><space type=\"box\"><parameters>-2 -2 -2 2 2 2</parameters></space></source>";
  const std::vector<Source> sources = model_from_text(changed(good_model, source, "")).settings.sources;
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].strength, 1);
  EXPECT_EQ(sources[0].space, Source::Space::point);
  EXPECT_EQ(length(sources[0].lower), 0);
  EXPECT_EQ(sources[0].angle, Source::Angle::isotropic);
  EXPECT_EQ(sources[0].energy.type, Distribution::Type::watt);
  EXPECT_EQ(sources[0].energy.a, 0.988e6);
  EXPECT_EQ(sources[0].energy.b, 2.249e-6);
  EXPECT_FALSE(sources[0].only_fissionable);
}

TEST(ReadModel, SeparateFilesAreAModelToo) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  const auto part = [&](const std::string& tag) {
    const std::size_t first = good_model.find("<" + tag + ">"), last = good_model.find("</" + tag + ">");
    folder.write(tag + ".xml", "<?xml version='1.0' encoding='utf-8'?>\n" +
                                   good_model.substr(first, last - first) + "</" + tag + ">");
  };
  for (const char* tag : {"materials", "geometry", "settings", "tallies"}) part(tag);
  EXPECT_EQ(read_model(folder.path()).tallies.size(), 1u);
  std::filesystem::remove(folder.path("geometry.xml"));
  EXPECT_THROW(read_model(folder.path()), Error);
}

}  // namespace
}  // namespace taihu::neutron
