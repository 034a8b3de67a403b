list(APPEND mpi_headers work/collectives/arguments.h work/collectives/collectives.h work/collectives/flat_buffer.h
     work/collectives/neighbors.h work/collectives/piece.h work/collectives/plain_blocks.h work/collectives/planned.h work/collectives/reproducible.h work/collectives/running.h
     work/collectives/schedule_request.h work/collectives/shared_reduction.h work/collectives/typed_blocks.h
     work/collectives/typed_elements.h work/files/access.h work/files/coverage.h work/files/file.h work/files/file_error.h work/files/files_of_rank.h
     work/files/pattern.h work/files/range_locks.h work/files/request_data.h work/files/shared_file.h
     work/files/shared_pointer.h work/files/transfer.h work/files/two_phase.h work/files/view.h
     work/messages/buffered_sends.h work/messages/envelope.h work/messages/partitioned.h work/messages/polling.h work/messages/spare_blocks.h
     work/messages/transfer.h work/messages/typed_buffer.h work/windows/access.h work/windows/agreement.h
     work/windows/attached_memory.h work/windows/element_action.h work/windows/element_locks.h work/windows/element_row.h
     work/windows/epoch_parts.h work/windows/epochs.h work/windows/exposure.h work/windows/make_window.h
     work/windows/place.h work/windows/rank_lock.h work/windows/remote_window.h work/windows/runs.h
     work/windows/serve_window.h work/windows/window.h work/windows/window_hints.h work/windows/window_memory.h
     work/windows/window_request.h work/windows/wire_format.h)
list(APPEND mpi_sources work/collectives/allgather.cc work/collectives/arguments.cc work/collectives/barrier_bcast.cc
     work/collectives/flat_buffer.cc work/collectives/gather.cc work/collectives/neighbors.cc work/collectives/planned.cc
     work/collectives/reductions.cc work/collectives/reproducible.cc work/collectives/running.cc work/collectives/schedule_request.cc
     work/collectives/shared_reduction.cc work/collectives/typed_blocks.cc work/collectives/typed_elements.cc
     work/files/access.cc work/files/file.cc work/files/file_error.cc work/files/open.cc work/files/pattern.cc
     work/files/range_locks.cc work/files/request_data.cc work/files/shared_file.cc work/files/shared_pointer.cc
     work/files/transfer.cc work/files/two_phase.cc work/files/view.cc work/messages/buffered_sends.cc
     work/messages/envelope.cc work/messages/partitioned.cc work/messages/transfer.cc work/messages/typed_buffer.cc work/windows/accumulate.cc
     work/windows/active_epochs.cc work/windows/attached_memory.cc work/windows/element_action.cc work/windows/epochs.cc
     work/windows/lock_epochs.cc work/windows/make_window.cc work/windows/place.cc work/windows/rank_lock.cc
     work/windows/remote_window.cc work/windows/serve_window.cc work/windows/transfer.cc work/windows/window.cc
     work/windows/window_memory.cc)
list(APPEND mpi_tests work/collectives/collectives_test.cc work/collectives/intercommunicators_test.cc
     work/collectives/mismatch_test.cc work/collectives/neighbors_test.cc work/collectives/operations_test.cc
     work/collectives/refusals_test.cc work/collectives/test_trials_movement.cc work/collectives/test_trials_reductions.cc
     work/files/atomic_test.cc work/files/open_test.cc work/files/pattern_test.cc work/files/random_access_test.cc
     work/files/shared_pointer_test.cc work/files/view_test.cc work/messages/completion_test.cc
     work/messages/polling_test.cc work/messages/spare_blocks_test.cc work/messages/windows_test.cc
     work/windows/accumulate_test.cc work/windows/attached_memory_test.cc work/windows/rank_lock_test.cc
     work/windows/synchronisation_test.cc work/windows/traffic_test.cc work/windows/window_kinds_test.cc)
list(APPEND mpi_one_thread_tests work/files/pattern_test.cc work/windows/attached_memory_test.cc)
