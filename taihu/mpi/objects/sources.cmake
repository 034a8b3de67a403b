list(APPEND mpi_headers objects/arguments.h objects/attributes/attributes.h objects/call.h objects/call_sites.h objects/call_trace.h objects/communicator.h
     objects/communicators/circle.h objects/communicators/duplicate_later.h objects/communicators/from_groups.h objects/communicators/group_operations.h
     objects/communicators/inside.h objects/communicators/make_communicator.h objects/counted_calls.h objects/current_call.h
     objects/diagnostics/collective_trace.h objects/diagnostics/deadlock_watch.h objects/diagnostics/exchanges.h objects/diagnostics/viewer_trace.h
     objects/dynamic/job_questions.h objects/dynamic/job_service.h objects/dynamic/spare_numbers.h objects/dynamic/words.h objects/dropped_counts.h objects/error_handler.h objects/errors/added_errors.h objects/errors/error_texts.h objects/errors/handle_error.h
     objects/group.h objects/handles/handle_table.h objects/info/environment_info.h objects/info/info.h objects/job.h
     objects/operations/operation.h objects/operations/operation_kernels.h objects/operations/reduction_text.h objects/predefined.h objects/rank.h objects/rank_names.h
     objects/request.h objects/session.h objects/session_call.h objects/statistics.h objects/status.h objects/topologies/grid.h)
list(APPEND mpi_sources objects/attributes/attributes.cc objects/attributes/predefined_attributes.cc objects/call_sites.cc objects/call_trace.cc objects/communicator.cc
     objects/communicators/circle.cc objects/communicators/duplicate_later.cc objects/communicators/from_groups.cc objects/communicators/group_operations.cc
     objects/communicators/inside.cc objects/communicators/intercommunicators.cc objects/communicators/make_communicator.cc
     objects/current_call.cc objects/diagnostics/collective_trace.cc objects/diagnostics/deadlock_watch.cc objects/diagnostics/exchanges.cc objects/diagnostics/viewer_trace.cc
     objects/dynamic/job_calls.cc objects/dynamic/job_service.cc objects/dynamic/spare_numbers.cc objects/errors/added_errors.cc objects/errors/error_texts.cc
     objects/errors/handle_error.cc objects/group.cc objects/handles/handle_table.cc objects/info/environment_info.cc
     objects/info/info.cc objects/job.cc objects/operations/operation.cc objects/operations/operation_kernels.cc
     objects/predefined.cc objects/rank.cc objects/statistics.cc objects/topologies/grid.cc)
list(APPEND mpi_tests objects/attributes/attributes_test.cc objects/communicators/communicators_test.cc
     objects/communicators/groups_test.cc objects/communicators/make_communicator_test.cc objects/dynamic/spare_numbers_test.cc objects/errors/errors_test.cc
     objects/handles/handles_test.cc objects/info/info_test.cc objects/topologies/topologies_test.cc)
find_package(nlohmann_json REQUIRED)
list(APPEND mpi_link $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
