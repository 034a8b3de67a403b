#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the calls of Open MPI's ABI from taihu/abi/mpi.h, as tools/mpi_mpich_abi.py does for MPICH's; what differs is here.

Left out is what Open MPI 5.0 does not have: large counts, events, buffers of communicators and sessions, and the other calls of
MPI-4.1 and later. Programs that call them are told so. Usage: mpi_open_mpi_abi.py MPI.H FILE-TO-MAKE HAND-WRITTEN..."""
import re
import sys

from mpi_calls import read_calls
from mpi_mpich_abi import Wrapper, hand_written_calls, write_calls

NOT_THERE = re.compile(r"_c$|Abi_|T_(event|source)_|T_category_get_(num_)?events$|Buffer_i?flush$|"
                       r"(Comm|Session)_(attach|detach|i?flush)_buffer$|Get_hw_resource_info$|Type_get_value_index$|"
                       r".*_(c2f|f2c|c2f08|f082c|f082f|f2f08|toint|fromint)$")
WEIGHTS = {"weights", "sourceweights", "destweights"}


class OpenMpiWrapper(Wrapper):
    MACRO = "TAIHU_OPEN_MPI_CALL"
    HANDLE = staticmethod(lambda kind: "Handle")

    def value(self, p):
        if p.name in WEIGHTS and p.type == "int":
            return f"in_weights({p.name})"
        if p.type == "MPI_T_pvar_handle" and p.stars == 0:
            return f"in_variable_handle({p.name})"
        return super().value(p)


def main():
    header, made, *hand_written = sys.argv[1:]
    calls = [call for call in read_calls(header) if not NOT_THERE.search(call.name)]
    write_calls(made, "tools/mpi_open_mpi_abi.py", "open_mpi_abi/convert.h", "open_mpi", calls, hand_written_calls(hand_written),
                OpenMpiWrapper, NOT_THERE)


if __name__ == "__main__":
    main()
