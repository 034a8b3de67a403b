// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/test_models.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "taihu/neutron/input/read_model.h"

namespace taihu::neutron {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "taihu-neutron-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

std::string library_text() {
  return R"({"group_edges_eV": [1e-5, 1, 2e7], "materials": {
 "fuel": {"total": [0.3, 0.9], "absorption": [0.03, 0.3], "fission": [0.01, 0.2], "nu_fission": [0.025, 0.48],
          "kappa_fission": [2e6, 4e7], "chi": [1, 0], "scatter": [[0.25, 0.02], [0, 0.6]]},
 "water": {"total": [0.6, 2.0], "absorption": [0.001, 0.03],
           "scatter": [[[0.549, 0.1], [0.05, 0.01]], [[0.0], [1.97, 0.3]]]}}})";
}

std::string model_text(const std::string& geometry, const std::string& settings, const std::string& tallies) {
  return "<model>\n<materials><cross_sections>library.json</cross_sections>\n"
         "<material id=\"1\" name=\"fuel\"><density units=\"macro\" value=\"1\"/><macroscopic "
         "name=\"fuel\"/></material>\n"
         "<material id=\"2\" name=\"water\"><density units=\"macro\"/><macroscopic "
         "name=\"water\"/></material></materials>\n<geometry>\n" +
         geometry + "</geometry>\n<settings>\n" + settings + "</settings>\n" +
         (tallies.empty() ? "" : "<tallies>\n" + tallies + "</tallies>\n") + "</model>\n";
}

std::string settings_text(int particles, int batches, int inactive) {
  return "<energy_mode>multi-group</energy_mode><particles>" + std::to_string(particles) +
         "</particles><batches>" + std::to_string(batches) + "</batches><inactive>" +
         std::to_string(inactive) +
         "</inactive>\n<source><space type=\"box\"><parameters>-2 -2 -2 2 2 2</parameters></space></source>\n"
         "<mesh id=\"9\"><dimension>4 4</dimension><lower_left>-3 -3</lower_left><upper_right>3 "
         "3</upper_right></mesh>"
         "<entropy_mesh>9</entropy_mesh>\n";
}

std::string geometry_text(const std::string& name) {
  const std::string box =
      "<surface id=\"1\" type=\"x-plane\" coeffs=\"-3\" boundary=\"reflective\"/>"
      "<surface id=\"2\" type=\"x-plane\" coeffs=\"3\" boundary=\"reflective\"/>\n"
      "<surface id=\"3\" type=\"y-plane\" coeffs=\"-3\" boundary=\"reflective\"/>"
      "<surface id=\"4\" type=\"y-plane\" coeffs=\"3\" boundary=\"reflective\"/>\n"
      "<surface id=\"5\" type=\"z-plane\" coeffs=\"-3\" boundary=\"reflective\"/>"
      "<surface id=\"6\" type=\"z-plane\" coeffs=\"3\" boundary=\"reflective\"/>\n"
      "<surface id=\"7\" type=\"z-cylinder\" coeffs=\"0 0 0.45\"/>\n";
  const std::string inside = "1 -2 3 -4 5 -6";
  const std::string pin =
      "<cell id=\"1\" universe=\"1\" region=\"-7\" material=\"1\"/><cell id=\"2\" universe=\"1\" "
      "region=\"7\" "
      "material=\"2\"/>\n<cell id=\"3\" universe=\"2\" material=\"2\"/>\n";
  if (name == "rectangular")
    return box + pin + "<cell id=\"9\" region=\"" + inside +
           "\" fill=\"10\"/>\n<lattice id=\"10\"><dimension>4 4</dimension><lower_left>-2 -2</lower_left>"
           "<pitch>1 1</pitch><outer>2</outer><universes>1 1 1 1  1 2 2 1  1 2 1 1  1 1 1 "
           "2</universes></lattice>\n";
  if (name == "hexagonal")
    return box + pin + "<cell id=\"9\" region=\"" + inside +
           "\" fill=\"10\"/>\n<hex_lattice id=\"10\" n_rings=\"2\" n_axial=\"2\" outer=\"2\"><center>0 0 "
           "0</center>"
           "<pitch>1.7 2.5</pitch><universes>1 1 1 2 1 1 1  11 11 11 11 2 2 1</universes></hex_lattice>\n"
           "<cell id=\"11\" universe=\"11\" fill=\"12\"/><hex_lattice id=\"12\" n_rings=\"2\" "
           "orientation=\"x\" "
           "outer=\"2\"><center>0 0</center><pitch>0.5</pitch><universes>1 2 2 1 2 1 "
           "2</universes></hex_lattice>\n";
  if (name == "rotated")
    return box + pin +
           "<cell id=\"4\" universe=\"3\" region=\"-7 | 7\" fill=\"10\"/>\n<cell id=\"9\" region=\"" +
           inside +
           "\" fill=\"3\" rotation=\"20 35 50\" translation=\"0.3 -0.2 0.4\"/>\n"
           "<lattice id=\"10\"><dimension>3 3 3</dimension><lower_left>-1.5 -1.5 -1.5</lower_left>"
           "<pitch>1 1 1</pitch><outer>2</outer><universes>1 1 1 1 2 1 1 1 1  2 1 2 1 1 1 2 1 2  1 1 1 2 2 2 "
           "1 1 1"
           "</universes></lattice>\n";
  return box +
         "<surface id=\"8\" type=\"sphere\" coeffs=\"0.5 0 0 1.5\"/><surface id=\"9\" type=\"z-torus\" "
         "coeffs=\"0 0 0 2 0.5 0.4\"/>\n<surface id=\"10\" type=\"x-cone\" coeffs=\"-1 0 0 0.3\"/>\n"
         "<cell id=\"1\" region=\"" +
         inside + " (-8 | -9) ~(-10 -7)\" material=\"1\"/>\n<cell id=\"2\" region=\"" + inside +
         " ~((-8 | -9) ~(-10 -7))\" material=\"2\"/>\n";
}

Model model_from_text(const std::string& model) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  folder.write("model.xml", model);
  return read_model(folder.path());
}

Model test_model(const std::string& geometry, const std::string& settings, const std::string& tallies) {
  return model_from_text(model_text(geometry_text(geometry), settings, tallies));
}

}  // namespace taihu::neutron
