// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/result_files.h"

#include <filesystem>
#include <limits>
#include <optional>

#include "taihu/base/formatted.h"
#include "taihu/base/output_file.h"
#include "taihu/neutron/output/picture.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/output/statepoint_tallies.h"
#include "taihu/neutron/output/summary.h"
#include "taihu/neutron/output/tallies_out.h"

namespace taihu::neutron {

std::string ResultFiles::place(const std::string& name) const {
  return (std::filesystem::path(folder_) / name).string();
}

std::string ResultFiles::statepoint_after(int batch) const {
  return place(statepoint_name(batch, model_.settings.last_batch()));
}

std::string ResultFiles::source_after(int batch) const {
  const std::string name =
      statepoint_name(batch, model_.settings.last_batch()).substr(std::string("statepoint").size());
  std::filesystem::path file(batch == 0 ? "source.h5" : "source" + name);
  if (model_.settings.mcpl_source) file.replace_extension(".mcpl");
  return place(file.string());
}

std::string ResultFiles::collision_track(int file) const {
  return place(file == 0 ? "collision_track.h5" : "collision_track." + std::to_string(file) + ".h5");
}

std::string ResultFiles::surface_source_after(int batch, bool only) const {
  const char* const ending = model_.settings.surface_banking.mcpl ? ".mcpl" : ".h5";
  return place((only ? "surface_source" : "surface_source." + std::to_string(batch)) + ending);
}

std::string ResultFiles::picture_of(const TallyLayout& layout, std::size_t tally, std::size_t column) const {
  const TallyLayout::Column& of = layout.compiled[tally].columns[column];
  const std::string nuclide = of.nuclide < 0 ? "" : layout.nuclides[of.nuclide] + "_";
  return place("tally_" + std::to_string(layout.tallies[tally].id) + "_" + nuclide + name_of(of.score) +
               ".png");
}

void ResultFiles::look_at(const TallyLayout& layout) const {
  const Settings& settings = model_.settings;
  std::vector<std::string> files{statepoint_after(settings.last_batch())};
  for (const int batch : settings.statepoint_batches) files.push_back(statepoint_after(batch));
  for (const int batch : settings.source_batches) files.push_back(source_after(batch));
  if (settings.write_latest_source) files.push_back(source_after(0));
  if (settings.surface_banking.wanted) files.push_back(surface_source_after(settings.last_batch(), true));
  if (settings.collision_tracking.wanted) files.push_back(collision_track(0));
  if (!settings.tracked.empty()) files.push_back(tracks());
  if (settings.write_summary) files.push_back(place("summary.h5"));
  if (settings.write_tallies && !layout.empty()) files.push_back(place("tallies.out"));
  for (std::size_t tally = 0; tally < layout.tallies.size(); ++tally)
    for (std::size_t i = 0; i < layout.compiled[tally].columns.size() && is_map(layout, tally); ++i)
      files.push_back(picture_of(layout, tally, i));
  for (const std::string& file : files) writable_file(file, "");
}

void ResultFiles::write(const Simulation& simulation,
                        const std::function<void(const std::string&)>& say) const {
  if (model_.settings.write_summary) write_summary(model_, place("summary.h5"));
  const TallyLayout& layout = simulation.layout();
  if (layout.empty()) return;
  // With several ranks no rank has all statistics. They are read from the file that all ranks have written.
  std::optional<StatepointTallies> file;
  if (simulation.shares().ranks() > 1) file.emplace(statepoint_after(simulation.batch()), layout);
  const TallySource source = [&](std::size_t tally, std::int64_t first, std::int64_t count) -> TallyView {
    if (file) return file->read(tally, first, count);
    const TallyStatistics& all = simulation.statistics();
    const std::int64_t begin = layout.compiled[tally].first_bin + first;
    return {std::span(all.sum).subspan(begin, count), std::span(all.sum_sq).subspan(begin, count),
            all.realizations};
  };
  const std::int64_t most = all_tallies_ ? std::numeric_limits<std::int64_t>::max() : most_text_values;
  if (model_.settings.write_tallies)
    write_tallies_out(layout, model_.geometry, source, place("tallies.out"), most,
                      model_.settings.confidence_intervals);
  for (std::size_t i = 0; i < layout.tallies.size() && model_.settings.write_tallies; ++i)
    if (layout.compiled[i].bin_count() > most)
      say(
          formatted("tallies.out is without tally %d: its %lld values are in the statepoint; --all-tallies "
                    "writes them as text",
                    layout.tallies[i].id, static_cast<long long>(layout.compiled[i].bin_count())));
  for (std::size_t tally = 0; tally < layout.tallies.size(); ++tally) {
    const std::vector<Picture> pictures = draw_mesh_tally(layout, source, tally);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      pictures[i].save_png(picture_of(layout, tally, i));
      say("picture: " + picture_of(layout, tally, i));
    }
  }
}

}  // namespace taihu::neutron
