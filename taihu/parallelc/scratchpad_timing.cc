// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/scratchpad_timing.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "taihu/base/error.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/scratchpad_model/picture.h"

extern "C" {
__attribute__((visibility("default"),
               tls_model("initial-exec"))) __thread struct taihu_scratchpad_record* taihu_current_record =
    nullptr;
}

namespace taihu::parallelc {
namespace {

/// What the files of all ranks have told; they are never unloaded.
struct Modules {
  std::mutex mutex;
  std::vector<const taihu_modelled_module*> all;
  std::unique_ptr<const scratchpad_model::Machine> machine;
  int most_threads = 1;         ///< of an array that has run a kernel
  taihu_source_line no_line{};  ///< of what is done before a kernel's first call
  bool has_lines = false;
};

Modules& modules() {
  static Modules* const all = new Modules;  // used until the last rank has ended
  return *all;
}

/// Whether a file of the program was built with the model: what every start of a kernel asks.
std::atomic<bool> is_modelled{false};

/// Null when no file was built with the model.
const scratchpad_model::Machine* machine_of_program() {
  Modules& known = modules();
  const std::lock_guard hold(known.mutex);
  if (known.all.empty() || known.machine != nullptr) return known.machine.get();
  const std::string_view text = known.all.front()->machine;
  for (const taihu_modelled_module* module : known.all) {
    check_input(
        module->version == TAIHU_MODELLED_MODULE_VERSION,
        "a file of the program was compiled with --spm-model by another version of parcc; compile it again");
    check_input(module->machine == text,
                "files of the program were compiled for different machines of --spm-model; compile them "
                "again with one");
  }
  known.machine = std::make_unique<const scratchpad_model::Machine>(scratchpad_model::parse_machine(
      text.empty() ? scratchpad_model::default_machine_text() : text, "the machine of --spm-model"));
  return known.machine.get();
}

/// Of the first file; empty when no pictures are wanted.
std::string picture_folder() {
  Modules& known = modules();
  const std::lock_guard hold(known.mutex);
  for (const taihu_modelled_module* module : known.all)
    if (*module->pictures != 0) return module->pictures;
  return "";
}

/// What to tell about it.
std::string write_picture(const std::string& folder, const std::string& kernel, const std::string& picture) {
  std::string name = kernel.substr(0, kernel.find(' '));
  std::ranges::replace(name, '/', '_');
  const std::string file = folder + "/" + name + ".svg";
  std::ofstream out(file);
  out << picture;
  out.close();
  if (out) return "scratchpad model: picture of kernel " + kernel + " in " + file + "\n";
  return "scratchpad model: cannot write " + file + " (" + std::strerror(errno) + "); make its folder\n";
}

std::string name_of_kernel(threads::Kernel kernel) {
  Modules& known = modules();
  const std::lock_guard hold(known.mutex);
  for (const taihu_modelled_module* module : known.all)
    for (std::uint64_t k = 0; k < module->kernel_count; ++k)
      if (module->kernels[k].function == kernel) return module->kernels[k].name;
  return "of a file built without --spm-model";
}

/// Where what a kernel does before its first call is counted; null when lines are not.
taihu_source_line* line_of_begin(int threads) {
  Modules& known = modules();
  const std::lock_guard hold(known.mutex);
  known.most_threads = std::max(known.most_threads, threads);
  known.no_line.file = "begin";
  known.no_line.function = "of kernels";
  return known.has_lines ? &known.no_line : nullptr;
}

/// The stack of the calling thread.
void find_stack(taihu_scratchpad_record& record) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
    record.begin[TAIHU_PLACE_STACK] = reinterpret_cast<std::uintptr_t>(begin);
    record.length[TAIHU_PLACE_STACK] = bytes;
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

ModelledRun::ModelledRun(const scratchpad_model::Machine& machine, int threads, threads::Kernel kernel,
                         void* argument)
    : costs_(machine, threads),
      first_line_(line_of_begin(threads)),
      clock_ghz_(machine.clock_ghz),
      kernel_(kernel),
      argument_(argument) {
  for (int k = 0; k < threads; ++k) threads_.push_back(std::make_unique<Thread>(costs_));
  for (auto& arrivals : arrivals_) arrivals.resize(static_cast<std::size_t>(threads));
  if (!picture_folder().empty()) threads_.front()->core.keep_transfers();
}

void ModelledRun::run(void* modelled_run) {
  static_cast<ModelledRun*>(modelled_run)->run_member(*threads::current_member());
}

void ModelledRun::run_member(const threads::Member& member) {
  Thread& thread = *threads_[static_cast<std::size_t>(member.index)];
  AcceleratorThread& own = *current_accelerator_thread();
  taihu_scratchpad_record& record = thread.core.record();
  record.begin[TAIHU_PLACE_SCRATCHPAD] = reinterpret_cast<std::uintptr_t>(own.scratchpad->static_base());
  record.length[TAIHU_PLACE_SCRATCHPAD] = own.scratchpad->capacity_bytes();
  if (member.index == 0) capacity_bytes_ = own.scratchpad->capacity_bytes();
  find_stack(record);
  record.calls = record.calling = 1;  // the kernel itself
  record.line = first_line_;
  own.modelled_run = this;
  own.core = &thread.core;
  threads::current_member()->kernel = kernel_;
  taihu_current_record = &record;
  kernel_(argument_);
  taihu_current_record = nullptr;
  own.core = nullptr;
  own.modelled_run = nullptr;
  arrivals_[thread.meetings % 2][static_cast<std::size_t>(member.index)] = thread.core.arrive();
}

void ModelledRun::meet(const threads::Member& member) {
  const auto index = static_cast<std::size_t>(member.index);
  Thread& thread = *threads_[index];
  std::vector<scratchpad_model::Arrival>& arrivals = arrivals_[thread.meetings++ % 2];
  arrivals[index] = thread.core.arrive();
  member.array->barrier().wait();
  thread.core.leave(scratchpad_model::meeting_time(arrivals, thread.core.epoch()) + costs_.barrier());
}

void ModelledRun::add_to(scratchpad_model::KernelTotals& totals) const {
  const Thread& first = *threads_.front();
  std::vector<scratchpad_model::CoreTotals> cores;
  for (const auto& thread : threads_) cores.push_back(thread->core.totals());
  const scratchpad_model::Ticks end =
      scratchpad_model::meeting_time(arrivals_[first.meetings % 2], first.core.epoch());
  scratchpad_model::add_run(totals, cores, end, costs_);
}

std::string ModelledRun::picture(const std::string& kernel) const {
  const Thread& first = *threads_.front();
  if (picture_folder().empty()) return "";
  const scratchpad_model::Ticks end =
      scratchpad_model::meeting_time(arrivals_[first.meetings % 2], first.core.epoch());
  return scratchpad_model::picture_of(kernel, first.core.kept_transfers(), end, capacity_bytes_, clock_ghz_);
}

ModelledRun* ModelledKernels::begin(int threads, threads::Kernel kernel, void* argument) {
  if (!is_modelled.load(std::memory_order_acquire)) return nullptr;
  const scratchpad_model::Machine* machine = machine_of_program();
  if (machine == nullptr) return nullptr;
  auto run = std::make_unique<ModelledRun>(*machine, threads, kernel, argument);
  ModelledRun* const known = run.get();
  const std::lock_guard hold(mutex_);
  running_.emplace(known, std::move(run));
  return known;
}

void ModelledKernels::end(ModelledRun* run) {
  if (run == nullptr) return;
  const std::string name = name_of_kernel(run->kernel());
  const std::lock_guard hold(mutex_);
  if (!totals_.contains(name)) pictures_[name] = run->picture(name);
  run->add_to(totals_[name]);
  running_.erase(run);
}

void ModelledKernels::spawned(const threads::Spawn* spawn, ModelledRun* run) {
  if (run == nullptr) return;
  const std::lock_guard hold(mutex_);
  spawned_[spawn] = run;
}

ModelledRun* ModelledKernels::take(const threads::Spawn* spawn) {
  if (!is_modelled.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard hold(mutex_);
  const auto found = spawned_.extract(spawn);
  return found ? found.mapped() : nullptr;
}

std::string ModelledKernels::report(int rank) const {
  const scratchpad_model::Machine* machine = machine_of_program();
  const std::lock_guard hold(mutex_);
  if (machine == nullptr) return "";
  std::string text = scratchpad_model::kernel_report(*machine, rank, totals_);
  if (rank != 0) return text;
  for (const auto& [name, picture] : pictures_)
    if (!picture.empty()) text += write_picture(picture_folder(), name, picture);
  return text;
}

std::string modelled_lines() {
  Modules& known = modules();
  const std::lock_guard hold(known.mutex);
  if (!known.has_lines || known.machine == nullptr) return "";
  std::vector<taihu_source_line> lines{known.no_line};
  for (const taihu_modelled_module* module : known.all)
    if (module->lines != nullptr)
      lines.insert(lines.end(), module->lines, module->lines + module->line_count);
  return scratchpad_model::line_report(lines, scratchpad_model::Costs(*known.machine, known.most_threads));
}

scratchpad_model::Core* current_core() noexcept {
  const AcceleratorThread* thread = current_accelerator_thread();
  return thread != nullptr ? thread->core : nullptr;
}

void time_transfer(std::size_t bytes, const int* reply, std::size_t blocks) {
  scratchpad_model::Core* core = current_core();
  if (core == nullptr) return;
  if (reply == nullptr) {
    core->transfer(bytes, blocks);
  } else {
    core->start_transfer(bytes, reply, __atomic_load_n(reply, __ATOMIC_RELAXED), blocks);
  }
}

void time_broadcast(std::size_t bytes) {
  scratchpad_model::Core* core = current_core();
  if (core != nullptr) core->broadcast(bytes, threads::current_member()->index == 0);
}

void note_transfer(const void* scratchpad, std::size_t bytes, bool is_get) {
  scratchpad_model::Core* core = current_core();
  if (core == nullptr || bytes == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(scratchpad);
  core->keep_transfer(address - core->record().begin[TAIHU_PLACE_SCRATCHPAD], bytes, is_get);
}

void time_transfer_wait(const int* reply, int count) {
  if (scratchpad_model::Core* core = current_core()) core->wait_for_transfers(reply, count);
}

void time_meeting() {
  const AcceleratorThread* thread = current_accelerator_thread();
  if (thread != nullptr && thread->modelled_run != nullptr)
    thread->modelled_run->meet(*threads::current_member());
}

}  // namespace taihu::parallelc

extern "C" void taihu_add_modelled_module(const taihu_modelled_module* module) {
  auto& known = taihu::parallelc::modules();
  const std::lock_guard hold(known.mutex);
  known.all.push_back(module);
  if (module->version == TAIHU_MODELLED_MODULE_VERSION && module->lines != nullptr) known.has_lines = true;
  taihu::parallelc::is_modelled.store(true, std::memory_order_release);
}
