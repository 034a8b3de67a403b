// SPDX-License-Identifier: Apache-2.0
// Collectives of neighbours: blocking, non-blocking, persistent.
#include "taihu/mpi/calls/collectives/entry.h"

using namespace taihu::mpi::collectives;

MPI_CALL(int, Neighbor_allgather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking("MPI_Neighbor_allgather", comm,
                      NeighborAllgather{Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, nullptr,
                                                  nullptr, recvtype, false}});
}
MPI_CALL(int, Ineighbor_allgather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ineighbor_allgather", comm,
                           NeighborAllgather{Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                       nullptr, nullptr, recvtype, false}},
                           request);
}
MPI_CALL(int, Neighbor_allgather_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Neighbor_allgather_init", comm,
                         NeighborAllgather{Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                     nullptr, nullptr, recvtype, false}},
                         info, request);
}

MPI_CALL(int, Neighbor_allgatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking("MPI_Neighbor_allgatherv", comm,
                      NeighborAllgather{Allgather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts,
                                                  displs, recvtype, true}});
}
MPI_CALL(int, Ineighbor_allgatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ineighbor_allgatherv", comm,
                           NeighborAllgather{Allgather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts,
                                                       displs, recvtype, true}},
                           request);
}
MPI_CALL(int, Neighbor_allgatherv_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Neighbor_allgatherv_init", comm,
                         NeighborAllgather{Allgather{sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts,
                                                     displs, recvtype, true}},
                         info, request);
}

MPI_CALL(int, Neighbor_alltoall,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking("MPI_Neighbor_alltoall", comm,
                      NeighborAlltoall{Alltoall{equal_blocks(sendbuf, sendcount, sendtype),
                                                equal_blocks(recvbuf, recvcount, recvtype), Form::equal}});
}
MPI_CALL(int, Ineighbor_alltoall,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Ineighbor_alltoall", comm,
      NeighborAlltoall{Alltoall{equal_blocks(sendbuf, sendcount, sendtype),
                                equal_blocks(recvbuf, recvcount, recvtype), Form::equal}},
      request);
}
MPI_CALL(int, Neighbor_alltoall_init,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Neighbor_alltoall_init", comm,
                         NeighborAlltoall{Alltoall{equal_blocks(sendbuf, sendcount, sendtype),
                                                   equal_blocks(recvbuf, recvcount, recvtype), Form::equal}},
                         info, request);
}

MPI_CALL(int, Neighbor_alltoallv,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)) {
  return run_blocking(
      "MPI_Neighbor_alltoallv", comm,
      NeighborAlltoall{Alltoall{unequal_blocks(sendbuf, sendcounts, sdispls, sendtype),
                                unequal_blocks(recvbuf, recvcounts, rdispls, recvtype), Form::with_counts}});
}
MPI_CALL(int, Ineighbor_alltoallv,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Ineighbor_alltoallv", comm,
      NeighborAlltoall{Alltoall{unequal_blocks(sendbuf, sendcounts, sdispls, sendtype),
                                unequal_blocks(recvbuf, recvcounts, rdispls, recvtype), Form::with_counts}},
      request);
}
MPI_CALL(int, Neighbor_alltoallv_init,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
          MPI_Info info, MPI_Request* request)) {
  return make_persistent(
      "MPI_Neighbor_alltoallv_init", comm,
      NeighborAlltoall{Alltoall{unequal_blocks(sendbuf, sendcounts, sdispls, sendtype),
                                unequal_blocks(recvbuf, recvcounts, rdispls, recvtype), Form::with_counts}},
      info, request);
}

MPI_CALL(int, Neighbor_alltoallw,
         (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
          const MPI_Datatype recvtypes[], MPI_Comm comm)) {
  return run_blocking(
      "MPI_Neighbor_alltoallw", comm,
      NeighborAlltoall{Alltoall{typed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                typed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Form::with_types}});
}
MPI_CALL(int, Ineighbor_alltoallw,
         (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking(
      "MPI_Ineighbor_alltoallw", comm,
      NeighborAlltoall{Alltoall{typed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                typed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Form::with_types}},
      request);
}
MPI_CALL(int, Neighbor_alltoallw_init,
         (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent(
      "MPI_Neighbor_alltoallw_init", comm,
      NeighborAlltoall{Alltoall{typed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                typed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Form::with_types}},
      info, request);
}
