// SPDX-License-Identifier: Apache-2.0
// Opening and closing. Rank 0 of the file opens first and creates it if need be; then one rank of every other
// node process opens what is there now. Paths are looked up on the calling rank's thread, as its working
// directory is its own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/work/files/file.h"
#include "taihu/mpi/work/files/file_error.h"

namespace taihu::mpi::files {
namespace {

/// Equal arguments make equal verdicts, so all ranks fail together.
void check_amode(int amode) {
  constexpr int access = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR;
  constexpr int known = access | MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE |
                        MPI_MODE_EXCL | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN;
  require((amode & ~known) == 0, MPI_ERR_AMODE, "the access mode has bits that mean nothing");
  require(std::popcount(static_cast<unsigned>(amode & access)) == 1, MPI_ERR_AMODE,
          "the access mode must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
  require((amode & MPI_MODE_RDONLY) == 0 || (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) == 0, MPI_ERR_AMODE,
          "MPI_MODE_RDONLY does not go together with MPI_MODE_CREATE or MPI_MODE_EXCL");
  require((amode & MPI_MODE_RDWR) == 0 || (amode & MPI_MODE_SEQUENTIAL) == 0, MPI_ERR_AMODE,
          "MPI_MODE_RDWR does not go together with MPI_MODE_SEQUENTIAL");
}

void check_same_amode(Communicator& members, int amode) {
  for (const int other : allgather_inside(members, amode))
    require(other == amode, MPI_ERR_NOT_SAME, "the ranks gave different access modes");
  check_amode(amode);
}

/// A descriptor, or the negative of an errno value.
int open_descriptor(const char* name, int amode, bool may_create) noexcept {
  int flags = O_CLOEXEC;
  flags |= (amode & MPI_MODE_RDWR) != 0 ? O_RDWR : (amode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDONLY;
  if (may_create && (amode & MPI_MODE_CREATE) != 0) flags |= O_CREAT;
  if (may_create && (amode & MPI_MODE_EXCL) != 0) flags |= O_EXCL;
  const AtWork at_work;
  // Opening a pipe must not wait for its other side: pipes are refused.
  const int descriptor = ::open(name, flags | O_NONBLOCK, 0666);
  if (descriptor < 0) return -errno;
  struct stat about{};
  int error = fstat(descriptor, &about) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(about.st_mode)) error = EISDIR;
  // Without positions there is nothing that the pointers of MPI could mean.
  if (error == 0 && lseek(descriptor, 0, SEEK_CUR) < 0) error = EOPNOTSUPP;
  if (error == 0) return descriptor;
  ::close(descriptor);
  return -error;
}

/// Of the name itself, not of what a link of that name points to: that is what a deletion removes.
std::string absolute_path(const char* name) {
  if (name[0] == '/') return name;
  char* const directory = getcwd(nullptr, 0);
  if (directory == nullptr) return name;
  std::string path = directory;
  std::free(directory);
  return path + "/" + name;
}

/// What the ranks tell each other about their descriptor.
struct Opened {
  std::shared_ptr<SharedFile>* file = nullptr;  ///< where the opener has put it; of use in its node process
  int error_number = 0;
  int process = -1;
};

/// My node process's file. Only the first local member opens.
Opened open_here(Rank& rank, Communicator& members, Communicator& local, const char* name, int amode) {
  Opened mine;
  mine.process = rank.node().process();
  int descriptor = members.rank == 0 ? open_descriptor(name, amode, true) : -1;
  int first_error = members.rank == 0 && descriptor < 0 ? -descriptor : 0;
  broadcast_inside(members, &first_error, sizeof first_error, 0);
  mine.error_number = first_error;
  if (first_error != 0 || local.rank != 0) return mine;
  if (members.rank != 0) descriptor = open_descriptor(name, amode, false);
  if (descriptor < 0) {
    mine.error_number = -descriptor;
  } else {
    mine.file = new std::shared_ptr<SharedFile>(std::make_shared<SharedFile>(
        descriptor, absolute_path(name), local.size(), local.size() != members.size()));
  }
  return mine;
}

/// Rank 0 tells the others where the shared pointer is.
void find_shared_pointer(Rank& rank, File& file) {
  SharedPointer::Home* home = &file.shared_position;
  broadcast_inside(*file.communicator, &home, sizeof home, 0);
  const int owner = rank.layout().process_of(file.communicator->group->ranks.front());
  file.shared_pointer = SharedPointer(rank.node(), owner, home);
}

}  // namespace

Reference<File> open_file(Rank& rank, Communicator& communicator, const char* name, int amode,
                          const FileHints& hints) {
  Reference<Communicator> members = duplicate(communicator);
  check_same_amode(*members, amode);
  Reference<Communicator> local = split(*members, rank.node().process(), members->rank);
  const Opened mine = open_here(rank, *members, *local, name, amode);
  std::shared_ptr<SharedFile> shared;
  int error_number = 0;
  for (const Opened& other : allgather_inside(*members, mine)) {
    if (error_number == 0) error_number = other.error_number;
    if (other.process == mine.process && other.file != nullptr) shared = *other.file;
  }
  barrier_inside(*local);
  delete mine.file;
  if (error_number != 0) throw file_error(error_number, "open", name);

  Reference<File> file(new File(rank, std::move(members), std::move(local), std::move(shared), amode));
  file->hints.set(hints);
  find_shared_pointer(rank, *file);
  if ((amode & MPI_MODE_APPEND) != 0) {
    file->position = end_in_etypes(*file);
    if (file->communicator->rank == 0) file->shared_pointer.set(file->position);
  }
  barrier_inside(*file->communicator);
  return file;
}

void close_file(File& file) {
  Communicator& members = *file.communicator;
  barrier_inside(members);
  int error_number = 0;
  if (members.rank == 0 && (file.amode & MPI_MODE_DELETE_ON_CLOSE) != 0) {
    const AtWork at_work;
    if (unlink(file.shared->path().c_str()) != 0) error_number = errno;
  }
  broadcast_inside(members, &error_number, sizeof error_number, 0);
  check_file(file, error_number, "delete");
}

}  // namespace taihu::mpi::files
