// SPDX-License-Identifier: Apache-2.0
// The communication plan of a distributed matrix: which own elements of a vector other ranks need and where
// the elements that this rank needs ("ghosts") arrive. A vector has its own elements first and its ghosts
// from `ghost_begin` on, by ascending global index, so those of one rank are consecutive.
#pragma once

#include <cstring>
#include <vector>

#include "taihu/amg/matrix/distribution.h"
#include "taihu/parallel/communicator.h"

namespace taihu::amg {

class Halo {
 public:
  Halo() = default;
  /// The plan for ghosts with the global indices `ghosts` (ascending, none own). Collective.
  Halo(parallel::Communicator& communicator, const Distribution& distribution,
       const std::vector<GlobalIndex>& ghosts);

  bool empty() const { return sends_.empty() && receives_.empty(); }
  LocalIndex ghosts() const { return ghosts_; }

  /// Starts filling the ghosts of `vector`, which begin at vector[ghost_begin]. Own elements must not change
  /// until finish(). Called by one thread of each rank.
  template <class T>
  void start(parallel::Communicator& communicator, T* vector, LocalIndex ghost_begin) {
    if (empty()) return;
    buffer_.resize(send_rows_.size() * sizeof(T));
    auto* packed = reinterpret_cast<T*>(buffer_.data());
    for (std::size_t i = 0; i < send_rows_.size(); ++i) packed[i] = vector[send_rows_[i]];
    begin_messages(communicator, vector + ghost_begin, sizeof(T));
  }
  void finish(parallel::Communicator& communicator) {
    if (!empty()) communicator.finish();
  }
  template <class T>
  void exchange(parallel::Communicator& communicator, T* vector, LocalIndex ghost_begin) {
    start(communicator, vector, ghost_begin);
    finish(communicator);
  }

  /// Rows of this rank that rank `peer` needs, for each peer.
  struct Part {
    int peer;
    LocalIndex begin, count;  ///< in send_rows(), or among the ghosts
  };
  const std::vector<Part>& sends() const { return sends_; }
  const std::vector<Part>& receives() const { return receives_; }
  const std::vector<LocalIndex>& send_rows() const { return send_rows_; }

 private:
  void begin_messages(parallel::Communicator& communicator, void* ghosts, std::size_t element_bytes);

  std::vector<Part> sends_, receives_;
  std::vector<LocalIndex> send_rows_;
  LocalIndex ghosts_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace taihu::amg
