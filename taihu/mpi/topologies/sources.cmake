list(APPEND mpi_headers topologies/grid.h topologies/topology_arguments.h)
list(APPEND mpi_sources topologies/cart_calls.cc topologies/dist_graph_calls.cc topologies/graph_calls.cc
                        topologies/grid.cc)
list(APPEND mpi_tests topologies/topologies_test.cc)
