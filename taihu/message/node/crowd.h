// SPDX-License-Identifier: Apache-2.0
// How many ranks there are, and what follows: whether they share cores, and how they wait then. It changes
// when ranks start late and when those have ended.
#pragma once

#include "taihu/launch/layout.h"
#include "taihu/message/tuning.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

/// Places for ranks of a node process.
int ranks_of(const launch::Layout& layout, int process);
/// Of those that start with the job.
int first_ranks_of(const launch::Layout& layout, int process);

/// Cpus that the calling thread may use.
int usable_cpus();

/// When `running` ranks of node process `process` run on `usable` cpus, and `last` ranks in the last one.
Cores cores_for(const launch::Layout& layout, int process, int running, int last, int usable);

/// From so many ranks on that share cores they go to sleep and wake up in crowds.
inline constexpr int many_ranks = 64;
bool sleep_in_crowds(int local_ranks, Cores cores) noexcept;

/// Spinning pays only while every waiting thread has a core of its own.
threads::WaitPolicy wait_policy_for(int ranks, Cores cores);

}  // namespace taihu::message
