// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/ranks.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/launch/function_names.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/memory/libc/signals.h"
#include "taihu/memory/libc/tagged_stream.h"
#include "taihu/memory/process_settings.h"
#include "taihu/node/node_process.h"

namespace taihu::node {
namespace {

/// Gives the calling rank a working directory of its own: `pattern` with its number in place of "%r".
void enter_directory(std::string pattern, int rank) {
  const std::string number = std::to_string(rank);
  for (std::size_t at = pattern.find("%r"); at != std::string::npos;
       at = pattern.find("%r", at + number.size())) {
    pattern.replace(at, 2, number);
  }
  if (unshare(CLONE_FS) != 0 || chdir(pattern.c_str()) != 0) {
    throw system_error("rank " + number + ": cannot enter the working directory " + pattern, errno);
  }
}

/// python-start is installed beside the executable of this process.
launch::ProgramStart start_of(const std::string& program) {
  return launch::program_start(program,
                               std::filesystem::read_symlink("/proc/self/exe").parent_path().string());
}

bool is_python(const memory::ImageTemplate& image) {
  return std::any_of(image.objects().begin(), image.objects().end(), [](const auto& object) {
    const std::string file = memory::last_part(object->path());
    return file.starts_with("libpython") || file.starts_with("python");
  });
}

/// Before anything is loaded, which takes long for so many.
int checked_count(int ranks) {
  check_input(ranks <= memory::libc::most_ranks, std::to_string(ranks) +
                                                     " ranks in one node process, which can have " +
                                                     std::to_string(memory::libc::most_ranks) +
                                                     "; use more node processes (--processes-per-node)");
  return ranks;
}

}  // namespace

Ranks::Ranks(Language& language, const launch::JobParameters& job, const launch::Layout& layout, int process)
    : language_(language),
      job_(job),
      count_(checked_count(
          std::min(layout.first_rank[static_cast<std::size_t>(process) + 1], layout.first_ranks()) -
          layout.first_rank[static_cast<std::size_t>(process)])),
      most_(layout.first_rank[static_cast<std::size_t>(process) + 1] -
            layout.first_rank[static_cast<std::size_t>(process)]),
      start_(start_of(job.program)),
      image_template_(start_.program, job.private_libraries),
      symmetric_(count_),
      identities_(static_cast<std::size_t>(most_)),
      images_(static_cast<std::size_t>(most_)) {
  const int first = layout.first_rank[static_cast<std::size_t>(process)];
  for (int local = 0; local < most_; ++local) {
    memory::RankIdentity& identity = identities_[static_cast<std::size_t>(local)];
    identity.rank = first + local;
    identity.local_index = local;
  }
  for (const auto& object : image_template_.objects()) launch::function_names().add(object->path());
  if (is_python(image_template_)) memory::give_back_freed_memory();
}

/// Runs a step of the start; a failure is kept for the one message of the node process.
template <class Step>
void Ranks::try_step(Step&& step) {
  try {
    step();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    if (problem_.empty()) problem_ = error.what();
  }
}

void Ranks::load(memory::RankIdentity& identity, const memory::ImageTemplate& program) {
  memory::RankEvents events;
  events.exit_on_other_thread = [](const memory::RankIdentity& rank, int status) {
    if (status == 0) return;  // the rank's first thread goes on
    std::fprintf(stderr, "taihu: rank %d ended with exit code %d; ending the job\n", rank.rank, status);
    abort_job(status);
  };
  auto& own_image = images_[static_cast<std::size_t>(identity.local_index)];
  events.before_main = [this](memory::RankIdentity& rank) { language_.before_main(rank); };
  own_image = std::make_unique<memory::RankImage>(program, identity, std::move(events), places_.get(),
                                                  is_spare(identity) ? &idle_copies(program) : nullptr);
  if (is_spare(identity)) return;  // one-sided calls of Parallel C are not for them
  Language::Segments segments = own_image->symmetric_segments();
  for (const auto& segment : language_.loaded(identity, *own_image)) segments.push_back(segment);
  symmetric_.set_rank(identity.local_index, std::move(segments));
}

std::vector<std::string> Ranks::environment_of(const memory::RankIdentity& identity) const {
  std::vector<std::string> environment = {"TAIHU_RANK=" + std::to_string(identity.rank)};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // A job that a rank of another job has started inherits that rank's number.
    if (!std::string_view(*entry).starts_with("TAIHU_RANK=")) environment.emplace_back(*entry);
  }
  return environment;
}

/// `name` and `arguments` as they were given.
int Ranks::run_program(memory::RankIdentity& identity, const launch::ProgramStart& start,
                       const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{start.name.empty() ? name : start.name};
  words.insert(words.end(), start.arguments.begin(), start.arguments.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  memory::RankStreams streams;
  if (identity.rank != 0) streams.input = std::fopen("/dev/null", "r");  // standard input is rank 0's
  if (job_.tag_output) {
    const std::string tag = "[" + std::to_string(identity.rank) + "] ";
    streams.output = memory::make_tagged_stream(tag, STDOUT_FILENO, &memory::libc::redirection);
    streams.errors = memory::make_tagged_stream(tag, STDERR_FILENO, &memory::libc::redirection);
  }
  const int status = language_.ended(identity, image(identity).run(words, environment_of(identity), streams));
  // A stream that the program has closed or reopened is its own.
  for (std::FILE* stream : {streams.input, streams.output, streams.errors}) {
    if (stream != nullptr && image(identity).process().open_streams.contains(stream)) std::fclose(stream);
  }
  return status;
}

void Ranks::start(int local_index, RankOrder order) {
  // The job is not that of one rank any more, which is as good as a process of its own.
  memory::set_child_rules({.exec = false});
  auto refused = std::move(order.refused);
  auto& identity = identities_[static_cast<std::size_t>(local_index)];
  auto ended = std::move(order.ended);
  {
    const std::lock_guard hold(orders_lock_);
    orders_.insert_or_assign(local_index, std::move(order));
  }
  late_.start(identity, std::move(refused), std::move(ended));
}

bool Ranks::is_over(int local_index) {
  const auto& own_image = images_[static_cast<std::size_t>(local_index)];
  return own_image == nullptr || own_image->process().has_no_threads();
}

void Ranks::forget(int local_index) {
  images_[static_cast<std::size_t>(local_index)].reset();
}

void Ranks::close() {
  late_.close();
}

/// Programs are read once, whoever starts them.
const memory::ImageTemplate& Ranks::template_of(const std::string& program) {
  if (program == start_.program) return image_template_;
  const std::lock_guard hold(orders_lock_);
  std::unique_ptr<memory::ImageTemplate>& known = started_programs_[program];
  if (known == nullptr) {
    auto made = std::make_unique<memory::ImageTemplate>(program, job_.private_libraries);
    language_.check(*made);
    for (const auto& object : made->objects()) launch::function_names().add(object->path());
    known = std::move(made);
  }
  return *known;
}

memory::IdleCopies& Ranks::idle_copies(const memory::ImageTemplate& program) {
  const std::lock_guard hold(orders_lock_);
  return idle_copies_[&program];
}

/// A rank that starts while others run.
int Ranks::run_spare(memory::RankIdentity& identity) {
  RankOrder order;
  {
    const std::lock_guard hold(orders_lock_);
    order = std::move(orders_.extract(identity.local_index).mapped());
  }
  std::string problem;
  launch::ProgramStart start;
  try {
    start = start_of(order.program);
    load(identity, template_of(start.program));
    if (!order.directory.empty()) enter_directory(order.directory, identity.rank);
  } catch (const std::exception& error) {
    problem = one_line(error.what());
  }
  if (!order.loaded(problem)) return 0;
  return run_program(identity, start, order.arguments.front(),
                     {order.arguments.begin() + 1, order.arguments.end()});
}

/// Loads the rank, waits for all others, runs the program.
int Ranks::run_first(message::Node& node, std::barrier<>& all_here, memory::RankIdentity& identity) {
  try_step([&] {
    load(identity, image_template_);
    if (!job_.rank_directory.empty()) enter_directory(job_.rank_directory, identity.rank);
  });
  all_here.arrive_and_wait();
  if (identity.local_index == 0 && problem_.empty()) {
    places_.reset();
    try_step([&] { language_.all_loaded(node); });
  }
  all_here.arrive_and_wait();
  if (problem_.empty()) return run_program(identity, start_, job_.program_name, job_.arguments);
  if (identity.local_index == 0) {
    std::fprintf(stderr, "%s: %s\n", language_.launcher(), one_line(problem_).c_str());
    node.abort(1);
  }
  pause();  // until the job has ended
  return 1;
}

int Ranks::run(message::Node& node, const launch::RankThreadSettings& settings) {
  if (language_.wants_fixed_places(image_template_))
    places_ = std::make_unique<memory::ImagePlaces>(image_template_.program(), count_);
  std::barrier<> all_here(count_);
  const auto body = [&](memory::RankIdentity& identity) {
    pthread_setname_np(pthread_self(), ("rank" + std::to_string(identity.rank)).c_str());
    return is_spare(identity) ? run_spare(identity) : run_first(node, all_here, identity);
  };
  return launch::run_ranks(settings, std::span(identities_).first(static_cast<std::size_t>(count_)), body,
                           most_ != count_ ? &late_ : nullptr);
}

}  // namespace taihu::node
