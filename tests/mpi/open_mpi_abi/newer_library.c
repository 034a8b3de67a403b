/* SPDX-License-Identifier: Apache-2.0
 * Linked under the name of a library of version 5, and never loaded: what version 5 has beyond version 4. */
#define NAME(name) \
  void name(void); \
  void name(void) {}
NAME(MPI_Session_init)
NAME(MPI_Session_finalize)
NAME(MPI_Session_get_num_psets)
NAME(MPI_Session_get_nth_pset)
NAME(MPI_Session_create_errhandler)
NAME(MPI_Session_call_errhandler)
NAME(MPI_Session_c2f)
NAME(MPI_Session_f2c)
NAME(MPI_Group_from_session_pset)
NAME(MPI_Comm_create_from_group)
NAME(MPI_Psend_init)
NAME(MPI_Precv_init)
NAME(MPI_Pready)
NAME(MPI_Pready_range)
NAME(MPI_Parrived)
extern char ompi_mpi_instance_null[512], ompi_mpi_errors_abort[1024], ompi_mpi_short_float[512],
    ompi_mpi_c_short_float_complex[512];
char ompi_mpi_instance_null[512], ompi_mpi_errors_abort[1024], ompi_mpi_short_float[512],
    ompi_mpi_c_short_float_complex[512];
