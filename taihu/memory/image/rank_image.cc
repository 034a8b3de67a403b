// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/rank_image.h"

#include <dlfcn.h>

#include <cstring>
#include <fstream>

#include "taihu/base/error.h"
#include "taihu/memory/image/opened_relro.h"
#include "taihu/memory/outermost.h"

namespace taihu::memory {
namespace {

// A debugger looks at the names of loaded files when the loader tells it, which is before we have set them.
// One more loading and unloading makes it look again.
bool runs_under_debugger() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "TracerPid:") return status >> word && word != "0";
  return false;
}

}  // namespace

/// New copies, or idle ones.
void RankImage::load(ImagePlaces* places, int index) {
  if (idle_ != nullptr) {
    if (std::optional<ImageCopies> idle = idle_->take()) {
      copies_ = std::move(*idle);
      for (std::size_t k = 0; k < copies_.objects.size(); ++k)
        template_.makers()[k].place_writable_pages(copies_.objects[k].base);
      return;
    }
  }
  try {
    for (const CopyMaker& maker : template_.makers()) {
      const bool is_program = copies_.objects.empty();
      copies_.objects.push_back(is_program && places != nullptr ? maker.load(*places, index) : maker.load());
      if (idle_ != nullptr) copies_.data.push_back(initial_data(maker.object(), copies_.objects.back().base));
    }
  } catch (...) {
    for (const LoadedObject& copy : copies_.objects) dlclose(copy.handle);  // nothing of them has run
    throw;
  }
}

/// For the next rank, with the variables that it expects. Pages that only the ended rank needed go back now.
void RankImage::give_back_copies() {
  if (idle_ == nullptr || has_opened_) return;
  for (std::size_t k = 0; k < copies_.objects.size(); ++k)
    restore_data(*template_.objects()[k], copies_.objects[k].base, copies_.data[k]);
  idle_->keep(std::move(copies_));
}

RankImage::RankImage(const ImageTemplate& image, RankIdentity& rank, RankEvents events, ImagePlaces* places,
                     IdleCopies* idle)
    : template_(image), process_(std::make_unique<RankProcess>(rank, *this, std::move(events))), idle_(idle) {
  load(places, rank.local_index);
  for (std::size_t k = 0; k < copies().size(); ++k) loaded_[&template_.makers()[k].object()] = copies()[k];
  place_copied_variables();
  try {
    template_.unit().bind(loaded_, &RankImage::variable_place, this);
    template_.unit().tell_runtime_copies(loaded_, rank.runtime);
    place_thread_variables();
    main_ = reinterpret_cast<Main>(template_.find_main(copies().front().base));
  } catch (...) {
    process_.reset();  // as at the end
    give_back_copies();
    throw;
  }
  rank.process = process_.get();
  if (runs_under_debugger()) dlclose(template_.makers().front().load().handle);
}

void RankImage::place_thread_variables() {
  for (std::size_t k = 0; k < copies().size(); ++k) {
    const ElfObject& object = *template_.objects()[k];
    if (const auto distance = object.variable_distance()) {
      const Elf64_Phdr& variables = *object.thread_variables();
      process_->thread_variables.push_back(
          {.values = reinterpret_cast<const void*>(copies()[k].base + variables.p_vaddr),
           .value_bytes = variables.p_filesz,
           .bytes = variables.p_memsz,
           .distance = *distance});
    }
  }
}

void RankImage::place_copied_variables() {
  const auto& copied = template_.unit().variable_copies();
  for (std::size_t i = 0; i < copied.size(); ++i) {
    if (copied[i].object < 0) continue;
    const auto object = static_cast<std::size_t>(copied[i].object);
    const auto variable = static_cast<libc::Variable>(i);
    // A copy of what is read-only in libc is read-only when the loader is done.
    std::optional<OpenedRelro> opened;
    if (variable == libc::Variable::stack_end)
      opened.emplace(*template_.objects()[object], copies()[object].base);
    process_->place_variable(variable, reinterpret_cast<void*>(copies()[object].base + copied[i].address));
  }
}

std::vector<ImageSymmetricMap::Segment> RankImage::symmetric_segments() const {
  std::vector<ImageSymmetricMap::Segment> segments;
  for (std::size_t i = 0; i < copies().size(); ++i)
    segments.push_back({copies()[i].base, template_.objects()[i]->span_bytes()});
  return segments;
}

RankImage::~RankImage() {
  process_->identity.process = nullptr;
  process_.reset();  // it has its variables in the copies
  give_back_copies();
}

void* RankImage::variable_place(void* self, int index) {
  return static_cast<RankImage*>(self)->process_->variable_place(static_cast<libc::Variable>(index));
}

int RankImage::run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                   RankStreams streams) {
  for (const std::string& word : arguments) {
    argument_text_.insert(argument_text_.end(), word.begin(), word.end());
    argument_text_.push_back('\0');
  }
  std::size_t at = 0;
  for (const std::string& word : arguments) {
    arguments_.push_back(argument_text_.data() + at);
    at += word.size() + 1;
  }
  arguments_.push_back(nullptr);
  process_->enter(environment, streams);
  if (sigsetjmp(process_->root, 1) == 0) {
    call_outermost([](void* image) { static_cast<RankImage*>(image)->run_program(); }, this);
  }
  process_->leave();
  return process_->status;
}

void RankImage::run_program() {
  for (const std::size_t index : template_.construction_order())
    construct(*template_.objects()[index], copies()[index].base, index == 0);
  if (process_->events.before_main) process_->events.before_main(process_->identity);
  process_->end(main_(static_cast<int>(arguments_.size()) - 1, arguments_.data(), process_->environment()));
}

void RankImage::construct(const ElfObject& object, std::uintptr_t base, bool is_program) {
  using Constructor = void (*)(int, char**, char**);
  constructed_.push_back(&object);
  const ElfLifecycle& lifecycle = object.lifecycle();
  const int count = static_cast<int>(arguments_.size()) - 1;
  const auto call_all = [&](std::uint64_t array, std::uint64_t entries) {
    const auto* calls = reinterpret_cast<const Constructor*>(base + array);
    for (std::uint64_t i = 0; i < entries; ++i) calls[i](count, arguments_.data(), process_->environment());
  };
  if (is_program) call_all(lifecycle.preinit_array, lifecycle.preinit_count);
  if (lifecycle.init != 0)
    reinterpret_cast<Constructor>(base + lifecycle.init)(count, arguments_.data(), process_->environment());
  call_all(lifecycle.init_array, lifecycle.init_count);
}

void RankImage::destruct(const ElfObject& object, std::uintptr_t base) {
  using Destructor = void (*)();
  const ElfLifecycle& lifecycle = object.lifecycle();
  const auto* calls = reinterpret_cast<const Destructor*>(base + lifecycle.fini_array);
  for (std::uint64_t i = lifecycle.fini_count; i > 0; --i) calls[i - 1]();
  if (lifecycle.fini != 0) reinterpret_cast<Destructor>(base + lifecycle.fini)();
}

// An exit() inside of a destructor goes on with the rest.
void RankImage::run_destructors() {
  while (!constructed_.empty()) {
    const ElfObject* object = constructed_.back();
    constructed_.pop_back();
    destruct(*object, loaded_.at(object).base);
  }
}

}  // namespace taihu::memory
