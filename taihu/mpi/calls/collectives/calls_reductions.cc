// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: blocking, non-blocking, persistent.
#include "taihu/mpi/calls/collectives/entry.h"

using namespace taihu::mpi::collectives;

MPI_CALL(int, Reduce,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
          MPI_Comm comm)) {
  return run_blocking("MPI_Reduce", comm, Reduce{sendbuf, recvbuf, count, datatype, op, root});
}
MPI_CALL(int, Ireduce,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
          MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ireduce", comm, Reduce{sendbuf, recvbuf, count, datatype, op, root}, request);
}
MPI_CALL(int, Reduce_init,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
          MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Reduce_init", comm, Reduce{sendbuf, recvbuf, count, datatype, op, root}, info,
                         request);
}

MPI_CALL(int, Allreduce,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
  return run_blocking("MPI_Allreduce", comm, Allreduce{sendbuf, recvbuf, count, datatype, op});
}
MPI_CALL(int, Iallreduce,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking("MPI_Iallreduce", comm, Allreduce{sendbuf, recvbuf, count, datatype, op}, request);
}
MPI_CALL(int, Allreduce_init,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Allreduce_init", comm, Allreduce{sendbuf, recvbuf, count, datatype, op}, info,
                         request);
}

MPI_CALL(int, Reduce_scatter,
         (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
          MPI_Comm comm)) {
  return run_blocking("MPI_Reduce_scatter", comm,
                      ReduceScatter{sendbuf, recvbuf, 0, recvcounts, datatype, op, true});
}
MPI_CALL(int, Ireduce_scatter,
         (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
          MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ireduce_scatter", comm,
                           ReduceScatter{sendbuf, recvbuf, 0, recvcounts, datatype, op, true}, request);
}
MPI_CALL(int, Reduce_scatter_init,
         (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
          MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Reduce_scatter_init", comm,
                         ReduceScatter{sendbuf, recvbuf, 0, recvcounts, datatype, op, true}, info, request);
}

MPI_CALL(int, Reduce_scatter_block,
         (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
          MPI_Comm comm)) {
  return run_blocking("MPI_Reduce_scatter_block", comm,
                      ReduceScatter{sendbuf, recvbuf, recvcount, nullptr, datatype, op, false});
}
MPI_CALL(int, Ireduce_scatter_block,
         (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking("MPI_Ireduce_scatter_block", comm,
                           ReduceScatter{sendbuf, recvbuf, recvcount, nullptr, datatype, op, false}, request);
}
MPI_CALL(int, Reduce_scatter_block_init,
         (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Reduce_scatter_block_init", comm,
                         ReduceScatter{sendbuf, recvbuf, recvcount, nullptr, datatype, op, false}, info,
                         request);
}

MPI_CALL(int, Scan,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
  return run_blocking("MPI_Scan", comm, Scan{sendbuf, recvbuf, count, datatype, op, Range::inclusive});
}
MPI_CALL(int, Iscan,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking("MPI_Iscan", comm, Scan{sendbuf, recvbuf, count, datatype, op, Range::inclusive},
                           request);
}
MPI_CALL(int, Scan_init,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Scan_init", comm, Scan{sendbuf, recvbuf, count, datatype, op, Range::inclusive},
                         info, request);
}

MPI_CALL(int, Exscan,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
  return run_blocking("MPI_Exscan", comm, Scan{sendbuf, recvbuf, count, datatype, op, Range::exclusive});
}
MPI_CALL(int, Iexscan,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Request* request)) {
  return start_nonblocking("MPI_Iexscan", comm, Scan{sendbuf, recvbuf, count, datatype, op, Range::exclusive},
                           request);
}
MPI_CALL(int, Exscan_init,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Exscan_init", comm,
                         Scan{sendbuf, recvbuf, count, datatype, op, Range::exclusive}, info, request);
}
