// SPDX-License-Identifier: Apache-2.0
// The large arrays of a statepoint, tally results and source bank, in parts: each rank writes and reads its
// own.
//
// HDF5 makes the file and reserves room for each array, as one piece; from then on an array is bytes at a
// known place of the file, and any number of ranks can write disjoint parts of it, with any message-passing
// library.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/file/plain_file.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Where the arrays lie in the file; -1: the file has none.
struct PartPlaces {
  std::vector<std::int64_t> results;  ///< by tally
  std::int64_t bank = -1;
  bool bank_is_mcpl = false;  ///< neutrons of a file in MCPL format, else records of HDF5
};

/// The part of one rank.
struct StatepointPart {
  int rank = 0;
  TallyStatistics statistics;  ///< of the bins that the rank owns
  std::vector<Site> source;    ///< its part of the next source
};

/// Makes an array that is not written yet; returns its place. Throws Error.
std::int64_t reserve_results(Hdf5File& file, const std::string& name, std::int64_t combinations,
                             std::int64_t scores);
std::int64_t reserve_bank(Hdf5File& file, std::int64_t neutrons);

/// Place of an array in an existing file. Throws Error when the array is missing, has another size or type,
/// or is stored in another way.
std::int64_t place_of_results(const Hdf5File& file, const std::string& name, std::int64_t bins);
std::int64_t place_of_bank(const Hdf5File& file, std::int64_t neutrons);

/// Both throw Error when the file system fails.
void write_part(const PlainFile& file, const PartPlaces& places, const Simulation& simulation, int rank,
                const TallyStatistics& statistics, const std::vector<Site>& source);
/// Bins of the tally whose results are at `place`, into the bins of `statistics` from run.place on.
void read_results(const PlainFile& file, std::int64_t place, const BinRun& run, TallyStatistics& statistics);
StatepointPart read_part(const PlainFile& file, const PartPlaces& places, const Simulation& simulation,
                         int rank);

}  // namespace taihu::neutron
