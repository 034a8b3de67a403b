list(APPEND mpi_headers calls/attributes/names.h calls/collectives/bytes_sent.h calls/collectives/entry.h
     calls/files/file_call.h calls/sessions/process_sets.h calls/tools/tool_call.h calls/tools/tools.h calls/tools/variables.h
     calls/topologies/topology_arguments.h calls/types/call_arguments.h calls/windows/window_attributes.h
     calls/windows/window_call.h)
list(APPEND mpi_sources calls/attributes/communicator_attribute_calls.cc calls/attributes/datatype_attribute_calls.cc
     calls/attributes/name_calls.cc calls/collectives/calls_movement.cc calls/collectives/calls_neighbors.cc
     calls/collectives/calls_operations.cc calls/collectives/calls_reductions.cc calls/communicators/communicator_calls.cc
     calls/communicators/group_calls.cc calls/communicators/making_calls.cc calls/dynamic/port_calls.cc calls/dynamic/spawn_calls.cc calls/environment/abi_calls.cc calls/environment/init_calls.cc
     calls/environment/inquiry_calls.cc calls/errors/error_calls.cc
     calls/errors/handler_calls.cc calls/files/access_calls.cc calls/files/error_calls.cc calls/files/manage_calls.cc
     calls/files/split_calls.cc calls/files/view_calls.cc calls/handles/handle_calls.cc calls/info/info_calls.cc
     calls/messages/completion.cc calls/messages/buffer_calls.cc calls/messages/generalized.cc calls/messages/partitioned_calls.cc calls/messages/persistent.cc calls/messages/probes.cc
     calls/messages/receives.cc calls/messages/sends.cc calls/messages/status_calls.cc calls/tools/category_calls.cc calls/tools/control_calls.cc
     calls/tools/event_calls.cc calls/tools/performance_calls.cc calls/tools/start_calls.cc calls/tools/tools.cc calls/tools/variables.cc
     calls/sessions/from_group_calls.cc calls/sessions/process_sets.cc
     calls/sessions/session_calls.cc calls/topologies/cart_calls.cc calls/topologies/dist_graph_calls.cc calls/topologies/graph_calls.cc
     calls/types/constructor_calls.cc calls/types/pack_calls.cc calls/types/query_calls.cc calls/windows/calls_access.cc
     calls/windows/calls_describe.cc calls/windows/calls_make.cc calls/windows/calls_synchronise.cc
     calls/windows/window_attributes.cc calls/windows/window_errors.cc)
list(APPEND mpi_tests calls/dynamic/dynamic_test.cc calls/environment/environment_test.cc calls/tools/tools_test.cc calls/types/calls_test.cc)
set_source_files_properties(calls/environment/inquiry_calls.cc PROPERTIES
                            COMPILE_DEFINITIONS "TAIHU_VERSION=\"${PROJECT_VERSION}\"")
