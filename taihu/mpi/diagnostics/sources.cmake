pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
list(APPEND mpi_headers diagnostics/deadlock_watch.h diagnostics/source_lines.h diagnostics/statistics.h)
list(APPEND mpi_sources diagnostics/deadlock_watch.cc diagnostics/source_lines.cc diagnostics/statistics.cc)
list(APPEND mpi_link PkgConfig::libdw)
