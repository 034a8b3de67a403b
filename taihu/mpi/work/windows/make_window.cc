// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/make_window.h"

#include <new>
#include <utility>

#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/work/windows/agreement.h"
#include "taihu/mpi/work/windows/epochs.h"
#include "taihu/mpi/work/windows/serve_window.h"

namespace taihu::mpi::windows {
namespace {

/// Made with the first window of a rank: from then on its node process answers calls about windows.
class WindowService final : public RankPart {
 public:
  explicit WindowService(Rank& rank) { serve_windows(rank.node()); }
};

/// What a member tells the others about its part.
struct Announcement {
  std::uint64_t exposure;
  std::uint64_t base;
  std::int64_t size_bytes;
  std::int64_t displacement_unit;
  std::int32_t process;
};

void check(const Communicator& communicator, const Offer& offer) {
  require(!communicator.is_inter(), MPI_ERR_COMM, "windows need an intracommunicator");
  require(offer.size_bytes >= 0, MPI_ERR_SIZE, "the size of the window is negative");
  require(offer.displacement_unit > 0, MPI_ERR_DISP, "the displacement unit of the window is not positive");
}

Reference<Window> make_window(Communicator& communicator, int flavor, WindowHints hints) {
  Rank& rank = communicator.owner;
  rank.part<WindowService>(Part::windows);
  Reference<Window> window(new Window(rank, duplicate(communicator), flavor));
  window->hints.set(std::move(hints));
  return window;
}

/// Tells the other members about my part and learns about theirs.
void connect(Window& window, const Offer& offer) {
  window.exposure.base = offer.base;
  window.exposure.size_bytes = window.size_bytes = offer.size_bytes;
  window.displacement_unit = static_cast<int>(offer.displacement_unit);
  const auto here = static_cast<std::int32_t>(window.owner.node().process());
  const Announcement mine{reinterpret_cast<std::uintptr_t>(&window.exposure),
                          reinterpret_cast<std::uintptr_t>(offer.base), offer.size_bytes,
                          offer.displacement_unit, here};
  unsigned member = 0;
  for (const Announcement& theirs : from_all(*window.communicator, mine)) {
    Target& target = window.targets[member++];
    target.is_mapped = theirs.process == here;
    if (target.is_mapped)
      target.exposure = reinterpret_cast<Exposure*>(static_cast<std::uintptr_t>(theirs.exposure));
    target.base = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(theirs.base));
    target.size_bytes = theirs.size_bytes;
    target.displacement_unit = theirs.displacement_unit;
    target.process = theirs.process;
    target.remote = theirs.exposure;
  }
}

}  // namespace

Reference<Window> create_window(Communicator& communicator, const Offer& offer, WindowHints hints) {
  check(communicator, offer);
  require(offer.base != nullptr || offer.size_bytes == 0, MPI_ERR_BUFFER,
          "the base of the window is null, but its size is not zero");
  Reference<Window> window = make_window(communicator, MPI_WIN_FLAVOR_CREATE, std::move(hints));
  connect(*window, offer);
  return window;
}

Reference<Window> allocate_window(Communicator& communicator, const Offer& offer, WindowHints hints) {
  check(communicator, offer);
  Reference<Window> window = make_window(communicator, MPI_WIN_FLAVOR_ALLOCATE, std::move(hints));
  bool have_memory = true;
  try {
    window->memory = make_own_memory(static_cast<std::size_t>(offer.size_bytes));
  } catch (const std::bad_alloc&) {
    have_memory = false;
  }
  require_everywhere(*window->communicator, have_memory, MPI_ERR_NO_MEM,
                     "no memory for the window at one of its ranks");
  connect(*window, {window->memory.base(), offer.size_bytes, offer.displacement_unit});
  return window;
}

Reference<Window> allocate_shared_window(Communicator& communicator, const Offer& offer, WindowHints hints) {
  check(communicator, offer);
  Reference<Window> window = make_window(communicator, MPI_WIN_FLAVOR_SHARED, std::move(hints));
  const Parts parts = parts_are_apart(window->hints.get()) ? Parts::on_pages : Parts::contiguous;
  SharedSegment segment =
      make_shared_segment(*window->communicator, from_all(*window->communicator, offer.size_bytes), parts);
  window->memory = std::move(segment.memory);
  connect(*window, {segment.parts[static_cast<unsigned>(window->communicator->rank)], offer.size_bytes,
                    offer.displacement_unit});
  for (int member = 0; member < window->size(); ++member) {
    Target& target = window->targets[static_cast<unsigned>(member)];
    target.base = segment.parts[static_cast<unsigned>(member)];
    target.is_mapped = true;
  }
  return window;
}

Reference<Window> create_dynamic_window(Communicator& communicator, WindowHints hints) {
  check(communicator, {});
  Reference<Window> window = make_window(communicator, MPI_WIN_FLAVOR_DYNAMIC, std::move(hints));
  connect(*window, {});
  return window;
}

void close_window(Window& window) {
  require_no_epoch(window);
  complete_everything(window);
  // Behind the barrier nobody uses my part any more, nor I that of others.
  require_collective(collective::barrier(window.communicator->collectives()));
}

}  // namespace taihu::mpi::windows
