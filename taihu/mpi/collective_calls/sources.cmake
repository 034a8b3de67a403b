list(APPEND mpi_headers collective_calls/arguments.h collective_calls/bytes_sent.h collective_calls/collectives.h
            collective_calls/entry.h collective_calls/flat_buffer.h collective_calls/neighbors.h
            collective_calls/operation.h collective_calls/operation_kernels.h collective_calls/piece.h
            collective_calls/planned.h collective_calls/running.h collective_calls/schedule_request.h
            collective_calls/shared_reduction.h collective_calls/typed_blocks.h collective_calls/typed_elements.h)
list(APPEND mpi_sources collective_calls/allgather.cc collective_calls/arguments.cc collective_calls/barrier_bcast.cc
            collective_calls/calls_movement.cc collective_calls/calls_neighbors.cc
            collective_calls/calls_operations.cc collective_calls/calls_reductions.cc
            collective_calls/flat_buffer.cc collective_calls/gather.cc collective_calls/neighbors.cc
            collective_calls/operation.cc collective_calls/operation_kernels.cc collective_calls/planned.cc
            collective_calls/reductions.cc collective_calls/running.cc collective_calls/schedule_request.cc
            collective_calls/shared_reduction.cc collective_calls/typed_blocks.cc collective_calls/typed_elements.cc)
list(APPEND mpi_tests collective_calls/collectives_test.cc collective_calls/intercommunicators_test.cc
            collective_calls/mismatch_test.cc collective_calls/neighbors_test.cc collective_calls/operations_test.cc collective_calls/refusals_test.cc
            collective_calls/test_trials_movement.cc collective_calls/test_trials_reductions.cc)
