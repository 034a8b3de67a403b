// SPDX-License-Identifier: Apache-2.0
// Barrier, broadcast, gather, scatter, allgather, alltoall: blocking, non-blocking, persistent.
#include "taihu/mpi/calls/collectives/entry.h"

using namespace taihu::mpi::collectives;

MPI_CALL(int, Barrier, (MPI_Comm comm)) {
  return run_blocking("MPI_Barrier", comm, Barrier{});
}
MPI_CALL(int, Ibarrier, (MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ibarrier", comm, Barrier{}, request);
}
MPI_CALL(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Barrier_init", comm, Barrier{}, info, request);
}

MPI_CALL(int, Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)) {
  return run_blocking("MPI_Bcast", comm, Bcast{buffer, count, datatype, root});
}
MPI_CALL(int, Ibcast,
         (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ibcast", comm, Bcast{buffer, count, datatype, root}, request);
}
MPI_CALL(int, Bcast_init,
         (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
          MPI_Request* request)) {
  return make_persistent("MPI_Bcast_init", comm, Bcast{buffer, count, datatype, root}, info, request);
}

MPI_CALL(int, Gather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Gather", comm,
      Gather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr, nullptr, recvtype, root, false});
}
MPI_CALL(int, Igather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Igather", comm,
      Gather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr, nullptr, recvtype, root, false},
      request);
}
MPI_CALL(int, Gather_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent(
      "MPI_Gather_init", comm,
      Gather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr, nullptr, recvtype, root, false}, info,
      request);
}

MPI_CALL(int, Gatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Gatherv", comm,
      Gather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, root, true});
}
MPI_CALL(int, Igatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Igatherv", comm,
      Gather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, root, true}, request);
}
MPI_CALL(int, Gatherv_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
          MPI_Request* request)) {
  return make_persistent(
      "MPI_Gatherv_init", comm,
      Gather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, root, true}, info,
      request);
}

MPI_CALL(int, Scatter,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Scatter", comm,
      Scatter{sendbuf, sendcount, nullptr, nullptr, sendtype, recvbuf, recvcount, recvtype, root, false});
}
MPI_CALL(int, Iscatter,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Iscatter", comm,
      Scatter{sendbuf, sendcount, nullptr, nullptr, sendtype, recvbuf, recvcount, recvtype, root, false},
      request);
}
MPI_CALL(int, Scatter_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent(
      "MPI_Scatter_init", comm,
      Scatter{sendbuf, sendcount, nullptr, nullptr, sendtype, recvbuf, recvcount, recvtype, root, false},
      info, request);
}

MPI_CALL(int, Scatterv,
         (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
          void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Scatterv", comm,
      Scatter{sendbuf, 0, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, true});
}
MPI_CALL(int, Iscatterv,
         (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
          void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Iscatterv", comm,
      Scatter{sendbuf, 0, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, true}, request);
}
MPI_CALL(int, Scatterv_init,
         (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
          void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
          MPI_Request* request)) {
  return make_persistent(
      "MPI_Scatterv_init", comm,
      Scatter{sendbuf, 0, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, true}, info,
      request);
}

MPI_CALL(int, Allgather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Allgather", comm,
      Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr, nullptr, recvtype, false});
}
MPI_CALL(int, Iallgather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Iallgather", comm,
      Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr, nullptr, recvtype, false},
      request);
}
MPI_CALL(int, Allgather_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent(
      "MPI_Allgather_init", comm,
      Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr, nullptr, recvtype, false}, info,
      request);
}

MPI_CALL(int, Allgatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Allgatherv", comm,
      Allgather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, true});
}
MPI_CALL(int, Iallgatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Iallgatherv", comm,
      Allgather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, true}, request);
}
MPI_CALL(int, Allgatherv_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent(
      "MPI_Allgatherv_init", comm,
      Allgather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, true}, info, request);
}

MPI_CALL(int, Alltoall,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking("MPI_Alltoall", comm,
                      Alltoall{equal_blocks(sendbuf, sendcount, sendtype),
                               equal_blocks(recvbuf, recvcount, recvtype), Form::equal});
}
MPI_CALL(int, Ialltoall,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ialltoall", comm,
                           Alltoall{equal_blocks(sendbuf, sendcount, sendtype),
                                    equal_blocks(recvbuf, recvcount, recvtype), Form::equal},
                           request);
}
MPI_CALL(int, Alltoall_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Alltoall_init", comm,
                         Alltoall{equal_blocks(sendbuf, sendcount, sendtype),
                                  equal_blocks(recvbuf, recvcount, recvtype), Form::equal},
                         info, request);
}

MPI_CALL(int, Alltoallv,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking("MPI_Alltoallv", comm,
                      Alltoall{unequal_blocks(sendbuf, sendcounts, sdispls, sendtype),
                               unequal_blocks(recvbuf, recvcounts, rdispls, recvtype), Form::with_counts});
}
MPI_CALL(int, Ialltoallv,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Ialltoallv", comm,
      Alltoall{unequal_blocks(sendbuf, sendcounts, sdispls, sendtype),
               unequal_blocks(recvbuf, recvcounts, rdispls, recvtype), Form::with_counts},
      request);
}
MPI_CALL(int, Alltoallv_init,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
          MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Alltoallv_init", comm,
                         Alltoall{unequal_blocks(sendbuf, sendcounts, sdispls, sendtype),
                                  unequal_blocks(recvbuf, recvcounts, rdispls, recvtype), Form::with_counts},
                         info, request);
}

MPI_CALL(int, Alltoallw,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
          void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
          MPI_Comm comm)) {
  return run_blocking("MPI_Alltoallw", comm,
                      Alltoall{typed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                               typed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Form::with_types});
}
MPI_CALL(int, Ialltoallw,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
          void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
          MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ialltoallw", comm,
                           Alltoall{typed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                    typed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Form::with_types},
                           request);
}
MPI_CALL(int, Alltoallw_init,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
          void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
          MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Alltoallw_init", comm,
                         Alltoall{typed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                  typed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Form::with_types},
                         info, request);
}
