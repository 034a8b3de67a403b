// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/shared_error.h"

#include <algorithm>

#include "taihu/parallel/messages.h"

namespace taihu::parallel {

void throw_together(Communicator& ranks, const std::string& problem, bool wrong_use) {
  if (ranks.size() == 1) {
    if (!problem.empty()) throw SharedError(problem, wrong_use);
    return;
  }
  constexpr std::int64_t fine = 0, failure = 1, usage = 2;
  const std::vector<std::int64_t> found = ranks.all(problem.empty() ? fine : wrong_use ? usage : failure);
  const auto first =
      std::find_if(found.begin(), found.end(), [](std::int64_t state) { return state != fine; });
  if (first == found.end()) return;
  const int which = static_cast<int>(first - found.begin());
  if (ranks.rank() == which) {
    Bytes text;
    append(text, problem.data(), problem.size());
    for (int rank = 0; rank < ranks.size(); ++rank)
      if (rank != which) send_to(ranks, rank, text);
    throw SharedError(problem, wrong_use);
  }
  const Bytes text = receive_from(ranks, which);
  throw SharedError(std::string(reinterpret_cast<const char*>(text.data()), text.size()), *first == usage);
}

}  // namespace taihu::parallel
