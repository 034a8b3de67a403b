// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/tallies_out.h"

#include <array>
#include <cstdio>
#include <memory>

#include "taihu/base/error.h"
#include "taihu/neutron/file/replace_file.h"

namespace taihu::neutron {
namespace {

std::string bin_text(const Filter& filter, const TallyLayout::CompiledFilter& compiled,
                     const Geometry& geometry, int bin) {
  char text[128];
  switch (filter.type) {
    case FilterType::energy:
      std::snprintf(text, sizeof text, "Incoming Energy [%g, %g)", filter.energies[bin],
                    filter.energies[bin + 1]);
      return text;
    case FilterType::energyout:
      std::snprintf(text, sizeof text, "Outgoing Energy [%g, %g)", filter.energies[bin],
                    filter.energies[bin + 1]);
      return text;
    case FilterType::mesh: {
      const RegularMesh& mesh = *compiled.mesh;
      const int x = bin % mesh.shape[0] + 1, y = bin / mesh.shape[0] % mesh.shape[1] + 1;
      const int z = bin / mesh.shape[0] / mesh.shape[1] + 1;
      if (mesh.dimensions == 1)
        std::snprintf(text, sizeof text, "Mesh Index (%d)", x);
      else if (mesh.dimensions == 2)
        std::snprintf(text, sizeof text, "Mesh Index (%d, %d)", x, y);
      else
        std::snprintf(text, sizeof text, "Mesh Index (%d, %d, %d)", x, y, z);
      return text;
    }
    case FilterType::mu:
    case FilterType::polar:
    case FilterType::azimuthal:
      std::snprintf(text, sizeof text, "%s [%g, %g)",
                    filter.type == FilterType::mu      ? "Change-in-Angle"
                    : filter.type == FilterType::polar ? "Polar Angle"
                                                       : "Azimuthal Angle",
                    filter.energies[bin], filter.energies[bin + 1]);
      return text;
    case FilterType::energyfunction:
      std::snprintf(text, sizeof text, "Energy Function f([%.1e, ..., %.1e]) = [%.1e, ..., %.1e]",
                    filter.energies.front(), filter.energies.back(), filter.factors.front(),
                    filter.factors.back());
      return text;
    case FilterType::legendre:
      return "Legendre expansion, P" + std::to_string(bin);
    case FilterType::particle:
      return "Particle: " + filter.particles[bin];
    case FilterType::delayedgroup:
      return "Delayed Group " + std::to_string(filter.bin_ids[bin]);
    case FilterType::cellfrom:
      return "Cell from " + std::to_string(filter.bin_ids[bin]);
    case FilterType::materialfrom:
      return "Material from " + std::to_string(filter.bin_ids[bin]);
    case FilterType::cellborn:
      return "Birth Cell " + std::to_string(filter.bin_ids[bin]);
    case FilterType::distribcell:
      return "Distributed Cell " + compiled.instances[0].table->path(geometry, bin, filter.bins[0]);
    case FilterType::cellinstance:
      return "Cell " + std::to_string(filter.bin_ids[bin]) + ", Instance " +
             std::to_string(filter.instances[bin]);
    default: {
      std::string name = name_of(filter.type);
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      return name + " " + std::to_string(filter.bin_ids[bin]);
    }
  }
}

std::string title_of(Score score) {
  static constexpr std::array titles = {"Flux",
                                        "Total Reaction Rate",
                                        "Scattering Rate",
                                        "Scattering Production Rate",
                                        "Absorption Rate",
                                        "Fission Rate",
                                        "Nu-Fission Rate",
                                        "Kappa-Fission Rate",
                                        "Current",
                                        "Events",
                                        "Flux-Weighted Inverse Velocity",
                                        "Prompt-Nu-Fission Rate",
                                        "Delayed-Nu-Fission Rate",
                                        "Decay Rate"};
  return score < Score::first_reaction ? titles[static_cast<std::size_t>(score)] : name_of(score);
}

void write_tally(std::FILE* file, const TallyLayout& layout, const Geometry& geometry, std::size_t index,
                 const TallyView& statistics) {
  const Tally& tally = layout.tallies[index];
  const TallyLayout::CompiledTally& compiled = layout.compiled[index];
  std::string title =
      " TALLY " + std::to_string(tally.id) + (tally.name.empty() ? "" : ": " + tally.name) + " ";
  const std::size_t rest = title.size() < 78 ? 78 - title.size() : 0;
  title = std::string(rest / 2, '=') + ">" + title + "<" + std::string(rest - rest / 2, '=');
  std::fprintf(file, "%s\n\n", title.c_str());
  std::vector<int> last(tally.filters.size(), -1);
  for (std::int64_t combination = 0; combination < compiled.combinations; ++combination) {
    int indent = 1;
    bool changed = false;
    for (std::size_t i = 0; i < tally.filters.size(); ++i, ++indent) {
      const Filter& filter = layout.filters[tally.filters[i]];
      const int bin = static_cast<int>(combination / compiled.filters[i].stride % filter.bin_count);
      changed = changed || bin != last[i];
      if (changed)
        std::fprintf(file, "%*s%s\n", indent, "",
                     bin_text(filter, compiled.filters[i], geometry, bin).c_str());
      last[i] = bin;
    }
    for (std::size_t column = 0; column < compiled.columns.size(); ++column) {
      const int nuclide = compiled.columns[column].nuclide;
      if (column % tally.scores.size() == 0)
        std::fprintf(file, "%*s%s\n", indent, "",
                     nuclide < 0 ? "Total Material" : layout.nuclides[nuclide].c_str());
      const std::int64_t bin = combination * compiled.width + column;
      const Estimate value = estimate(statistics.sum[bin], statistics.sum_sq[bin], statistics.realizations);
      std::fprintf(file, "%*s%-36s %.6g +/- %.6g\n", indent + 1, "",
                   title_of(compiled.columns[column].score).c_str(), value.mean, value.deviation);
    }
  }
  std::fprintf(file, "\n");
}

void write_all(const TallyLayout& layout, const Geometry& geometry, const TallySource& statistics_of,
               const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  check_input(file != nullptr, path + ": cannot be written");
  for (std::size_t i = 0; i < layout.tallies.size(); ++i)
    write_tally(file.get(), layout, geometry, i, statistics_of(i));
  check_input(std::fflush(file.get()) == 0 && !std::ferror(file.get()),
              path + ": writing failed; is the disk full?");
}

}  // namespace

void write_tallies_out(const TallyLayout& layout, const Geometry& geometry, const TallySource& statistics_of,
                       const std::string& path) {
  write_and_replace(
      path, [&](const std::string& temporary) { write_all(layout, geometry, statistics_of, temporary); });
}

}  // namespace taihu::neutron
