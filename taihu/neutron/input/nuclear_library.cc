// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/nuclear_library.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "taihu/base/error.h"
#include "taihu/neutron/input/ace_file.h"
#include "taihu/neutron/input/element.h"
#include "taihu/neutron/input/nuclide_hdf5.h"

namespace taihu::neutron {
namespace {

namespace fs = std::filesystem;

/// Constants of CODATA 2018: 1e24 atoms per mol, and the mass of a neutron in g/mol.
constexpr double avogadro_barn = 0.602214076, neutron_mass = 1.00866491595;

/// Other files are ACE tables.
bool is_hdf5(const std::string& file) {
  return file.ends_with(".h5") || file.ends_with(".hdf5");
}

/// A material at a temperature with a density: a medium.
struct Mixture {
  MaterialId material;
  double temperature = 0;  ///< K
  double density = 0;      ///< g/cm3; 0: the material's
  auto operator<=>(const Mixture&) const = default;
};

class Builder {
 public:
  Builder(Model& model, const NuclearLibrary& library)
      : model_(model), library_(library), data_(std::make_shared<NuclearData>()) {}

  void build() {
    find_mixtures();
    find_reactions();
    for (const auto& [name, temperatures] : nuclide_temperatures_) read_nuclide(name, temperatures);
    for (const auto& [name, temperatures] : thermal_temperatures_) read_thermal(name, temperatures);
    data_->finish();
    for (Material& material : model_.materials) find_densities(material);
    std::map<Mixture, MediumId> media;
    for (const Mixture& mixture : mixtures_) media[mixture] = medium_of(parts_of(mixture));
    data_->per_atom_of_medium.resize(data_->media());
    for (const auto& [mixture, medium] : media)
      data_->per_atom_of_medium[medium.index()] = parts_per_atom(medium, mixture.temperature);
    data_->medium_of_instance.resize(model_.geometry.distributed.size());
    for (std::size_t i = 0; i < model_.geometry.cells.size(); ++i) {
      const std::vector<Mixture> mixtures = mixtures_of(i);
      std::vector<MediumId> here;
      for (const Mixture& mixture : mixtures)
        here.push_back(mixture.material ? media.at(mixture) : MediumId());
      const int distributed = model_.geometry.cells[i].distributed;
      data_->distributed_of_cell.push_back(distributed);
      data_->medium_of_cell.push_back(here.empty() ? MediumId() : here[0]);
      if (distributed >= 0) data_->medium_of_instance[distributed] = std::move(here);
    }
    warn_of_missing_reactions();
    model_.nuclear = data_;
  }

 private:
  /// What fills a cell: one, or one for each instance; nothing: it has no material.
  std::vector<Mixture> mixtures_of(std::size_t index) const {
    const Cell& cell = model_.geometry.cells[index];
    const CellText& text = model_.geometry.cell_texts[index];
    if (cell.fill != Fill::material) return {};
    std::vector<MaterialId> materials{cell.material()};
    if (cell.distributed >= 0) materials = model_.geometry.distributed[cell.distributed].materials;
    const auto of_instance = [](const std::vector<double>& values, std::size_t i, double otherwise) {
      return values.empty() ? otherwise : values[values.size() == 1 ? 0 : i];
    };
    std::vector<Mixture> mixtures;
    for (std::size_t i = 0; i < materials.size(); ++i)
      mixtures.push_back(!materials[i]
                             ? Mixture{}
                             : Mixture{materials[i],
                                       of_instance(text.temperatures, i, temperature_of(materials[i])),
                                       of_instance(text.densities, i, 0)});
    return mixtures;
  }

  double temperature_of(MaterialId material) const {
    const double own = model_.materials[material.index()].temperature;
    return own >= 0 ? own : model_.settings.temperature_default;
  }

  void find_mixtures() {
    for (std::size_t i = 0; i < model_.geometry.cells.size(); ++i)
      for (const Mixture& mixture : mixtures_of(i))
        if (mixture.material) mixtures_.insert(mixture);
    for (const auto& [material, temperature, density] : mixtures_) {
      for (const Material::Constituent& part : model_.materials[material.index()].constituents)
        nuclide_temperatures_[part.nuclide].insert(temperature);
      for (const Material::ThermalUse& use : model_.materials[material.index()].thermal)
        thermal_temperatures_[use.table].insert(temperature);
    }
    for (const Tally& tally : model_.tallies)
      for (const std::string& name : tally.nuclides)
        if (!tally.multiply_density && name != total_nuclide && per_atom_.insert(name).second)
          for (const Mixture& mixture : mixtures_) nuclide_temperatures_[name].insert(mixture.temperature);
    // Materials that are in no cell still need masses for their densities.
    for (const Material& material : model_.materials)
      for (const Material::Constituent& part : material.constituents)
        if (nuclide_temperatures_[part.nuclide].empty())
          nuclide_temperatures_[part.nuclide].insert(model_.settings.temperature_default);
  }

  /// Reactions that tallies count and transport does not need. It has capture.
  void find_reactions() {
    std::set<int> reactions;
    for (const Tally& tally : model_.tallies)
      for (const Score score : tally.scores)
        if (mt_of(score) > 0 && !is_of_transport(mt_of(score))) reactions.insert(mt_of(score));
    counts_capture_ = reactions.erase(mt_capture) > 0;
    reactions_.assign(reactions.begin(), reactions.end());
  }

  void warn_of_missing_reactions() {
    const auto warn_without = [&](int mt, const auto& has) {
      if (std::none_of(data_->library.begin(), data_->library.end(), has))
        model_.warnings.push_back("tallies count " + name_of(reaction_score(mt)) +
                                  ", for which no nuclide has data: it is zero");
    };
    if (counts_capture_) warn_without(mt_capture, [](const auto& data) { return captures(*data); });
    for (const int mt : reactions_)
      warn_without(mt, [&](const auto& data) { return std::ranges::count(data->tallied, mt) > 0; });
  }

  static bool captures(const NuclideData& data) {
    return std::ranges::any_of(data.temperatures, [](const NuclideData::AtTemperature& at) {
      return std::ranges::any_of(at.capture, [](double xs) { return xs > 0; });
    });
  }

  std::vector<Nuclide::Share> shares_for(const std::vector<double>& kTs, double temperature,
                                         const std::string& what) const {
    return choose_temperatures(kTs, temperature, model_.settings.interpolate_temperature,
                               model_.settings.temperature_tolerance, what);
  }

  ChooseTemperatures chooser(const std::set<double>& temperatures, const std::string& what) const {
    return [this, temperatures, what](const std::vector<double>& kTs) {
      std::set<std::size_t> wanted;
      for (const double temperature : temperatures)
        for (const Nuclide::Share& share : shares_for(kTs, temperature, what))
          wanted.insert(share.temperature);
      return std::vector<std::size_t>(wanted.begin(), wanted.end());
    };
  }

  /// Of the first material that has the nuclide or thermal table.
  std::string place_of(const std::string& name) const {
    for (const Material& material : model_.materials) {
      for (const Material::Constituent& part : material.constituents)
        if (part.nuclide == name) return material.place;
      for (const Material::ThermalUse& use : material.thermal)
        if (use.table == name) return material.place;
    }
    return "";
  }

  const std::string& file_of(const std::map<std::string, std::string>& files, const std::string& name) const {
    const auto found = files.find(name);
    check_input(found != files.end(),
                place_of(name) + library_.path + ": the library has no data for \"" + name + "\"");
    return found->second;
  }

  template <typename Data>
  static std::vector<double> kTs_of(const Data& data) {
    std::vector<double> kTs;
    for (const auto& at : data.temperatures) kTs.push_back(at.kT);
    return kTs;
  }

  void read_nuclide(const std::string& name, const std::set<double>& temperatures) {
    const std::string& file = file_of(library_.nuclides, name);
    const ChooseTemperatures choose = chooser(temperatures, file + ": " + name);
    data_->library.push_back(is_hdf5(file) ? read_nuclide_hdf5(file, name, choose, reactions_)
                                           : read_nuclide_ace(file, name, choose, reactions_));
    NuclideData& read = *data_->library.back();
    read_cold_elastic(file, read);
    if (!model_.settings.probability_tables)
      for (NuclideData::AtTemperature& at : read.temperatures) at.unresolved = {};
    const std::vector<double> kTs = kTs_of(read);
    for (const double temperature : temperatures) {
      const std::vector<Nuclide::Share> shares = shares_for(kTs, temperature, file + ": " + name);
      double kT = 0;
      for (const Nuclide::Share& share : shares) kT += share.weight * kTs[share.temperature];
      nuclides_[{name, temperature}] = NuclideId(data_->nuclides.size());
      data_->nuclides.emplace_back(read, shares, Energy(kT));
    }
  }

  /// For resonance scattering. A nuclide that is named needs the data.
  void read_cold_elastic(const std::string& file, NuclideData& read) const {
    const Settings::Resonances& wanted = model_.settings.resonances;
    const bool named =
        std::find(wanted.nuclides.begin(), wanted.nuclides.end(), read.name) != wanted.nuclides.end();
    if (!wanted.wanted || (!named && !wanted.nuclides.empty())) return;
    const bool found = is_hdf5(file) && read_cold_elastic_hdf5(file, read);
    check_input(
        found || !named,
        file + ": " + read.name + " has no elastic cross section at 0 K, which resonance_scattering needs");
  }

  void read_thermal(const std::string& name, const std::set<double>& temperatures) {
    const std::string& file = file_of(library_.thermals, name);
    const ChooseTemperatures choose = chooser(temperatures, file + ": " + name);
    data_->thermal_library.push_back(is_hdf5(file) ? read_thermal_hdf5(file, name, choose)
                                                   : read_thermal_ace(file, name, choose));
    ThermalTable& read = *data_->thermal_library.back();
    for (ThermalTable::AtTemperature& at : read.temperatures) at.inelastic.index_energies();
    for (const double temperature : temperatures) {
      thermals_[{name, temperature}] = ThermalId(data_->thermals.size());
      data_->thermals.emplace_back(read, shares_for(kTs_of(read), temperature, file + ": " + name));
    }
  }

  double mass_of(const std::string& nuclide) const {
    for (const auto& data : data_->library)
      if (data->name == nuclide) return data->awr * neutron_mass;
    return 0;
  }

  /// Atoms per barn and cm of each constituent.
  void find_densities(Material& material) const {
    double atoms = 0, mass = 0;
    std::vector<double> amounts;
    for (const Material::Constituent& part : material.constituents) {
      const double weight = mass_of(part.nuclide);
      amounts.push_back(part.by_weight ? part.amount / weight : part.amount);
      atoms += amounts.back();
      mass += amounts.back() * weight;
    }
    double density = material.density;  // of all atoms
    const std::string& units = material.density_units;
    if (units == "sum") density = atoms;
    if (units == "g/cc" || units == "g/cm3") density *= avogadro_barn * atoms / mass;
    if (units == "kg/m3") density *= 1e-3 * avogadro_barn * atoms / mass;
    if (units == "atom/cm3") density *= 1e-24;
    for (const double amount : amounts) material.atom_densities.push_back(density * amount / atoms);
  }

  /// g/cm3
  double mass_density(const Material& material) const {
    double sum = 0;
    for (std::size_t i = 0; i < material.constituents.size(); ++i)
      sum += material.atom_densities[i] * mass_of(material.constituents[i].nuclide);
    return sum / avogadro_barn;
  }

  /// Materials of the same composition share a medium, as sums over hundreds of nuclides take much time and
  /// memory.
  MediumId medium_of(const std::vector<MediumPart>& parts) {
    const auto alike = [](const MediumPart& a, const MediumPart& b) {
      return std::tie(a.nuclide, a.density, a.thermal, a.thermal_fraction, a.isotropic) ==
             std::tie(b.nuclide, b.density, b.thermal, b.thermal_fraction, b.isotropic);
    };
    for (const auto& [known, medium] : media_)
      if (std::ranges::equal(known, parts, alike)) return medium;
    media_.emplace_back(parts, data_->add_medium(parts));
    return media_.back().second;
  }

  std::vector<MediumPart> parts_of(const Mixture& mixture) const {
    const Material& material = model_.materials[mixture.material.index()];
    const double factor = mixture.density > 0 ? mixture.density / mass_density(material) : 1;
    std::vector<MediumPart> parts;
    for (std::size_t i = 0; i < material.constituents.size(); ++i) {
      MediumPart part;
      part.nuclide = nuclides_.at({material.constituents[i].nuclide, mixture.temperature});
      part.density = factor * material.atom_densities[i];
      part.isotropic = std::find(material.isotropic.begin(), material.isotropic.end(),
                                 material.constituents[i].nuclide) != material.isotropic.end();
      parts.push_back(part);
    }
    for (const Material::ThermalUse& use : material.thermal)
      assign_thermal(material, use, mixture.temperature, parts);
    return parts;
  }

  std::vector<MediumPart> parts_per_atom(MediumId medium, double temperature) const {
    std::vector<MediumPart> parts;
    for (const std::string& name : per_atom_) {
      MediumPart part;
      part.nuclide = nuclides_.at({name, temperature});
      for (const MediumPart& own : data_->parts(medium))
        if (own.nuclide == part.nuclide) part = own;
      part.density = 1;
      parts.push_back(part);
    }
    return parts;
  }

  void assign_thermal(const Material& material, const Material::ThermalUse& use, double temperature,
                      std::vector<MediumPart>& parts) const {
    const ThermalId table = thermals_.at({use.table, temperature});
    const std::vector<std::string>& names = data_->thermal(table).table().nuclides;
    bool used = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (std::find(names.begin(), names.end(), material.constituents[i].nuclide) == names.end()) continue;
      check_input(!parts[i].thermal, material.place + "material " + std::to_string(material.id) +
                                         ": two thermal tables are for " + material.constituents[i].nuclide);
      parts[i].thermal = table;
      parts[i].thermal_fraction = use.fraction;
      used = true;
    }
    check_input(used, material.place + "material " + std::to_string(material.id) + ": the thermal table " +
                          use.table + " is not for any of its nuclides");
  }

  Model& model_;
  const NuclearLibrary& library_;
  std::shared_ptr<NuclearData> data_;
  std::set<Mixture> mixtures_;
  std::set<std::string> per_atom_;  ///< nuclides
  std::vector<int> reactions_;      ///< MT
  bool counts_capture_ = false;     ///< a tally does
  std::map<std::string, std::set<double>> nuclide_temperatures_, thermal_temperatures_;
  std::map<std::pair<std::string, double>, NuclideId> nuclides_;
  std::map<std::pair<std::string, double>, ThermalId> thermals_;
  std::vector<std::pair<std::vector<MediumPart>, MediumId>> media_;
};

}  // namespace

NuclearLibrary read_cross_sections_xml(const std::string& path) {
  const auto file = std::make_shared<const XmlFile>(path);
  Element root(file, file->root());
  root.require(root.tag() == "cross_sections", "<cross_sections> is expected here");
  NuclearLibrary library;
  library.path = path;
  fs::path folder = fs::path(path).parent_path();
  if (root.has("directory")) {
    const fs::path directory = root.text("directory");
    folder = directory.is_absolute() ? directory : folder / directory;
  }
  for (Element element : root.children("library")) {
    const std::string type = element.text("type");
    const fs::path data = element.text("path");
    const std::vector<std::string> names = element.words("materials");
    const std::string place = (data.is_absolute() ? data : folder / data).string();
    element.finish();
    // Photons and resonances by poles are not used here.
    if (type != "neutron" && type != "thermal") continue;
    for (const std::string& name : names)
      (type == "neutron" ? library.nuclides : library.thermals)[name] = place;
  }
  root.ignore("depletion_chain");  // for depletion codes
  root.finish();
  return library;
}

void add_nuclear_data(Model& model, const NuclearLibrary& library) {
  Builder(model, library).build();
}

}  // namespace taihu::neutron
