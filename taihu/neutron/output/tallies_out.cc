// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/tallies_out.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/neutron/tally/estimate.h"

namespace taihu::neutron {
namespace {

std::string mesh_cell_text(const Mesh& mesh, int cell) {
  std::string text = "Mesh Index (" + std::to_string(cell % mesh.shape[0] + 1);
  if (mesh.dimensions > 1) text += ", " + std::to_string(cell / mesh.shape[0] % mesh.shape[1] + 1);
  if (mesh.dimensions > 2) text += ", " + std::to_string(cell / mesh.shape[0] / mesh.shape[1] + 1);
  return text + ")";
}

std::string axis_name(MeshType type, int axis) {
  if (type == MeshType::cylindrical) return axis == 0 ? "r" : axis == 1 ? "phi" : "z";
  if (type == MeshType::spherical) return axis == 0 ? "r" : axis == 1 ? "theta" : "phi";
  return std::string(1, static_cast<char>('x' + axis));
}

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
    case FilterType::mesh:
      return mesh_cell_text(*compiled.mesh, bin);
    case FilterType::meshborn:
      return mesh_cell_text(*compiled.mesh, bin) + " (born)";
    case FilterType::meshsurface: {
      const int faces = 4 * compiled.mesh->dimensions, face = bin % faces;
      return mesh_cell_text(*compiled.mesh, bin / faces) + (face % 2 == 0 ? " Outgoing, " : " Incoming, ") +
             axis_name(compiled.mesh->type, face / 4) + (face % 4 < 2 ? "-min" : "-max");
    }
    case FilterType::mu:
    case FilterType::musurface:
    case FilterType::polar:
    case FilterType::azimuthal:
    case FilterType::time:
      std::snprintf(text, sizeof text, "%s [%g, %g)",
                    filter.type == FilterType::mu          ? "Change-in-Angle"
                    : filter.type == FilterType::musurface ? "Mu-Surface"
                    : filter.type == FilterType::polar     ? "Polar Angle"
                    : filter.type == FilterType::time      ? "Time"
                                                           : "Azimuthal Angle",
                    filter.energies[bin], filter.energies[bin + 1]);
      return text;
    case FilterType::collision:
      return "Collision Number " + std::to_string(filter.bin_ids[bin]);
    case FilterType::sphericalharmonics: {
      const int l = static_cast<int>(std::sqrt(bin + 0.5));
      return "Spherical harmonic expansion, Y" + std::to_string(l) + "," + std::to_string(bin - l * l - l);
    }
    case FilterType::spatiallegendre:
      return std::string("Legendre expansion, ") + static_cast<char>('x' + filter.axis) + " axis, P" +
             std::to_string(bin);
    case FilterType::zernike: {
      int n = 0;
      while ((n + 1) * (n + 2) / 2 <= bin) ++n;
      return "Zernike expansion, Z" + std::to_string(n) + "," +
             std::to_string(2 * (bin - n * (n + 1) / 2) - n);
    }
    case FilterType::zernikeradial:
      return "Zernike expansion, Z" + std::to_string(2 * bin) + ",0";
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
      return "Distributed Cell " + compiled.instances[0].table->path(geometry, bin, CellId(filter.bins[0]));
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
                                        "Decay Rate",
                                        "Prompt Fission Power",
                                        "Recoverable Fission Power"};
  return score < Score::first_reaction ? titles[static_cast<std::size_t>(score)] : name_of(score);
}

void write_title(std::FILE* file, const Tally& tally) {
  std::string title =
      " TALLY " + std::to_string(tally.id) + (tally.name.empty() ? "" : ": " + tally.name) + " ";
  const std::size_t rest = title.size() < 78 ? 78 - title.size() : 0;
  title = std::string(rest / 2, '=') + ">" + title + "<" + std::string(rest - rest / 2, '=');
  std::fprintf(file, "%s\n\n", title.c_str());
}

/// The text of one tally, combination after combination. The name of a filter's bin is written where it
/// changes.
class TallyText {
 public:
  TallyText(std::FILE* file, const TallyLayout& layout, const Geometry& geometry, std::size_t index,
            bool intervals)
      : intervals_(intervals),
        file_(file),
        layout_(layout),
        geometry_(geometry),
        tally_(layout.tallies[index]),
        compiled_(layout.compiled[index]),
        last_(tally_.filters.size(), -1) {}

  /// `first_bin`: of the combination, in `statistics`.
  void write(std::int64_t combination, const TallyView& statistics, std::int64_t first_bin) {
    bool changed = false;
    int indent = 1;
    for (std::size_t i = 0; i < tally_.filters.size(); ++i, ++indent) {
      const Filter& filter = layout_.filters[tally_.filters[i]];
      const int bin = static_cast<int>(combination / compiled_.filters[i].stride % filter.bin_count);
      changed = changed || bin != last_[i];
      if (changed)
        std::fprintf(file_, "%*s%s\n", indent, "",
                     bin_text(filter, compiled_.filters[i], geometry_, bin).c_str());
      last_[i] = bin;
    }
    for (std::size_t column = 0; column < compiled_.columns.size(); ++column) {
      const int nuclide = compiled_.columns[column].nuclide;
      if (column % tally_.scores.size() == 0)
        std::fprintf(file_, "%*s%s\n", indent, "",
                     nuclide < 0 ? "Total Material" : layout_.nuclides[nuclide].c_str());
      const std::int64_t bin = first_bin + static_cast<std::int64_t>(column);
      const Estimate value = estimate(statistics.sum[bin], statistics.sum_sq[bin], statistics.realizations);
      std::fprintf(
          file_, "%*s%-36s %.6g +/- %.6g\n", indent + 1, "",
          title_of(compiled_.columns[column].score).c_str(), value.mean,
          intervals_ ? value.deviation * confidence_factor(statistics.realizations) : value.deviation);
    }
  }

 private:
  bool intervals_;  ///< half widths of confidence intervals instead of deviations
  std::FILE* file_;
  const TallyLayout& layout_;
  const Geometry& geometry_;
  const Tally& tally_;
  const TallyLayout::CompiledTally& compiled_;
  std::vector<int> last_;  ///< bin of each filter
};

}  // namespace

void write_tallies_out(const TallyLayout& layout, const Geometry& geometry, const TallySource& source,
                       const std::string& path, std::int64_t most_values, bool intervals) {
  write_file(path, [&](std::FILE* file) {
    for (std::size_t i = 0; i < layout.tallies.size(); ++i) {
      const TallyLayout::CompiledTally& compiled = layout.compiled[i];
      write_title(file, layout.tallies[i]);
      TallyText text(file, layout, geometry, i, intervals);
      if (compiled.bin_count() > most_values)
        std::fprintf(file, " %lld values, which are in the statepoint; --all-tallies writes them here\n",
                     static_cast<long long>(compiled.bin_count()));
      else
        for_each_piece(layout, source, i,
                       [&](std::int64_t first, std::int64_t n, const TallyView& statistics) {
                         for (std::int64_t at = 0; at < n; ++at)
                           text.write(first + at, statistics, at * compiled.width);
                       });
      std::fprintf(file, "\n");
    }
  });
}

}  // namespace taihu::neutron
