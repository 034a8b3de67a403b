// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/statepoint_tallies.h"

#include "taihu/neutron/output/statepoint_parts.h"

namespace taihu::neutron {

StatepointTallies::StatepointTallies(const std::string& path, const TallyLayout& layout)
    : file_(path, PlainFile::Mode::read) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  for (std::size_t i = 0; i < layout.tallies.size(); ++i) {
    const std::string place = "/tallies/tally " + std::to_string(layout.tallies[i].id);
    places_.push_back({place_of_results(file, place + "/results", layout.compiled[i].bin_count()),
                       static_cast<int>(file.integer(place + "/n_realizations"))});
  }
}

TallyView StatepointTallies::read(std::size_t tally, std::int64_t first, std::int64_t count) {
  if (std::ssize(read_.sum) < count) read_.resize(count);
  read_results(file_, places_[tally].in_file, {.place = 0, .bin_in_tally = first, .count = count}, read_);
  const auto size = static_cast<std::size_t>(count);
  return {std::span(read_.sum).first(size), std::span(read_.sum_sq).first(size), places_[tally].realizations};
}

}  // namespace taihu::neutron
