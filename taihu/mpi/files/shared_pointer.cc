// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/files/shared_pointer.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "taihu/mpi/error.h"

namespace taihu::mpi::files {
namespace {

struct Question {
  std::uint64_t file;
  std::int64_t value;
  SharedPointer::Action action;
  std::int32_t unused = 0;
};

/// The pointers that a node process owns.
class Pointers {
 public:
  std::int64_t act(const Question& question) {
    const std::lock_guard hold(lock_);
    if (question.action == SharedPointer::Action::forget) {
      values_.erase(question.file);
      return 0;
    }
    std::int64_t& value = values_[question.file];
    const std::int64_t before = value;
    value = question.action == SharedPointer::Action::add ? before + question.value : question.value;
    return before;
  }

 private:
  std::mutex lock_;
  std::map<std::uint64_t, std::int64_t> values_;
};

}  // namespace

void serve_shared_pointers(message::Node& node) {
  node.serve(message::Service::file, [pointers = std::make_shared<Pointers>()](
                                         std::shared_ptr<message::ServiceCall> call) {
    Question question{};
    std::memcpy(&question, call->arguments().data(), std::min(sizeof question, call->arguments().size()));
    const std::int64_t before = pointers->act(question);
    call->answer(&before, sizeof before);
  });
}

std::int64_t SharedPointer::call(Action action, std::int64_t value) {
  const Question question{file_, value, action};
  const auto answer = node_.call(owner_, message::Service::file, &question, sizeof question);
  std::int64_t before = 0;
  require(answer.size() == sizeof before, MPI_ERR_INTERN, "no answer about the shared file pointer");
  std::memcpy(&before, answer.data(), sizeof before);
  return before;
}

}  // namespace taihu::mpi::files
