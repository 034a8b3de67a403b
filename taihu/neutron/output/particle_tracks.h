// SPDX-License-Identifier: Apache-2.0
// Files of tracks in OpenMC's format 3.0, which its Python class openmc.Tracks reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// A file of tracks that grows with the run.
class TrackFile {
 public:
  /// Writes nothing. The model has to outlive it.
  TrackFile(std::string path, const Model& model);
  ~TrackFile();
  TrackFile(const TrackFile&) = delete;
  TrackFile& operator=(const TrackFile&) = delete;

  /// The first call makes a new file, which replaces one of the name; later ones append to it, so that all of
  /// a run takes as long as its points. The file has its name whenever it is complete; while it is appended
  /// to, .part is behind it. While somebody reads it, a copy is appended to and replaces it: the reader keeps
  /// the file as it was. Throws Error.
  void add(const std::vector<GenerationTracks>& tracks);

 private:
  class Places;
  void append(const std::vector<GenerationTracks>& tracks);
  void write(Hdf5File& file, const std::vector<GenerationTracks>& tracks);

  std::string path_;
  const Model* model_;
  std::unique_ptr<Places> places_;  ///< from the first call on
};

}  // namespace taihu::neutron
