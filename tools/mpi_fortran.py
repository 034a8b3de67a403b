#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Fortran bindings from taihu/abi/mpi.h:

  fortran_calls.c   the procedures mpi_... and pmpi_... for all three interfaces (names as gfortran and flang write them)
  mpif.h            constants and sentinels for include 'mpif.h'
  mpi.f90           module mpi: the same, with interfaces that check arguments
  mpi_f08.f90       module mpi_f08: typed handles, optional ierror, buffers of any kind (TS 29113); each name is generic,
                    with one specific procedure whose name the standard gives

The rules stand below as data: what a C parameter is in Fortran follows from its type, and from its name where the type does
not tell. Calls that need more than rules are written by hand in special_calls.c and procedure_calls.c of taihu/mpi/bindings/fortran and are only declared here."""
import pathlib
import re
import sys

from mpi_calls import HANDLES, read_calls, read_constants

LOGICALS = {"flag", "commute", "reorder", "high", "periods", "remain_dims", "weighted"}
INTEGER_FLAGS = set()
# No binding: other languages' business, or handles that Fortran does not have.
WITHOUT = re.compile(r"T_|.*_(c2f|f2c|c2f08|f082c|f082f|f2f08|toint|fromint)$|"
                     r"Status_(get|set)_(error|source|tag)$|Abi_(get|set)_fortran_booleans$")
# Written by hand.
SPECIAL = {"Init", "Init_thread", "Pcontrol", "Buffer_detach", "Wtime", "Wtick", "Aint_add", "Aint_diff", "Op_create",
           "Comm_create_errhandler", "Win_create_errhandler", "File_create_errhandler", "Errhandler_create",
           "Comm_create_keyval", "Type_create_keyval", "Win_create_keyval", "Keyval_create", "Comm_get_attr",
           "Comm_set_attr", "Type_get_attr", "Type_set_attr", "Win_get_attr", "Win_set_attr", "Attr_get", "Attr_put",
           "Grequest_start", "Register_datarep", "Comm_spawn", "Comm_spawn_multiple", "Info_create_env", "Info_get_string", "Address",
           "Type_struct", "Type_hindexed", "Type_hvector", "Type_extent", "Type_lb", "Type_ub", "Buffer_detach_c",
           "Comm_detach_buffer", "Comm_detach_buffer_c", "Session_detach_buffer", "Session_detach_buffer_c", "Op_create_c",
           "Register_datarep_c", "Session_create_errhandler", "Session_get_nth_pset"}
# Handles that are read although they are passed by address.
IN_OUT = re.compile(r".*_free$|Wait|Test|Start|Cancel|Comm_disconnect|File_close|Session_finalize|Type_commit|Mrecv|Imrecv|"
                    r"Request_get_status")
# Arrays in whose place there may be a special value.
WEIGHTS = {"weights", "sourceweights", "destweights"}
# Indices count from one in Fortran.
ONE_INDEX = {"Waitany", "Testany", "Request_get_status_any"}
MANY_INDICES = {"Waitsome", "Testsome", "Request_get_status_some"}
OUT_TEXT = {"version": "MPI_MAX_LIBRARY_VERSION_STRING", "name": "MPI_MAX_PROCESSOR_NAME", "comm_name": "MPI_MAX_OBJECT_NAME",
            "type_name": "MPI_MAX_OBJECT_NAME", "win_name": "MPI_MAX_OBJECT_NAME", "key": "MPI_MAX_INFO_KEY",
            "string": "MPI_MAX_ERROR_STRING", "port_name": "MPI_MAX_PORT_NAME", "datarep": "MPI_MAX_DATAREP_STRING",
            "value": "*valuelen"}
STRIPPED = {"key", "value"}
NOT_CHOICE = {"baseptr", "extra_state", "attribute_val"}
OUT_INTEGERS = re.compile(r"^(rank|size|flag|result|provided|version|subversion|resultlen|count|index|indx|outcount|claimed|"
                          r"commute|errorclass|errorcode|keyval|nkeys|valuelen|length|maxdims|ndims|newrank|status|position|"
                          r"amode|nnodes|nedges|nneighbors|indegree|outdegree|weighted|rank_source|rank_dest|direction|"
                          r"num_integers|num_large_counts|num_addresses|num_datatypes|combiner|disp_unit|error|source|tag|typesize)$")


def is_choice(call, parameter):
    return parameter.type == "void" and parameter.stars == 1 and parameter.name not in NOT_CHOICE


def is_text(parameter):
    return parameter.type == "char" and (parameter.stars == 1 or parameter.array) and not (parameter.array and parameter.stars)


def is_out_text(parameter):
    return is_text(parameter) and not parameter.const


def is_callback(parameter):
    return parameter.type.endswith("_function")


def is_logical(parameter):
    return parameter.type == "int" and parameter.name in LOGICALS


def length_of_array(call, parameter):
    """C text for the number of handles in an array."""
    names = {p.name for p in call.parameters}
    if parameter.name in ("sendtypes", "recvtypes"):
        if "eighbor" in call.name:
            return f"taihu_neighbours(*comm, {1 if parameter.name == 'sendtypes' else 0})"
        return "taihu_partners(*comm)"
    if call.name.startswith("Type_get_contents"):
        return "*max_datatypes"
    return "*incount" if "incount" in names else "*count"


def f08_suffix(call):
    """Of the linker name in mpi_f08, and with that of the specific procedure name (MPI-3.1 section 17.1.5)."""
    return "f08ts_" if any(is_choice(call, p) for p in call.parameters) else "f08_"


class Wrapper:
    """The C function of one call. `f08`: buffers and texts come as descriptors."""

    def __init__(self, call, f08):
        self.call, self.f08 = call, f08
        self.arguments, self.lengths, self.before, self.values, self.after = [], [], [], [], []
        for parameter in call.parameters:
            self.add(parameter)

    def add(self, p):
        kind = HANDLES.get(p.type)
        if kind:
            self.add_handle(p, kind)
        elif is_choice(self.call, p):
            self.add_buffer(p)
        elif p.type == "MPI_Status":
            self.arguments.append(f"MPI_Fint* {p.name}")
            self.values.append(f"taihu_status({p.name})" if p.name != "array_of_statuses" else f"taihu_statuses({p.name})")
        elif is_text(p):
            self.add_text(p)
        elif p.type == "void":  # an address that is written: baseptr
            self.arguments.append(f"void* {p.name}")
            self.values.append(p.name)
        elif p.stars == 0 and not p.array:
            self.arguments.append(f"const {'MPI_Fint' if p.type == 'int' else p.type}* {p.name}")
            self.values.append(f"(*{p.name} != 0)" if is_logical(p) else f"*{p.name}")
        else:
            self.add_numbers(p)

    def add_numbers(self, p):
        kind = "MPI_Fint" if p.type == "int" else p.type
        self.arguments.append(f"{kind}* {p.name}")
        if p.name in WEIGHTS:
            self.values.append(f"taihu_weights({p.name})")
        elif p.name == "ranges":
            self.values.append(f"(int(*)[3]){p.name}")
        elif p.name == "array_of_errcodes":
            self.values.append(f"taihu_error_codes({p.name})")
        else:
            self.values.append(p.name)
        if self.call.name in ONE_INDEX and p.name == "indx":
            self.after.append(f"if (*{p.name} != MPI_UNDEFINED) ++*{p.name};")
        if self.call.name in MANY_INDICES and p.name == "array_of_indices":
            self.after.append(f"for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; ++i) ++{p.name}[i];")

    def add_handle(self, p, kind):
        self.arguments.append(f"{'const ' if p.const else ''}MPI_Fint* {p.name}")
        local = f"c_{p.name}"
        if p.stars == 0 and not p.array:
            self.values.append(f"taihu_{kind}(*{p.name})")
        elif p.stars == 1:
            start = f"taihu_{kind}(*{p.name})" if IN_OUT.match(self.call.name) else f"(({p.type})0)"
            self.before.append(f"{p.type} {local} = {start};")
            self.values.append(f"&{local}")
            self.after.append(f"if ({local} != 0) *{p.name} = MPI_{kind}_c2f({local});")
        else:
            self.before.append(f"const MPI_Count {local}_count = {length_of_array(self.call, p)};")
            self.before.append(f"{p.type}* {local} = taihu_array({local}_count, sizeof *{local});")
            if not self.call.name.startswith("Type_get_contents"):
                self.before.append(f"for (MPI_Count i = 0; i < {local}_count; ++i) {local}[i] = taihu_{kind}({p.name}[i]);")
            self.values.append(local)
            if not p.const and self.call.name not in ("Type_struct",):
                used = "c_used" if self.call.name.startswith("Type_get_contents") else f"{local}_count"
                if self.call.name == "Type_get_contents_c":
                    self.before.append("MPI_Count c_integers, c_addresses, c_large, c_used; int c_combiner;")
                    self.before.append("MPI_Type_get_envelope_c(taihu_Type(*datatype), &c_integers, &c_addresses, &c_large, "
                                       "&c_used, &c_combiner);")
                elif self.call.name == "Type_get_contents":
                    self.before.append("int c_integers, c_addresses, c_used, c_combiner;")
                    self.before.append("MPI_Type_get_envelope(taihu_Type(*datatype), &c_integers, &c_addresses, &c_used, &c_combiner);")
                self.after.append(f"for (MPI_Count i = 0; i < {used}; ++i) {p.name}[i] = MPI_{kind}_c2f({local}[i]);")
            self.after.append(f"free({local});")

    def add_buffer(self, p):
        if self.f08:
            self.arguments.append(f"CFI_cdesc_t* {p.name}")
            self.values.append(f"taihu_described({p.name})")
        else:
            self.arguments.append(f"void* {p.name}")
            self.values.append(f"taihu_buffer({p.name})")

    def add_text(self, p):
        length = f"{p.name}_length"
        if self.f08:
            self.arguments.append(f"CFI_cdesc_t* {p.name}_text")
            self.before.append(f"char* {p.name} = {p.name}_text->base_addr;")
            self.before.append(f"const size_t {length} = {p.name}_text->elem_len;")
        else:
            self.arguments.append(f"char* {p.name}")
            self.lengths.append(f"size_t {length}")
        if is_out_text(p):
            room = OUT_TEXT[p.name]
            self.before.append(f"char* c_{p.name} = taihu_array({room} + 1, 1);")
            self.values.append(f"c_{p.name}")
            condition = "*flag != 0" if any(q.name == "flag" for q in self.call.parameters) else "1"
            self.after.append(f"if (code == MPI_SUCCESS && {condition}) taihu_store_text({p.name}, {length}, c_{p.name});")
        else:
            self.before.append(f"char* c_{p.name} = taihu_text({p.name}, {length}, {1 if p.name in STRIPPED else 0});")
            self.values.append(f"c_{p.name}")
        self.after.append(f"free(c_{p.name});")

    def noncontiguous(self):
        """(buffer, count, datatype) triples whose buffer may be a section of an array."""
        triples, parameters = [], self.call.parameters
        for i, p in enumerate(parameters):
            if is_choice(self.call, p) and i + 2 < len(parameters) and parameters[i + 1].type in ("int", "MPI_Count") and \
                    not parameters[i + 1].array and parameters[i + 2].type == "MPI_Datatype" and not parameters[i + 2].array:
                triples.append((i, p.name, parameters[i + 1].name, parameters[i + 2].name))
        return triples

    def text(self, prefix, suffix=""):
        name = self.call.name.lower()
        symbol = f"{prefix.lower()}mpi_{name}_" + (f08_suffix(self.call) if self.f08 else suffix)
        arguments = ", ".join(self.arguments + ["MPI_Fint* ierror"] + self.lengths)
        values = list(self.values)
        before, after = list(self.before), list(self.after)
        if self.f08:
            for index, buffer, count, datatype in self.noncontiguous():
                before.append(f"struct taihu_section {buffer}_section = taihu_section_of({buffer}, *{count}, taihu_Type(*{datatype}));")
                values[index] = f"{buffer}_section.address"
                values[index + 1] = f"{buffer}_section.count"
                values[index + 2] = f"{buffer}_section.datatype"
                after.append(f"taihu_free_section(&{buffer}_section);")
        lines = [f"void {symbol}({arguments});", f"void {symbol}({arguments}) {{"]
        lines += ["  " + line for line in before]
        lines.append(f"  const int code = {prefix}MPI_{self.call.name}({', '.join(values)});")
        lines += ["  " + line for line in after]
        lines.append("  if (ierror != NULL) *ierror = code;")
        lines.append("}")
        return "\n".join(lines)


def is_large(call):
    """With large counts; only mpi_f08 has those."""
    return call.name.endswith("_c")


def bound(calls):
    return [call for call in calls if not WITHOUT.match(call.name)]


def without_twins(calls):
    """For mpi_f08, where a call with large counts has the generic name of the call without: not where both would be the same to
    a compiler, as MPI_ADDRESS_KIND and MPI_COUNT_KIND are (MPI-5.0 section 19.2)."""
    def shape(call):
        return [declaration(call, p, True).replace("MPI_COUNT_KIND", "MPI_ADDRESS_KIND") for p in call.parameters]
    by_name = {call.name: call for call in calls}
    return [call for call in calls if call.name in SPECIAL or not is_large(call) or shape(by_name[call.name[:-2]]) != shape(call)]


def needs_f08(call):
    """Whether mpi_f08 gives descriptors; texts come as such only where the procedure is bound to C, that is, without logicals."""
    bound_to_c = not any(is_logical(p) for p in call.parameters)
    return any(is_choice(call, p) or (is_text(p) and bound_to_c) for p in call.parameters)


def gives_memory(call):
    """In module mpi such a call takes TYPE(C_PTR), too, under a specific name of its own."""
    return any(p.name == "baseptr" for p in call.parameters)


def make_calls(calls):
    parts = ["/* Made by tools/mpi_fortran.py from taihu/abi/mpi.h. */", '#include "taihu/mpi/bindings/fortran/support.h"', ""]
    for call in without_twins(bound(calls)):
        if call.name in SPECIAL:
            continue
        for prefix in ("", "P"):
            if is_large(call):
                parts.append(Wrapper(call, True).text(prefix) if needs_f08(call) else Wrapper(call, False).text(prefix, "f08_"))
                continue
            parts.append(Wrapper(call, False).text(prefix))
            if gives_memory(call):
                parts.append(Wrapper(call, False).text(prefix, "cptr_"))
            if needs_f08(call):
                parts.append(Wrapper(call, True).text(prefix))
            else:  # A name of its own all the same: flang refuses procedures that only one of two modules binds to C.
                name = f"{prefix.lower()}mpi_{call.name.lower()}_"
                parts.append(f'__typeof__({name}) {name}f08_ __attribute__((alias("{name}")));')
    return "\n".join(parts) + "\n"


def fortran_value(value, constants):
    found = re.fullmatch(r"\(\((\w+)\)\s*(-\s*)?(0x[0-9a-f]+|\d+)\)", value)
    if found:
        return str(int((found.group(2) or "").strip().replace(" ", "") + str(int(found.group(3), 0)))), found.group(1)
    if value in constants:
        return fortran_value(constants[value], constants)
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", value):
        return str(int(value, 0)), "int"
    if re.fullmatch(r"\(\(MPI_Offset\) - 1\)", value):
        return "-1", "MPI_Offset"
    return None, None


# Values whose address tells what is meant; each in a common block of its own.
SENTINELS = [("MPI_BOTTOM", ""), ("MPI_IN_PLACE", ""), ("MPI_BUFFER_AUTOMATIC", ""), ("MPI_STATUS_IGNORE", "(MPI_STATUS_SIZE)"),
             ("MPI_STATUSES_IGNORE", "(MPI_STATUS_SIZE,1)"), ("MPI_ERRCODES_IGNORE", "(1)"), ("MPI_UNWEIGHTED", "(1)"),
             ("MPI_WEIGHTS_EMPTY", "(1)")]
PROCEDURES = ["MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_COMM_NULL_COPY_FN", "MPI_COMM_DUP_FN",
              "MPI_COMM_NULL_DELETE_FN", "MPI_TYPE_NULL_COPY_FN", "MPI_TYPE_DUP_FN", "MPI_TYPE_NULL_DELETE_FN",
              "MPI_WIN_NULL_COPY_FN", "MPI_WIN_DUP_FN", "MPI_WIN_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL"]
MORE_CONSTANTS = [("MPI_STATUS_SIZE", 8), ("MPI_SOURCE", 1), ("MPI_TAG", 2), ("MPI_ERROR", 3), ("MPI_ADDRESS_KIND", 8),
                  ("MPI_OFFSET_KIND", 8), ("MPI_COUNT_KIND", 8), ("MPI_INTEGER_KIND", 4)]
LOGICAL_CONSTANTS = {"MPI_SUBARRAYS_SUPPORTED": {"mpif": ".false.", "mpi": ".false.", "f08": ".true."},
                     "MPI_ASYNC_PROTECTS_NONBLOCKING": {"mpif": ".false.", "mpi": ".false.", "f08": ".true."}}


def fixed(text):
    """A statement that fixed and free form both understand, in lines of at most 72 columns."""
    width, lines = 64, []
    while len(text) > width:
        cut = text.rfind(",", 0, width) + 1
        lines.append(text[:cut])
        text = text[cut:].lstrip()
    lines.append(text)
    result = "      " + lines[0]
    for line in lines[1:]:
        result = result.ljust(result.rfind("\n") + 1 + 72) + "&\n     &" + line
    return result


def constants_for(constants, form):
    integers, handles = [], []
    for name, value in constants.items():
        if name in ("MPI_STATUS_SIZE",) or name.startswith(("MPI_T_", "MPI_F_")) or name in dict(SENTINELS) or name in PROCEDURES or \
                name in ("MPI_ARGV_NULL", "MPI_ARGVS_NULL", "MPI_DISPLACEMENT_CURRENT"):
            continue
        number, kind = fortran_value(value, constants)
        if number is None:
            continue
        # Lengths of texts leave out the zero byte of C.
        if name.startswith("MPI_MAX_"):
            number = str(int(number) - 1)
        (handles if kind in HANDLES else integers).append((name, number, kind))
    return integers, handles


def make_mpif(constants):
    integers, handles = constants_for(constants, "mpif")
    lines = ["!     SPDX-License-Identifier: Apache-2.0", "!     Made by tools/mpi_fortran.py; readable in fixed and in free form."]
    for name, number in MORE_CONSTANTS:
        lines += [fixed(f"integer {name}"), fixed(f"parameter ({name}={number})")]
    for name, number, _ in integers + handles:
        lines += [fixed(f"integer {name}"), fixed(f"parameter ({name}={number})")]
    for name, values in LOGICAL_CONSTANTS.items():
        lines += [fixed(f"logical {name}"), fixed(f"parameter ({name}={values['mpif']})")]
    lines += [fixed("integer(kind=8) MPI_DISPLACEMENT_CURRENT"), fixed("parameter (MPI_DISPLACEMENT_CURRENT=-1_8)")]
    lines += sentinels()
    lines += [fixed(f"external {name}") for name in PROCEDURES]
    lines += [fixed(f"external {p}MPI_{name}") for name in ("WTIME", "WTICK") for p in ("", "P")]
    lines += [fixed(f"double precision {p}MPI_{name}") for name in ("WTIME", "WTICK") for p in ("", "P")]
    lines += [fixed(f"external {p}MPI_{name}") for name in ("AINT_ADD", "AINT_DIFF") for p in ("", "P")]
    lines += [fixed(f"integer(kind=8) {p}MPI_{name}") for name in ("AINT_ADD", "AINT_DIFF") for p in ("", "P")]
    return "\n".join(lines) + "\n"


def sentinels(skip=()):
    lines = []
    for name, shape in SENTINELS:
        if name in skip:
            continue
        lines += [fixed(f"integer {name}{shape}"), fixed(f"common /{name.lower().replace('mpi_', 'mpi_fortran_')}/ {name}"),
                  fixed(f"save /{name.lower().replace('mpi_', 'mpi_fortran_')}/")]
    for name, shape in (("MPI_ARGV_NULL", "(1)"), ("MPI_ARGVS_NULL", "(1,1)")):
        block = name.lower().replace("mpi_", "mpi_fortran_")
        lines += [fixed(f"character {name}{shape}"), fixed(f"common /{block}/ {name}"), fixed(f"save /{block}/")]
    return lines


def intent_of(call, p):
    if p.const:
        return ", intent(in)"
    if p.stars == 0 and not p.array:
        return ", intent(in)"
    return ""


def declaration(call, p, f08, suffix=""):
    """Declaration of one dummy argument."""
    intent = intent_of(call, p)
    shape = "(*)" if p.array else ""
    kind = HANDLES.get(p.type)
    if p.name == "ranges":
        return f"integer{intent} :: {p.name}(3,*)"
    if kind:
        return (f"type({p.type})" if f08 else "integer") + f"{intent} :: {p.name}{shape}"
    if is_choice(call, p):
        if f08:
            return f"type(*), dimension(..){', intent(in)' if p.const else ''}{asynchronous(call)} :: {p.name}"
        return f"real :: {p.name}(*)"
    if p.type == "MPI_Status":
        many = p.name == "array_of_statuses"
        if f08:
            return f"type(MPI_Status){', intent(in)' if p.const else ''} :: {p.name}{'(*)' if many else ''}"
        return f"integer{', intent(in)' if p.const else ''} :: {p.name}(MPI_STATUS_SIZE{',*' if many else ''})"
    if is_text(p):
        return f"character(len=*){', intent(in)' if p.const else ', intent(out)'} :: {p.name}"
    if p.name == "baseptr":
        return f"type(c_ptr) :: {p.name}" if f08 or suffix else f"integer(kind=MPI_ADDRESS_KIND) :: {p.name}"
    if p.type == "int":
        arrays = p.array or p.name in WEIGHTS
        return f"{'logical' if is_logical(p) else 'integer'}{intent} :: {p.name}{'(*)' if arrays else ''}"
    number = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND", "MPI_Count": "MPI_COUNT_KIND"}[p.type]
    return f"integer(kind={number}){intent} :: {p.name}{shape}"


def asynchronous(call):
    return ", asynchronous" if re.match(r"I(?!nfo|ntercomm)|.*_(begin|init)$|Rput|Rget|Raccumulate|Put|Get$|Get_acc|Accumulate|File_i", call.name) else ""


def wrapped(text, indent):
    """A free-form statement in lines of at most 120 columns."""
    lines = []
    while len(text) > 110 - indent:
        cut = text.rfind(",", 0, 110 - indent) + 1
        lines.append(" " * indent + text[:cut] + " &")
        text = text[cut:].lstrip()
    lines.append(" " * indent + text)
    return "\n".join(lines)


def interface(call, f08, prefix="", suffix=""):
    name = f"{prefix}MPI_{call.name}{suffix}"
    dummies = ", ".join([p.name for p in call.parameters] + ["ierror"])
    binding = f' bind(C, name="{prefix.lower()}mpi_{call.name.lower()}_{f08_suffix(call)}")' if f08 else ""
    head = wrapped(f"subroutine {name}({dummies})", 4)
    if binding:  # in one piece: with_specific_names looks for it
        head += binding if len(head.split("\n")[-1] + binding) <= 120 else " &\n       " + binding
    lines = [head, "      import"]
    if not f08:
        choices = [p.name for p in call.parameters if is_choice(call, p)]
        for choice in choices:
            lines += [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {choice}", f"!DIR$ IGNORE_TKR {choice}"]
    lines += [wrapped(declaration(call, p, f08, suffix), 6) for p in call.parameters]
    lines.append(f"      integer{', optional' if f08 else ''}, intent(out) :: ierror")
    lines.append(f"    end subroutine {name}")
    return "\n".join(lines)


def interfaces(calls, f08):
    lines = ["  interface"]
    for call in without_twins(bound(calls)) if f08 else bound(calls):
        if call.name in SPECIAL or (gives_memory(call) and not f08) or (is_large(call) and not f08):
            continue
        if f08 and call.chapter.startswith("Removed"):
            continue
        for prefix in ("", "P"):
            lines.append(interface(call, f08, prefix))
    lines.append("  end interface")
    if f08:
        lines = with_specific_names("\n".join(lines)).split("\n")
    for call in [] if f08 else [call for call in bound(calls) if gives_memory(call) and not is_large(call)]:
        for prefix in ("", "P"):
            lines += [f"  interface {prefix}MPI_{call.name}", interface(call, f08, prefix),
                      interface(call, f08, prefix, "_cptr"), "  end interface"]
    return lines


def parameters_free(constants, form):
    integers, handles = constants_for(constants, form)
    lines = [f"  integer, parameter :: {name} = {number}" for name, number in MORE_CONSTANTS]
    lines += [f"  integer, parameter :: {name} = {number}" for name, number, _ in integers]
    lines += [f"  logical, parameter :: {name} = {values[form]}" for name, values in LOGICAL_CONSTANTS.items()]
    lines.append("  integer(kind=MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -1")
    return lines, handles


def with_profiling(text):
    """Hand-written interfaces, and the same under their profiling names."""
    found = re.findall(r"^    (subroutine|function) MPI_(\w+)(\(.*?^    end )\1 MPI_\2$", text, re.MULTILINE | re.DOTALL)
    wanted = [(kind, name, body.replace('name="mpi_', 'name="pmpi_')) for kind, name, body in found
              if not name.lower().endswith(("_fn", "_function", "_function_c"))]
    copies = [f"    {kind} PMPI_{name}{body}{kind} PMPI_{name}" for kind, name, body in wanted]
    return "\n".join([text.rstrip(), "  interface", *copies, "  end interface"])


def with_specific_names(text):
    """Each procedure bound to C below its specific name, which the linker name tells, in an interface of its generic name. Those with
    logicals are not bound, as gfortran -std=f2018 takes no default LOGICAL there: their linker name is the usual one of this name."""
    def generic(found):
        kind, name, body, suffix, rest = found.groups()
        if re.search(r"^ +logical\b", rest, re.MULTILINE):
            body, rest = re.sub(r"(?: &\n *)? bind\(C, name=\"\w+$", "", body), rest.removeprefix('")')
            suffix_of_name = ""
        else:
            suffix_of_name = f"{suffix}_"
        shared = name[:-2] if name.endswith("_c") and not name.endswith(("MPI_Op_create_c", "MPI_Register_datarep_c")) else name
        return (f"  end interface\n  interface {shared}\n    {kind} {name}{suffix}{body}{suffix_of_name}{rest}"
                f"    end {kind} {name}{suffix}\n  end interface\n  interface")
    return re.sub(r"^    (subroutine|function) (P?MPI_\w+)(\((?:(?!^    end ).)*?bind\(C, name=\"p?mpi_\w+?)(_f08(?:ts)?)_(\".*?)"
                  r"^    end \1 \2$", generic, text, flags=re.MULTILINE | re.DOTALL)


def make_module(calls, constants, hand_written):
    lines, handles = parameters_free(constants, "mpi")
    text = ["! SPDX-License-Identifier: Apache-2.0", "! Made by tools/mpi_fortran.py.", "module mpi",
            "  use, intrinsic :: iso_c_binding, only: c_ptr", "  implicit none", "  private :: c_ptr", "  public"]
    text += lines + [f"  integer, parameter :: {name} = {number}" for name, number, _ in handles]
    text += sentinels() + [f"  external :: {name}" for name in PROCEDURES]
    text += interfaces(calls, False) + [with_profiling(hand_written), "end module mpi", ""]
    return "\n".join(text)


def make_module_f08(calls, constants, hand_written):
    lines, handles = parameters_free(constants, "f08")
    text = ["! SPDX-License-Identifier: Apache-2.0", "! Made by tools/mpi_fortran.py.", "module mpi_f08",
            "  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr", "  implicit none", "  public"]
    for kind in HANDLES:
        text += [f"  type, bind(C) :: {kind}", "    integer :: MPI_VAL", f"  end type {kind}"]
    text += ["  type, bind(C) :: MPI_Status", "    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR", "    integer :: MPI_internal(5)",
             "  end type MPI_Status"]
    text += lines
    text += [f"  type({kind}), parameter :: {name} = {kind}({number})" for name, number, kind in handles]
    text += sentinels(skip=("MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE"))
    text += ['  type(MPI_Status), bind(C, name="mpi_f08_status_ignore_") :: MPI_STATUS_IGNORE',
             '  type(MPI_Status), bind(C, name="mpi_f08_statuses_ignore_") :: MPI_STATUSES_IGNORE(1)']
    for operator, value in ((".eq.", "=="), (".ne.", "/=")):
        text += [f"  interface operator ({value})"] + \
            [f"    module procedure {kind.lower()}{operator.strip('.')}" for kind in HANDLES] + ["  end interface"]
    text += interfaces(calls, True) + [with_specific_names(with_profiling(hand_written)), "contains"]
    for kind in HANDLES:
        for operator, value in (("eq", "=="), ("ne", "/=")):
            text += [f"  elemental function {kind.lower()}{operator}(left, right) result(holds)",
                     f"    type({kind}), intent(in) :: left, right", "    logical :: holds",
                     f"    holds = left%MPI_VAL {value} right%MPI_VAL", f"  end function {kind.lower()}{operator}"]
    text += ["end module mpi_f08", ""]
    return "\n".join(text)


def main():
    header, hand_written, target = (pathlib.Path(argument) for argument in sys.argv[1:4])
    calls, constants = read_calls(header), read_constants(header)
    target.mkdir(parents=True, exist_ok=True)
    (target / "fortran_calls.c").write_text(make_calls(calls))
    (target / "mpif.h").write_text(make_mpif(constants))
    (target / "mpi.f90").write_text(make_module(calls, constants, (hand_written / "special_mpi.inc").read_text()))
    (target / "mpi_f08.f90").write_text(make_module_f08(calls, constants, (hand_written / "special_f08.inc").read_text()))


if __name__ == "__main__":
    main()
