list(APPEND mpi_headers one_sided/access.h one_sided/agreement.h one_sided/attached_memory.h one_sided/element_action.h
     one_sided/element_locks.h one_sided/element_row.h one_sided/epoch_parts.h one_sided/epochs.h one_sided/exposure.h one_sided/make_window.h
     one_sided/place.h one_sided/rank_lock.h one_sided/remote_window.h one_sided/runs.h one_sided/serve_window.h
     one_sided/window.h one_sided/window_attributes.h one_sided/window_call.h one_sided/window_hints.h one_sided/window_memory.h
     one_sided/window_request.h one_sided/wire_format.h)
list(APPEND mpi_sources one_sided/accumulate.cc one_sided/active_epochs.cc one_sided/attached_memory.cc one_sided/calls_access.cc
     one_sided/calls_describe.cc one_sided/calls_make.cc one_sided/calls_synchronise.cc one_sided/element_action.cc
     one_sided/epochs.cc one_sided/lock_epochs.cc one_sided/make_window.cc one_sided/place.cc one_sided/rank_lock.cc one_sided/remote_window.cc
     one_sided/serve_window.cc one_sided/transfer.cc one_sided/window.cc
     one_sided/window_attributes.cc one_sided/window_errors.cc
     one_sided/window_memory.cc)
list(APPEND mpi_tests one_sided/attached_memory_test.cc one_sided/rank_lock_test.cc one_sided/accumulate_test.cc
     one_sided/synchronisation_test.cc one_sided/traffic_test.cc one_sided/window_kinds_test.cc)
