C     SPDX-License-Identifier: Apache-2.0
C     Fixed form with mpif.h, implicit interfaces, sentinels, a reduction of the program's own.
      program finclu
      include 'mpif.h'
      integer rank, ranks, code, i, sum, op, status(MPI_STATUS_SIZE)
      integer values(5), types
      external smaller
      call mpi_init(code)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, code)
      call mpi_comm_size(MPI_COMM_WORLD, ranks, code)
      sum = rank + 1
      call mpi_allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, code)
      if (sum .ne. ranks * (ranks + 1) / 2) call failed(1)
      call mpi_type_vector(3, 1, 2, MPI_INTEGER, types, code)
      call mpi_type_commit(types, code)
      do 10 i = 1, 5
        values(i) = rank * 10 + i
   10 continue
      call mpi_bcast(values, 1, types, 0, MPI_COMM_WORLD, code)
      if (values(1) .ne. 1 .or. values(3) .ne. 3 .or.
     &    values(2) .ne. rank * 10 + 2) call failed(2)
      call mpi_type_free(types, code)
      call mpi_op_create(smaller, .true., op, code)
      call mpi_allreduce(rank, i, 1, MPI_INTEGER, op,
     &                   MPI_COMM_WORLD, code)
      if (i .ne. 0) call failed(3)
      call mpi_sendrecv(rank, 1, MPI_INTEGER, MPI_PROC_NULL, 0, i, 1,
     &    MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, code)
      if (status(MPI_SOURCE) .ne. MPI_PROC_NULL) call failed(4)
      call mpi_barrier(MPI_COMM_WORLD, code)
      if (rank .eq. 0) print '(a,i0,a)', 'fortran_include: passed on ',
     &  ranks, ' ranks'
      call mpi_finalize(code)
      end

      subroutine smaller(in, inout, length, type)
      integer length, type, in(length), inout(length), i
      do 20 i = 1, length
        inout(i) = min(in(i), inout(i))
   20 continue
      end

      subroutine failed(number)
      include 'mpif.h'
      integer number, code
      print *, 'check failed: number', number
      call mpi_abort(MPI_COMM_WORLD, 3, code)
      end
