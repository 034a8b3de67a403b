# SPDX-License-Identifier: Apache-2.0
# Recovery of a password by processes, in both models, and by kernels.
find_package(OpenSSL QUIET)
find_program(OPENSSL_COMMAND openssl)
if(OPENSSL_FOUND AND OPENSSL_COMMAND)
  set(folder ${PROJECT_SOURCE_DIR}/examples/keysearch)
  set(sources ${folder}/archive.c ${folder}/derive.c ${folder}/search.c)
  taihu_program(keysearch_processes SOURCES ${folder}/processes.c ${sources} LINK -lcrypto)
  taihu_program(keysearch_autonomic SOURCES ${folder}/processes.c ${sources} FLAGS --model=autonomic LINK -lcrypto)
  taihu_program(keysearch_kernels SOURCES ${folder}/kernels.c ${sources} LINK -lcrypto)
  # The same search with its data moved by the compiler.
  foreach(model kernels autonomic)
    set(main ${folder}/kernels.c)
    set(flags --spm-model)
    if(model STREQUAL autonomic)
      set(main ${folder}/processes.c)
      list(APPEND flags --model=autonomic)
    endif()
    taihu_program(keysearch_counted_${model} SOURCES ${main} ${sources} FLAGS ${flags} LINK -lcrypto)
    taihu_program(keysearch_moved_${model} SOURCES ${main} ${sources} FLAGS ${flags} --auto-dma LINK -lcrypto)
  endforeach()
  taihu_expect_test(program.auto_dma.keysearch EXPECT "keysearch moved: the same answers" COMMAND python3
                    ${CMAKE_CURRENT_SOURCE_DIR}/keysearch_moved.py ${PROJECT_BINARY_DIR}/tests/programs
                    ${CMAKE_CURRENT_BINARY_DIR}/keysearch_moved $<TARGET_FILE:parcrun> --timeout 100 -n 1 --threads 1)
  set_tests_properties(program.auto_dma.keysearch PROPERTIES LABELS programs TIMEOUT 300 PROCESSORS 2)
  foreach(shape "1 1 none" "3 1 none" "2 2 openmpi")
    separate_arguments(shape)
    list(GET shape 0 ranks)
    list(GET shape 1 processes)
    list(GET shape 2 library)
    set(name program.keysearch.ranks${ranks}.processes${processes})
    if(library STREQUAL openmpi AND NOT TAIHU_MPICC_OPENMPI)
      taihu_skipped_test(${name} "no compiler wrapper of openmpi found" LABELS programs)
      continue()
    endif()
    taihu_expect_test(${name} EXPECT "keysearch: passwords found in both models and by kernels" COMMAND python3
                      ${CMAKE_CURRENT_SOURCE_DIR}/keysearch_test.py ${PROJECT_BINARY_DIR}/tests/programs
                      ${CMAKE_CURRENT_BINARY_DIR}/${name} $<TARGET_FILE:parcrun> --timeout 100 -n ${ranks}
                      --processes-per-node ${processes} --threads 2 --mpi ${library})
    set_tests_properties(${name} PROPERTIES LABELS programs TIMEOUT 300 PROCESSORS 2)
  endforeach()
else()
  taihu_skipped_test(program.keysearch "no OpenSSL found (libssl-dev, openssl)" LABELS programs)
endif()
