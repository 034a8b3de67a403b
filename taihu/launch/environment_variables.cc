// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/environment_variables.h"

namespace taihu::launch {
namespace {

using enum SetBy;

constexpr std::string_view nodes = "node processes";
constexpr std::string_view heap = "libtaihu_heap.so, ranks";
constexpr std::string_view naalloc = "libnaalloc.so";
constexpr std::string_view narun = "narun's library";

constexpr EnvironmentVariable variables[] = {
    // Jobs.
    {"TAIHU_STACK_SIZE", user, nodes, "size from 64K on", "`ulimit -s`, for ranks from 64M to 1G",
     "stack of a rank and of each of its accelerator threads"},
    {"TAIHU_CONTEXTS", user, nodes, "`on`, `off`", "on",
     "more accelerator threads than cores take turns as contexts; off: the system schedules them"},
    {"TAIHU_MPI", user, "node processes, amgsolve, rmc", "`openmpi`, `mpich`", "by the launcher's variables",
     "MPI library between node processes; needed under srun. With `--mpi` parcrun and marun set it"},
    {"TAIHU_SHARED_MEMORY", user, nodes, "`on`, `copy`, `off`", "on",
     "how node processes of one machine exchange messages: by shared memory; the same without reading each "
     "other's memory; by the MPI library"},
    {"TAIHU_TOPOLOGY_FILE", user, "parcrun, marun, taihu-info", "file of lines \"host switch/path\"", "none",
     "position of hosts in the network, for the default of `--snode`"},
    {"TAIHU_SLURM_TOPOLOGY", user, "parcrun, marun, taihu-info", "a Slurm topology.conf", "none", "the same"},
    {"SLURM_TOPOLOGY_ADDR", user, "parcrun, marun, taihu-info",
     "as Slurm sets it, with SLURM_TOPOLOGY_ADDR_PATTERN", "none", "the same"},
    {"TAIHU_NETWORK", user, "node processes, parcrun, marun",
     "a network file of network-model, the same on all nodes", "none",
     "alltoall, bcast, allgather, allreduce and reduce_scatter between node processes take the form that "
     "suits "
     "this network"},
    {"TAIHU_TUNING", user, "parcrun, marun", "a table of taihu-tune, `off`",
     "~/.config/taihu/tuning, /etc/taihu/tuning",
     "sizes below that suit this machine, where they are not set"},
    {"TAIHU_LONG_BCAST_BYTES", user, nodes, "size, the same everywhere", "64K",
     "from this size on a bcast between up to four node processes is scattered and gathered by a ring; "
     "between more of them see the network model. In the background (MPI_Ibcast) also among the members "
     "themselves, from so much on"},
    {"TAIHU_LONG_ALLGATHER_BYTES", user, nodes, "size, the same everywhere", "64K",
     "from this size of all blocks on an allgather between up to four node processes goes by a ring; in "
     "the background as above"},
    {"TAIHU_LONG_ALLREDUCE_BYTES", user, nodes, "size, the same everywhere", "64K",
     "from this size on an allreduce between up to four node processes goes by a ring; in the background "
     "as above"},
    // Messages.
    {"TAIHU_EAGER_BYTES", user, nodes, "size", "1K, ranks that share cores 2K",
     "longer messages inside a node process are announced and copied once, by the receiver; at most 4072, "
     "and "
     "less where more than 64 ranks are in it"},
    {"TAIHU_PUSHED_BYTES", user, nodes, "size", "512",
     "blocking sends of more than this are announced while their receiver is found to be waiting"},
    {"TAIHU_PUSHED_STREAM_BYTES", user, nodes, "size", "256, ranks that share cores 2K",
     "non-blocking sends of more than this are announced in the same case"},
    {"TAIHU_BUFFERED_BYTES", user, nodes, "size", "64K",
     "up to this size a standard send whose receive does not come is finally buffered at the receiver"},
    {"TAIHU_SHARED_COPY_BYTES", user, nodes, "size", "64K, between far cores 256K",
     "from this size on a waiting sender helps its receiver with the copy"},
    {"TAIHU_LOOKED_UP_BYTES", user, nodes, "size", "32M",
     "loops that `parcc --optimise-for-host` compiled fetch ahead what they look up all over at least so "
     "much"},
    {"TAIHU_STORED_BYTES", user, nodes, "size", "64M",
     "their stores pass the caches where a loop writes at least so much"},
    {"TAIHU_REPRODUCIBLE", user, nodes, "0, 1", "0",
     "blocking sums of floating-point numbers over ranks have the same bits for any number of ranks and node "
     "processes"},
    {"TAIHU_TRACE_CALLS", user, nodes, "number", "1000000",
     "calls, and as many messages, that `marun --trace` keeps of all ranks together; calls that "
     "`--trace-collectives` keeps"},
    // The heap.
    {"TAIHU_HEAP", user, "parcrun, marun", "`taihu`, `libc`", "taihu",
     "malloc of the ranks: that of libtaihu_heap.so, or the C library's, as always under valgrind"},
    {"TAIHU_HEAP_DECAY", user, heap, "milliseconds, `never`",
     "10000; `never` in ranks, 500 in those of Python",
     "time after which free memory goes back to the system; 0: at once"},
    {"TAIHU_HEAP_HUGE_PAGES", user, heap, "`always`, `never`, size", "never",
     "from that size of the heap on, new memory asks for huge pages"},
    {"TAIHU_HEAP_PREALLOC", user, heap, "`threads=N,central=SIZE,thread=SIZE`", "none",
     "memory made present before it is needed: for all threads, and for each of the first N"},
    {"TAIHU_HEAP_SECURE", user, heap, "0, 1", "0", "more misuse is detected, at a cost"},
    {"TAIHU_HEAP_STATS", user, heap, "0, 1", "0",
     "a table on standard error at the end, of ranks one for each node process"},
    // Placed memory.
    {"NAALLOC_LOG", user, naalloc, "`stderr`, file", "none",
     "one line for each allocation, release, query of the threads, and reason for not placing"},
    {"NAALLOC_PAGES", user, naalloc, "`transparent`, `small`, `huge`", "transparent",
     "kind of pages of placed blocks"},
    {"NAALLOC_POOL", user, naalloc, "size", "a quarter of the live blocks, at least 64M",
     "pages of freed blocks kept for reuse"},
    {"NAALLOC_THREADS", user, naalloc, "number", "those of OpenMP, else 1",
     "threads to assume, spread over the cpus of the process"},
    {"NAALLOC_WINDOW", user, naalloc, "size", "16 times the memory of the machine",
     "addresses to reserve for blocks; no memory is taken"},
    {"NARUN_AFTER", launcher, narun, "function", "none", "`--after`"},
    {"NARUN_AFTER_BYTES", launcher, narun, "bytes", "0", "`--after-bytes`"},
    {"NARUN_JSON", launcher, narun, "file", "none", "`--json`"},
    {"NARUN_MIN", launcher, narun, "bytes", "262144", "`--min`"},
    {"NARUN_OBSERVE", launcher, narun, "milliseconds", "4000", "`--observe`"},
    {"NARUN_PLACE", launcher, narun, "`partition`, `rebind`, `observe`, `none`", "partition", "`--place`"},
    {"NARUN_PROCESS", launcher, narun, "process", "none", "the one that narun has become"},
    {"NARUN_REPORT", launcher, narun, "file", "none", "`--report`"},
    // Compilers and applications.
    {"TAIHU_CLANG", user, "parcc", "program", "clang-19 of the PATH",
     "the clang to use; its major version must be that of the plugin"},
    {"MACC_CC", user, "macc", "program", "gcc", "the C compiler to call"},
    {"MACC_CXX", user, "mac++", "program", "g++", "the C++ compiler to call"},
    {"MACC_FC", user, "mafc", "program", "gfortran", "the Fortran compiler to call"},
    {"TAIHU_LIBRARY_FOLDER", user, "Python module taihu.amg", "folder",
     "the installation that the module belongs to", "where libamgsolve.so.0 is"},
    {"OPENMC_CROSS_SECTIONS", user, "rmc", "cross_sections.xml", "none",
     "library of nuclear data of models that name none"},
    {"OPENMC_MG_CROSS_SECTIONS", user, "rmc", "HDF5 file", "none",
     "multi-group library of models that name none"},
    // From the launcher to the node processes it starts, and to ranks.
    {"TAIHU_RANK", launcher, "programs in ranks", "number", "", "rank of this program in the job"},
    {"TAIHU_RANKS", launcher, nodes, "number", "1", "ranks of the job; `-n`"},
    {"TAIHU_PROCESSES", launcher, nodes, "number", "1", "node processes of the job"},
    {"TAIHU_PROCESSES_PER_NODE", launcher, nodes, "number", "1", "node processes on each node"},
    {"TAIHU_THREADS", launcher, nodes, "number", "0",
     "accelerator threads per rank, 0: cores / ranks; `--threads`"},
    {"TAIHU_SNODE", launcher, nodes, "number", "0", "ranks of a supernode, 0: by the network; `--snode`"},
    {"TAIHU_BNODE", launcher, nodes, "number", "0",
     "ranks of a big node, 0: by the operating-system node; `--bnode`"},
    {"TAIHU_NODE", launcher, nodes, "number", "0",
     "ranks of a node of the language, 0: by the memory nodes; `--node`"},
    {"TAIHU_BIND", launcher, nodes, "policy", "auto", "`--bind`"},
    {"TAIHU_REPORT_BINDINGS", launcher, nodes, "0, 1", "0", "`--report-bindings`"},
    {"TAIHU_TAG_OUTPUT", launcher, nodes, "0, 1", "0", "`--tag-output`"},
    {"TAIHU_EMULATE_NODES", launcher, nodes, "0, 1", "0", "`--emulate-nodes`"},
    {"TAIHU_VERBOSE", launcher, nodes, "0, 1", "0", "`--verbose`"},
    {"TAIHU_PRIVATE_LIBRARIES", launcher, nodes, "names, separated by :", "none", "`--private-library`"},
    {"TAIHU_RANK_PRELOAD", launcher, nodes, "files, separated by :", "none",
     "libraries of `LD_PRELOAD` that have calls of MPI"},
    {"TAIHU_RANK_DIRECTORY", launcher, nodes, "folder, with %r for the rank", "none", "`-wdir`"},
    {"TAIHU_STATS", launcher, nodes, "0, 1", "0", "`--stats`"},
    {"TAIHU_TRACE", launcher, nodes, "file", "none", "`--trace`"},
    {"TAIHU_UNIVERSE_SIZE", launcher, nodes, "number", "0: 1024 more than ranks", "`--universe-size`"},
    {"TAIHU_TRACE_COLLECTIVES", launcher, nodes, "file", "none", "`--trace-collectives`"},
    {"TAIHU_DEADLOCK_TIMEOUT", launcher, nodes, "seconds", "0", "`--deadlock-timeout`"},
    {"TAIHU_NODE_TIMEOUT", launcher, nodes, "seconds", "300", "`--node-timeout`"},
    {"TAIHU_TASK_DEADLINE", launcher, nodes, "seconds", "0", "`--task-deadline`"},
    {"TAIHU_TASK_PROGRESS", launcher, nodes, "seconds", "0", "`--task-progress`"},
    {"TAIHU_RESTART", launcher, nodes, "file", "none", "`--restart`"},
    {"TAIHU_PROGRAM_NAME", launcher, nodes, "text", "path of the program", "argv[0] of the ranks"},
};

}  // namespace

std::span<const EnvironmentVariable> environment_variables() {
  return variables;
}

}  // namespace taihu::launch
