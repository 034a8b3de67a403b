// SPDX-License-Identifier: Apache-2.0
// Where this node sits in the network: the switches above it. The first source that answers wins:
//   1. the user's file named by TAIHU_TOPOLOGY_FILE, lines "host switch/path", '#' starts a comment
//   2. Slurm's SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN, set for every task
//   3. a Slurm topology.conf named by TAIHU_SLURM_TOPOLOGY
//   4. the host name, when it spells out a place ("rack3-node12", "r2c4n7", "x1000c0s5b0n1")
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taihu::topology {

struct NetworkPosition {
  std::string path;    ///< switches from the root to the leaf, '/'-separated; empty when unknown
  std::string source;  ///< which source answered, for people; empty when none did
};

/// Looks up an environment variable; null when unset.
using Environment = std::function<const char*(const char* name)>;

/// The position of `host`. Reads the files named in `environment`. Throws Error with file and line for a file
/// that cannot be read or has a wrong line: a user who names a file expects that it is used.
NetworkPosition network_position(const std::string& host, const Environment& environment);

/// Of this node: its host name and this process's environment.
NetworkPosition network_position();

/// This node's name as the system gives it, without its domain.
std::string host_name();

/// The names in a Slurm host list: "n[1-3,07],login" gives n1 n2 n3 n07 login. Throws Error when it is
/// malformed or names more than a million hosts.
std::vector<std::string> expand_host_list(std::string_view list);

/// The place that a host name spells out, or "". A conservative rule: the name consists of two to six parts
/// "letters digits", optionally separated by '-', '_', and its first part is a word for a place (rack, row,
/// cabinet, cell, chassis, ...); all parts but the last are the path. A name like "node17" or a random
/// container name says nothing.
std::string path_from_host_name(const std::string& host);

}  // namespace taihu::topology
