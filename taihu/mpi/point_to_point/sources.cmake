list(APPEND mpi_headers point_to_point/buffered_sends.h point_to_point/envelope.h point_to_point/polling.h
     point_to_point/spare_blocks.h point_to_point/transfer.h point_to_point/typed_buffer.h)
list(APPEND mpi_sources point_to_point/buffered_sends.cc point_to_point/completion.cc point_to_point/envelope.cc
     point_to_point/generalized.cc point_to_point/persistent.cc point_to_point/probes.cc point_to_point/receives.cc
     point_to_point/sends.cc point_to_point/transfer.cc point_to_point/typed_buffer.cc)
list(APPEND mpi_tests point_to_point/completion_test.cc point_to_point/polling_test.cc
     point_to_point/spare_blocks_test.cc point_to_point/windows_test.cc)
