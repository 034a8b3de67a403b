// SPDX-License-Identifier: Apache-2.0
// One rank's copy of the program: its code's data, its libraries, its process-like state. All calls but the
// loading come from the rank's first thread or from code of the rank.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "taihu/memory/image/idle_copies.h"
#include "taihu/memory/image/image_template.h"
#include "taihu/memory/image/symmetric_map.h"
#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory {

class RankImage final : public ImageServices {
 public:
  /// Loads a copy for `rank` and sets rank.process. Call on the rank's thread, bound to its cores, so that
  /// writable pages come from its memory node. `image`, `rank` and this object must live as long as
  /// threads of the rank may run. Throws Error. The copy stays in memory until the process ends, and for
  /// another rank when it comes from `idle`, where this object leaves it in the end, when no thread of the
  /// rank may run any more, unless the rank has ever opened more libraries.
  /// `places`: fixed addresses for the programs of the ranks of this process; null for any.
  RankImage(const ImageTemplate& image, RankIdentity& rank, RankEvents events = {},
            ImagePlaces* places = nullptr, IdleCopies* idle = nullptr);
  ~RankImage() override;

  /// Runs the program: constructors, main, exit handlers, destructors. Returns its exit status (0 to 255),
  /// also when the program ends by exit(). Once, on the thread that shall be the rank's first; that thread
  /// must not go on to use thread_local objects of the program. Other threads of the rank may still run
  /// afterwards.
  int run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
          RankStreams streams = {});

  RankProcess& process() { return *process_; }
  /// Load bases of template.objects(), in order.
  const std::vector<LoadedObject>& copies() const { return copies_.objects; }
  /// The copies as segments of symmetric addresses; the caller adds the symmetric heap.
  std::vector<ImageSymmetricMap::Segment> symmetric_segments() const;

  void run_destructors() override;
  void* open_library(const char* name, int flags, const void* caller) override;
  int close_library(void* handle) override;
  void* find_symbol(void* handle, const char* name, const char* version, const void* caller) override;
  void before_fork() override { template_.before_fork(); }
  void after_fork(bool in_child) override;

 private:
  struct Opened {
    const OpenedTemplate* library;
    LoadedObject copy;
    int uses = 0;  ///< times that it was opened, and open libraries that need it
    bool global = false;
  };
  void load(ImagePlaces* places, int index);
  void place_copied_variables();
  void place_thread_variables();
  void give_back_copies();
  void run_program();
  void construct(const ElfObject& object, std::uintptr_t base, bool is_program);
  void destruct(const ElfObject& object, std::uintptr_t base);
  Opened& open_copy(const OpenedTemplate& library);
  std::vector<const OpenedTemplate*> load_copies(const OpenedTemplate& library);
  void add_unopened(const OpenedTemplate& library, std::vector<const OpenedTemplate*>& begun,
                    std::vector<const OpenedTemplate*>& order) const;
  Opened* find_opened(const OpenedTemplate& library) const;
  Opened* find_opened(void* handle);
  const ElfObject* object_at(const void* address) const;
  void* open_shared(const char* name, const std::optional<std::string>& found, int flags) const;
  void* already_open(const std::string& name, const std::string& path) const;
  std::vector<const ElfObject*> search_order_of(void* handle, const void* caller);
  void* shared_symbol(void* handle, const char* name, const char* version) const;
  static void* variable_place(void* self, int index);

  using Main = int (*)(int, char**, char**);

  const ImageTemplate& template_;
  Main main_ = nullptr;
  std::unique_ptr<RankProcess> process_;
  IdleCopies* const idle_;  ///< null: the copies are not for another rank
  ImageCopies copies_;
  LoadedObjects loaded_;
  std::vector<const ElfObject*> constructed_;
  std::vector<std::unique_ptr<Opened>> opened_;
  bool has_opened_ = false;  ///< also what is closed again: something may still point to its copy, or from it
  std::recursive_mutex
      opening_;  ///< guards opened_, loaded_, constructed_ after the start; constructors may open more
  std::vector<char> argument_text_;
  std::vector<char*> arguments_;
};

}  // namespace taihu::memory
