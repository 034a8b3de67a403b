#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the calls of the MPICH ABI from taihu/abi/mpi.h: each converts what it gets (taihu/mpi/bindings/mpich_abi/convert.h) and
calls ours.

The rules stand below as data: what becomes of a parameter follows from its type, and from its name where the type does not
tell. Calls that need more than rules are written by hand in taihu/mpi/bindings/mpich_abi/*.cc and foreign_abi/*.inc; whatever is defined there with
TAIHU_MPICH_CALL or TAIHU_FOREIGN_CALL is left out here. Usage: mpi_mpich_abi.py MPI.H FILE-TO-MAKE HAND-WRITTEN..."""
import pathlib
import re
import sys

from mpi_calls import HANDLES, read_calls

IN = {"MPI_Comm": "in_communicator", "MPI_Datatype": "in_datatype", "MPI_Errhandler": "in_error_handler", "MPI_Group": "in_group",
      "MPI_Info": "in_info", "MPI_Message": "in_message", "MPI_Op": "in_operation", "MPI_Request": "in_request", "MPI_Win": "in_window",
      "MPI_File": "in_file", "MPI_Session": "in_session"}
NULL = {"MPI_Comm": "MPI_COMM_NULL", "MPI_Datatype": "MPI_DATATYPE_NULL", "MPI_Errhandler": "MPI_ERRHANDLER_NULL",
        "MPI_Group": "MPI_GROUP_NULL", "MPI_Info": "MPI_INFO_NULL", "MPI_Message": "MPI_MESSAGE_NULL", "MPI_Op": "MPI_OP_NULL",
        "MPI_Request": "MPI_REQUEST_NULL", "MPI_Win": "MPI_WIN_NULL", "MPI_File": "MPI_FILE_NULL",
        "MPI_Session": "MPI_SESSION_NULL"}
# Handles that are read although they are passed by address.
IN_OUT = re.compile(r".*_free$|Wait|Test|Start|Cancel|Comm_disconnect|File_close|Session_finalize|Type_commit|Mrecv|Imrecv")
# Results of those calls: what the program's variable held before need not be a handle.
ONLY_OUT = {("Imrecv", "request"), ("Imrecv_c", "request")}
# Numbers by the name of their parameter.
NUMBERS_IN = {"dest": "rank", "source": "rank", "root": "rank", "rank": "rank", "target_rank": "rank", "tag": "tag", "sendtag": "tag",
              "recvtag": "tag", "required": "thread_level", "split_type": "split", "typeclass": "type_class", "order": "order",
              "lock_type": "lock", "assert": "assertion", "amode": "file_mode", "whence": "seek", "errorcode": "error",
              "errorclass": "error", "error": "error", "var_class": "variable_class"}
NUMBERS_OUT = {"provided": "thread_level", "result": "comparison", "status": "topology", "combiner": "combiner",
               "amode": "file_mode", "rank_source": "rank", "rank_dest": "rank", "source": "rank", "tag": "tag",
               "errorclass": "error", "errorcode": "error", "error": "error", "verbosity": "verbosity", "bind": "binding",
               "scope": "scope", "var_class": "variable_class"}
# Numbers in arrays, one for each dimension.
NUMBER_ARRAYS_IN = {"array_of_distribs": "distribution", "array_of_dargs": "distribution_argument"}
KEYVAL = re.compile(r"(comm_|type_|win_)?keyval$")
# The exit code of the job, and lists of ranks that name members of the group.
AS_IT_IS = {("Abort", "errorcode")}
IN_PLACE = {"Collective communication", "Process topologies and neighbourhood collectives"}
# What the MPICH ABI does not have, or has otherwise: the standard's own ABI. Programs that call one of them are told so.
WITHOUT = re.compile(r"Abi_|.*_(c2f|f2c|c2f08|f082c|f082f|f2f08|toint|fromint)$")
# There are no event types, so functions for events are passed on to calls that refuse them.
NEVER_CALLED = re.compile(r"T_event_")
TYPE_ARRAYS = {"sendtypes": "true", "recvtypes": "false"}


def is_handle(p):
    return p.type in HANDLES


def handle_type(kind):
    """The type of a handle for the program."""
    return "void*" if kind == "MPI_File" else "int"


class Wrapper:
    """One call. Another ABI whose handles have another type is a subclass (tools/mpi_open_mpi_abi.py)."""
    MACRO = "TAIHU_MPICH_CALL"
    HANDLE = staticmethod(handle_type)

    def c_type(self, p):
        """The type of the parameter for the program."""
        kind = self.HANDLE(p.type) if p.type in HANDLES else "Status" if p.type == "MPI_Status" else p.type
        if p.name == "ranges":
            return "int (*ranges)[3]"
        # A constant array of pointers is not one of pointers to constants.
        constant = "const " if p.const and not kind.endswith("*") else ""
        stars = ("const" if p.const and kind.endswith("*") else "") + "*" * (p.stars + (1 if p.array else 0))
        return f"{constant}{kind}{stars} {p.name}"

    def __init__(self, call):
        self.call, self.before, self.values, self.after = call, [], [], []
        for parameter in call.parameters:
            self.values.append(self.value(parameter))

    def value(self, p):
        pointer = p.stars > 0 or p.array
        if p.type == "MPI_Status":
            return self.status(p)
        if is_handle(p):
            return self.handle_by_address(p) if pointer else f"{IN[p.type]}({p.name})"
        if p.type == "void" and p.stars == 1 and self.call.chapter in IN_PLACE and p.name in ("sendbuf", "recvbuf"):
            return f"in_place({p.name})"
        if p.type == "int" and (self.call.name, p.name) not in AS_IT_IS:
            return self.number(p, pointer)
        if p.name == "disp" and self.call.name == "File_set_view":
            return "in_displacement(disp)"
        return p.name

    def status(self, p):
        if p.name == "array_of_statuses":
            self.before.append(f"StatusResults {p.name}_({self.count()}, {p.name});")
        elif p.const or self.call.name.startswith("Status_set"):
            self.before.append(f"StatusValue {p.name}_({p.name});")
            if not p.const:
                self.after.append(f"{p.name}_.give_back({p.name});")
        else:
            self.before.append(f"StatusResult {p.name}_({p.name});")
        return f"{p.name}_.get()"

    def count(self):
        return "incount" if any(p.name == "incount" for p in self.call.parameters) else "count"

    def handle_by_address(self, p):
        if p.array:
            return self.handles(p)
        turn = "out_file" if p.type == "MPI_File" else "out_handle"
        is_read = IN_OUT.match(self.call.name) and (self.call.name, p.name) not in ONLY_OUT
        start = f"{p.name} != nullptr ? {IN[p.type]}(*{p.name}) : {NULL[p.type]}" if is_read else NULL[p.type]
        self.before.append(f"{p.type} {p.name}_ = {start};")
        self.after.append(f"if ({p.name} != nullptr) *{p.name} = {turn}({p.name}_);")
        return f"{p.name} != nullptr ? &{p.name}_ : nullptr"

    def handles(self, p):
        if p.type == "MPI_Request" and not p.const:
            self.before.append(f"Requests {p.name}_({self.count()}, {p.name});")
            return f"{p.name}_.get()"
        if p.name in TYPE_ARRAYS:
            count = f"neighbors(comm, {TYPE_ARRAYS[p.name]})" if "eighbor" in self.call.name else "partners(comm)"
            # With MPI_IN_PLACE the types of what is sent count for nothing.
            given = "in_place(sendbuf) == MPI_IN_PLACE ? nullptr : sendtypes" if p.name == "sendtypes" else p.name
        else:
            count, given = self.count(), p.name
        self.before.append(f"ArrayValue<{p.type}, {self.HANDLE(p.type)}> {p.name}_({count}, {given}, {IN[p.type]});")
        return f"{p.name}_.get()"

    def number(self, p, pointer):
        if KEYVAL.match(p.name):
            if not pointer:
                return f"in_keyval({p.name})"
            self.before.append(f"if ({p.name} != nullptr) *{p.name} = in_keyval(*{p.name});")
            self.after.append(f"if ({p.name} != nullptr) *{p.name} = out_keyval(*{p.name});")
        elif p.name in NUMBER_ARRAYS_IN:
            self.before.append(f"ArrayValue<int, int> {p.name}_(ndims, {p.name}, in_{NUMBER_ARRAYS_IN[p.name]});")
            return f"{p.name}_.get()"
        elif pointer and p.name in NUMBERS_OUT and not p.array:
            self.after.append(f"if (code == MPI_SUCCESS && {p.name} != nullptr) *{p.name} = out_{NUMBERS_OUT[p.name]}(*{p.name});")
        elif not pointer and p.name in NUMBERS_IN:
            return f"in_{NUMBERS_IN[p.name]}({p.name})"
        return p.name

    def text(self):
        call = self.call
        parameters = ", ".join(self.c_type(p) for p in call.parameters)
        head = f"{self.MACRO}({call.result}, {call.name}, ({parameters})) {{\n"
        invocation = f"PMPI_{call.name}({', '.join(self.values)})"
        if call.result != "int":
            return f"{head}  return {invocation};\n}}\n"
        body = "".join(f"  {line}\n" for line in self.before)
        if not self.after:
            return f"{head}{body}  return out_error({invocation});\n}}\n"
        body += f"  const int code = {invocation};\n" + "".join(f"  {line}\n" for line in self.after)
        return f"{head}{body}  return out_error(code);\n}}\n"


def hand_written_calls(paths):
    by_hand = set()
    for path in paths:
        text = pathlib.Path(path).read_text()
        by_hand |= set(re.findall(r"TAIHU_\w+_CALL\([^,]+,\s*(\w+),", text))
        by_hand |= set(re.findall(r"^(?:ERROR_HANDLER|KEYVAL|SAME_STATUS)\((\w+),", text, re.M))
        by_hand |= {f"{name}_get_name" for name in re.findall(r"^OBJECT_NAME\((\w+),", text, re.M)}
    return by_hand


def write_calls(made, by, header, namespace, calls, by_hand, wrapper, without=WITHOUT):
    """All calls but those in by_hand and those that the ABI does not have, as one file."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// Made by {by}.", f'#include "taihu/mpi/bindings/{header}"', "",
             "using namespace taihu::mpi;", f"using namespace taihu::mpi::{namespace};", ""]
    for call in calls:
        if call.name in by_hand or without.match(call.name):
            continue
        if (any(p.type.endswith(("_function", "_function_c")) or p.type == "..." for p in call.parameters)
                and not NEVER_CALLED.match(call.name)):
            raise SystemExit(f"MPI_{call.name} takes a function: write it by hand in taihu/mpi/bindings")
        lines.append(wrapper(call).text())
    pathlib.Path(made).write_text("\n".join(lines))


def main():
    header, made, *hand_written = sys.argv[1:]
    write_calls(made, "tools/mpi_mpich_abi.py", "mpich_abi/convert.h", "mpich", read_calls(header), hand_written_calls(hand_written),
                Wrapper)


if __name__ == "__main__":
    main()
