// SPDX-License-Identifier: Apache-2.0
// Ports, connections and names (MPI-5.0 section 11.9). A port belongs to the rank that opens it; who connects
// sends that rank messages in a context of the port. Only ranks of one job can be connected, such as spawned
// ones that have no communicator in common.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/circle.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/dynamic/job_service.h"

namespace taihu::mpi {
namespace {

/// "taihu://JOB/RANK/NUMBER".
struct Port {
  std::string job;
  int rank = -1;
  int number = -1;

  std::string to_text() const {
    return "taihu://" + job + "/" + std::to_string(rank) + "/" + std::to_string(number);
  }
  /// Ranks allocate contexts without the highest bit. Those of groups and texts (from_groups.cc) have it,
  /// too, but are the same with a chance of 2^-61 only.
  message::Context context() const noexcept {
    return static_cast<message::Context>(std::uint64_t{3} << 62 | static_cast<std::uint64_t>(rank) << 35 |
                                         static_cast<std::uint64_t>(number) << 3);
  }
};

Port parse_port(const char* name) {
  require_pointer(name, "port_name");
  const std::string text(name, strnlen(name, MPI_MAX_PORT_NAME));
  char job[128];
  Port port;
  int end = 0;
  const int found =
      std::sscanf(text.c_str(), "taihu://%127[^/]/%d/%d%n", job, &port.rank, &port.number, &end);
  require(found == 3 && static_cast<std::size_t>(end) == text.size() && port.rank >= 0 && port.number >= 0,
          MPI_ERR_PORT, [&] { return "'" + text + "' is no name of a port"; });
  port.job = job;
  return port;
}

/// The ports that a rank has open.
class OpenPorts final : public RankPart {
 public:
  explicit OpenPorts(Rank& rank) : rank_(rank) {}
  static OpenPorts& of(Rank& rank) { return rank.part<OpenPorts>(Part::ports); }

  Port open() {
    const int number = ++rank_.ports;
    const std::lock_guard hold(lock_);
    open_.insert(number);
    return {name_of_job(rank_.node()), rank_.number(), number};
  }
  bool has(const Port& port) {
    const std::lock_guard hold(lock_);
    return port.rank == rank_.number() && open_.contains(port.number);
  }
  bool close(const Port& port) {
    const std::lock_guard hold(lock_);
    return port.rank == rank_.number() && open_.erase(port.number) != 0;
  }

 private:
  Rank& rank_;
  std::mutex lock_;
  std::set<int> open_;
};

// Messages in the context of a port.
constexpr int call_tag = 0, reply_tag = 1, settled_tag = 2;

void send_words(Rank& rank, int peer, message::Context context, int tag, const Words& words) {
  const std::int64_t length = static_cast<std::int64_t>(words.size());
  rank.endpoint().send(peer, context, tag, &length, sizeof length);
  rank.endpoint().send(peer, context, tag, words.data(), words.size() * sizeof words[0]);
}

/// From `peer`, which may be message::any_rank.
Words receive_words(Rank& rank, int peer, message::Context context, int tag) {
  std::int64_t length = 0;
  const message::Status status = rank.endpoint().receive(peer, context, tag, &length, sizeof length);
  Words words(static_cast<std::size_t>(length));
  rank.endpoint().receive(status.source, context, tag, words.data(), words.size() * sizeof words[0]);
  return words;
}

Words words_of(const Communicator& communicator, std::int64_t head) {
  Words words = {head};
  words.insert(words.end(), communicator.group->ranks.begin(), communicator.group->ranks.end());
  return words;
}

/// The ranks of the other side, behind a word for something else.
Reference<Group> other_group(const Words& others) {
  return Reference<Group>(new Group(std::vector<int>(others.begin() + 1, others.end())));
}

/// What the root of one side does for its members. While a side is named only in a message, its ranks must
/// not end, or their numbers could be given to others: the accepting root names the callers before it
/// answers, and its own side stays until that of the callers has its groups.
class Accepting {
 public:
  Accepting(Rank& rank, Communicator& communicator, const char* name)
      : rank_(rank), communicator_(communicator), name_(name) {}

  /// The contexts of the new communicator and the ranks of the other side.
  Words meet() {
    const Port port = parse_port(name_);
    require(OpenPorts::of(rank_).has(port), MPI_ERR_PORT,
            "the root has no such port open; the rank that has opened a port must be the one that accepts");
    context_ = port.context();
    waits_for(message::any_rank, call_tag, context_, communicator_.size());
    Words others = receive_words(rank_, message::any_rank, context_, call_tag);
    caller_ = static_cast<int>(others.front());
    callers_ = other_group(others);
    others.front() = static_cast<std::int64_t>(rank_.allocate_contexts());
    send_words(rank_, caller_, context_, reply_tag, words_of(communicator_, others.front()));
    return others;
  }
  void before_settled() {
    waits_for(caller_, settled_tag, context_, communicator_.size());
    rank_.endpoint().receive(caller_, context_, settled_tag, nullptr, 0);
  }
  void after_settled() {}

 private:
  Rank& rank_;
  Communicator& communicator_;
  const char* const name_;
  message::Context context_ = 0;
  int caller_ = -1;
  Reference<Group> callers_;
};

/// As Accepting.
class Connecting {
 public:
  Connecting(Rank& rank, Communicator& communicator, const char* name)
      : rank_(rank), communicator_(communicator), name_(name) {}

  Words meet() {
    port_ = parse_port(name_);
    require(port_.job == name_of_job(rank_.node()), MPI_ERR_PORT,
            "the port is of another job; only ranks of one job can be connected");
    require(port_.rank < rank_.layout().first_ranks() || has_started(rank_.node(), port_.rank), MPI_ERR_PORT,
            "the rank that could have opened the port has not started, or has ended");
    waits_for(port_.rank, call_tag, port_.context(), communicator_.size());
    send_words(rank_, port_.rank, port_.context(), call_tag, words_of(communicator_, rank_.number()));
    return receive_words(rank_, port_.rank, port_.context(), reply_tag);
  }
  void before_settled() {}
  void after_settled() { rank_.endpoint().send(port_.rank, port_.context(), settled_tag, nullptr, 0); }

 private:
  Rank& rank_;
  Communicator& communicator_;
  const char* const name_;
  Port port_;
};

/// All members call; `side` is used on the root.
template <class Side>
void meet(Communicator& communicator, int root, Side side, MPI_Comm* result) {
  require_result(result, "newcomm");
  require_intra(communicator);
  require_member(root, communicator.size(), MPI_ERR_ROOT, "root");
  Words others;
  CallError problem(MPI_SUCCESS, {});
  if (communicator.rank == root) {
    try {
      others = side.meet();
    } catch (const CallError& error) {
      problem = error;
    }
  }
  std::int64_t head[2] = {problem.code(), static_cast<std::int64_t>(others.size())};
  broadcast_inside(communicator, head, sizeof head, root);
  if (problem.code() != MPI_SUCCESS) throw problem;
  require(head[0] == MPI_SUCCESS, static_cast<int>(head[0]), "the root could not connect; it says more");
  others.resize(static_cast<std::size_t>(head[1]));
  broadcast_inside(communicator, others.data(), others.size() * sizeof others[0], root);
  Reference<Communicator> made;
  std::exception_ptr failure;
  try {
    Reference<Group> remote = other_group(others);
    require(std::ranges::none_of(
                remote->ranks,
                [&](int member) { return communicator.group->member_of(member) != MPI_UNDEFINED; }),
            MPI_ERR_COMM, "a rank is on both sides of the connection");
    made = make_child(communicator, static_cast<message::Context>(others.front()), communicator.group,
                      std::move(remote));
  } catch (...) {
    failure = std::current_exception();  // the others wait for this member all the same
  }
  if (communicator.rank == root) side.before_settled();
  barrier_inside(communicator);
  if (communicator.rank == root) side.after_settled();
  if (failure != nullptr) std::rethrow_exception(failure);
  *result = handle_of<MPI_Comm>(made.give_up());
}

/// What both ends of a socket tell each other.
struct Greeting {
  char job[128] = {};
  std::int64_t rank = -1;
  std::uint64_t contexts = 0;
};

template <class Move>
void move_all(int descriptor, void* data, std::size_t bytes, short event, Move&& move) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes != 0) {
    const ssize_t done = move(descriptor, at, bytes);
    if (done > 0) {
      at += done;
      bytes -= static_cast<std::size_t>(done);
      continue;
    }
    require(done < 0 && (errno == EINTR || errno == EAGAIN), MPI_ERR_OTHER, [&] {
      return "the socket failed: " +
             std::string(done == 0 ? "its other end is closed" : std::strerror(errno));
    });
    pollfd ready{descriptor, event, 0};
    poll(&ready, 1, -1);
  }
}

void write_all(int descriptor, const void* data, std::size_t bytes) {
  move_all(descriptor, const_cast<void*>(data), bytes, POLLOUT,
           [](int to, void* at, std::size_t left) { return ::send(to, at, left, MSG_NOSIGNAL); });
}

void read_all(int descriptor, void* data, std::size_t bytes) {
  move_all(descriptor, data, bytes, POLLIN,
           [](int from, void* at, std::size_t left) { return ::read(from, at, left); });
}

std::string name_argument(const char* name) {
  require_pointer(name, "service_name");
  return name;
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Open_port, (MPI_Info, char* port_name)) {
  return on_rank("MPI_Open_port", [&](Rank& rank) {
    require_pointer(port_name, "port_name");
    const std::string name = OpenPorts::of(rank).open().to_text();
    std::memcpy(port_name, name.c_str(), name.size() + 1);
  });
}

MPI_CALL(int, Close_port, (const char* port_name)) {
  return on_rank("MPI_Close_port", [&](Rank& rank) {
    require(OpenPorts::of(rank).close(parse_port(port_name)), MPI_ERR_PORT, "the rank has no such port open");
  });
}

MPI_CALL(int, Comm_accept, (const char* port_name, MPI_Info, int root, MPI_Comm comm, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_accept", comm, [&](Rank& rank, Communicator& communicator) {
    meet(communicator, root, Accepting(rank, communicator, port_name), newcomm);
  });
}

MPI_CALL(int, Comm_connect, (const char* port_name, MPI_Info, int root, MPI_Comm comm, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_connect", comm, [&](Rank& rank, Communicator& communicator) {
    meet(communicator, root, Connecting(rank, communicator, port_name), newcomm);
  });
}

MPI_CALL(int, Comm_join, (int fd, MPI_Comm* intercomm)) {
  return on_rank("MPI_Comm_join", [&](Rank& rank) {
    require_result(intercomm, "intercomm");
    Greeting mine, theirs;
    const std::string job = name_of_job(rank.node());
    std::memcpy(mine.job, job.c_str(), std::min(job.size() + 1, sizeof mine.job - 1));
    mine.rank = rank.number();
    mine.contexts = static_cast<std::uint64_t>(rank.allocate_contexts());
    write_all(fd, &mine, sizeof mine);
    read_all(fd, &theirs, sizeof theirs);
    // The other end is of another job: the standard wants no communicator then, and no error.
    if (std::memcmp(mine.job, theirs.job, sizeof mine.job) != 0) return;
    require(mine.rank != theirs.rank, MPI_ERR_ARG, "both ends of the socket are of the same rank");
    const std::uint64_t contexts = mine.rank < theirs.rank ? mine.contexts : theirs.contexts;
    Reference<Communicator> made;
    std::exception_ptr failure;
    try {
      made = make_child(rank.self(), static_cast<taihu::message::Context>(contexts), rank.self().group,
                        Reference<Group>(new Group({static_cast<int>(theirs.rank)})));
    } catch (...) {
      failure = std::current_exception();  // the other end waits for this one all the same
    }
    // Each end is named only in the greeting until the other has its group: it must not end before, or its
    // number could be given to others.
    const char is_made = failure == nullptr ? 1 : 0;
    char is_theirs_made = 0;
    write_all(fd, &is_made, sizeof is_made);
    read_all(fd, &is_theirs_made, sizeof is_theirs_made);
    if (failure != nullptr) std::rethrow_exception(failure);
    require(is_theirs_made == 1, MPI_ERR_OTHER,
            "the other end of the socket could not make its communicator");
    *intercomm = handle_of<MPI_Comm>(made.give_up());
  });
}

MPI_CALL(int, Publish_name, (const char* service_name, MPI_Info, const char* port_name)) {
  return on_rank("MPI_Publish_name", [&](Rank& rank) {
    const std::string name = name_argument(service_name);
    require_pointer(port_name, "port_name");
    // Any text: programs publish the addresses of their own sockets, too. Whether it is a port, those that
    // connect see.
    const std::string port(port_name, strnlen(port_name, MPI_MAX_PORT_NAME));
    require(port.size() < MPI_MAX_PORT_NAME, MPI_ERR_ARG, "the name of the port is too long");
    require(publish(rank.node(), name, port), MPI_ERR_SERVICE,
            [&] { return "the name '" + name + "' is published already"; });
  });
}

MPI_CALL(int, Unpublish_name, (const char* service_name, MPI_Info, const char*)) {
  return on_rank("MPI_Unpublish_name", [&](Rank& rank) {
    const std::string name = name_argument(service_name);
    require(unpublish(rank.node(), name), MPI_ERR_SERVICE,
            [&] { return "the name '" + name + "' is not published"; });
  });
}

MPI_CALL(int, Lookup_name, (const char* service_name, MPI_Info, char* port_name)) {
  return on_rank("MPI_Lookup_name", [&](Rank& rank) {
    require_pointer(port_name, "port_name");
    const std::string name = name_argument(service_name);
    const std::optional<std::string> found = look_up(rank.node(), name);
    require(found.has_value(), MPI_ERR_NAME, [&] { return "the name '" + name + "' is not published"; });
    std::memcpy(port_name, found->c_str(), found->size() + 1);
  });
}
