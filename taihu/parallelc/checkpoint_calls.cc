// SPDX-License-Identifier: Apache-2.0
// m_checkpoint, m_checkpoint_register, m_restarted.
#include <ctime>
#include <string>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/base/checksum.h"
#include "taihu/base/error.h"
#include "taihu/parallelc/checkpoint.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

namespace taihu::parallelc {
namespace {

/// Why this rank is not at a quiet point, as far as it can tell before all have met; or null.
const char* problem_before(Process& process) {
  if (!process.is_autonomic && process.array->running() > 0)
    return "a kernel of this process is under way; join it before";
  if (!process.aggregators.is_empty()) return "an aggregator is open; close it before";
  if (!process.endpoint->is_idle(message::user_context))
    return "a message of this process is under way; wait for its handle before";
  return nullptr;
}

/// M_SUCCESS when no process has a problem. Else those that have one tell it, then the others fail, too.
int settle(const std::string& path, int code, const std::string& problem) {
  const long mine = problem.empty() ? M_SUCCESS : code;
  long worst = mine;
  m_allreduce(CCC_ALL, &mine, &worst, 1, M_LONG, M_MAX);
  if (worst == M_SUCCESS) return M_SUCCESS;
  if (!problem.empty()) fail(code, problem.c_str(), "m_checkpoint(path=\"%s\")", path.c_str());
  m_barrier(CCC_ALL);  // does not end when a problem has ended the job
  if (!problem.empty()) return code;
  return fail(static_cast<int>(worst), "another process could not take part", "m_checkpoint(path=\"%s\")",
              path.c_str());
}

std::uint64_t now_since_1970() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Runs what may throw; what went wrong, or empty.
template <class Step>
std::string try_step(Step&& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

int m_restarted(void) {
  const Process& process = this_process("m_restarted");
  return process.services->checkpoints != nullptr && process.services->checkpoints->restarted() ? 1 : 0;
}

int m_checkpoint_register(void* address, size_t bytes) {
  Process& process = this_process("m_checkpoint_register");
  const auto refuse = [&](int code, const char* reason) {
    return fail(code, reason, "m_checkpoint_register(address=%p, bytes=%zu)", address, bytes);
  };
  if (kernel_member(process) != nullptr) return refuse(M_ERROR_CONTEXT, "called in a kernel");
  if (address == nullptr && bytes > 0) return refuse(M_ERROR_ARGUMENT, "null address");
  if (process.services->checkpoints == nullptr) return M_SUCCESS;  // nobody calls m_checkpoint
  const std::string problem = process.services->checkpoints->add_memory(process, address, bytes);
  return problem.empty() ? M_SUCCESS : refuse(M_ERROR_ARGUMENT, problem.c_str());
}

int m_checkpoint(const char* path) {
  Process& process = this_process("m_checkpoint");
  const auto refuse = [&](int code, const char* reason) {
    return fail(code, reason, "m_checkpoint(path=\"%s\")", path != nullptr ? path : "");
  };
  if (kernel_member(process) != nullptr) return refuse(M_ERROR_CONTEXT, "called in a kernel");
  const Checkpoints* const checkpoints = process.services->checkpoints.get();
  if (checkpoints == nullptr)
    return refuse(M_ERROR_UNSUPPORTED,
                  "called by a library that the program has opened; link the program to it");
  const std::string name = path != nullptr ? path : "";
  const char* const unquiet = problem_before(process);
  if (const int code = settle(name, M_ERROR_CONTEXT, unquiet != nullptr ? unquiet : "")) return code;
  // All names must be the same; the latest clock gives the files their own names.
  const auto sum = static_cast<long>(taihu::checksum(name.data(), name.size()) >> 2);
  long agreed[3] = {sum, -sum, static_cast<long>(now_since_1970())};
  m_allreduce(CCC_ALL, agreed, agreed, 3, M_LONG, M_MAX);
  std::string trouble = name.empty() ? "no name of a file" : "";
  if (agreed[0] != -agreed[1]) trouble = "the processes give different paths";
  if (process.rank != 0) trouble.clear();
  if (const int code = settle(name, M_ERROR_ARGUMENT, trouble)) return code;
  // What had been sent before the exchanges above is here now.
  const bool unread = process.endpoint->iprobe(taihu::message::any_rank, taihu::message::user_context,
                                               taihu::message::any_tag, nullptr);
  if (unread) trouble = "a message to this process was not received; receive it before";
  if (const int code = settle(name, M_ERROR_CONTEXT, trouble)) return code;

  const auto generation = static_cast<std::uint64_t>(agreed[2]);
  CheckpointManifest manifest{checkpoints->shape(), generation, {}};
  manifest.files.resize(manifest.shape.first_rank.size() - 1);
  if (process.local_index == 0) {
    trouble = try_step([&] {
      manifest.files[static_cast<std::size_t>(process.endpoint->node().process())] =
          checkpoints->write(process.services->processes, name, generation);
    });
  }
  if (const int code = settle(name, M_ERROR_ARGUMENT, trouble)) return code;
  // Sums of zeros and one value: each rank gets all.
  std::vector<long> digests;
  for (const ProcessFile& file : manifest.files)
    digests.insert(digests.end(), {static_cast<long>(file.bytes), static_cast<long>(file.sum)});
  m_allreduce(CCC_ALL, digests.data(), digests.data(), static_cast<long>(digests.size()), M_LONG, M_SUM);
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    manifest.files[i] = {static_cast<std::uint64_t>(digests[2 * i]),
                         static_cast<std::uint64_t>(digests[2 * i + 1])};
  }
  if (process.rank == 0) trouble = try_step([&] { write_manifest(name, manifest); });
  return settle(name, M_ERROR_ARGUMENT, trouble);
}

}  // extern "C"
