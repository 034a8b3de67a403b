// SPDX-License-Identifier: Apache-2.0
// What parcc makes of a command line of cc.
#include <algorithm>
#include <filesystem>

#include "taihu/abi/scratchpad_record.h"
#include "taihu/base/error.h"
#include "taihu/base/input_file.h"
#include "taihu/base/units.h"
#include "taihu/compiler/driver.h"
#include "taihu/compiler/link_line.h"
#include "taihu/compiler/response_file.h"
#include "taihu/scratchpad_model/machine.h"

namespace taihu::compiler {

namespace {

using std::string;

/// What cannot be, and why. Nothing when the option is fine.
void refuse(const string& argument) {
  const auto stop = [&](const char* reason) { throw UsageError(argument + ": " + reason); };
  const bool is_model = argument == "--model" || argument.starts_with("--model=");
  if (is_model && argument != "--model=accelerated" && argument != "--model=autonomic")
    stop("no such model; give --model=accelerated or --model=autonomic");
  const bool is_report = argument == "--report" || argument.starts_with("--report=");
  if (is_report && argument != "--report=layout" && argument != "--report=layout-json")
    stop("no such report; give --report=layout or --report=layout-json");
  if (argument == "-m32" || argument == "-mx32")
    stop("Parallel C programs have 64-bit addresses; leave it out");
}

/// Gold and mold cannot place shared variables.
void refuse_linker(const CcCommand& command) {
  if (command.linker == "gold" || command.linker == "mold")
    throw UsageError(
        command.linker +
        ": this linker does not know the linker scripts that place shared variables; use GNU ld, or "
        "-fuse-ld=lld");
}

/// Intermediate code is for the parcc and the clang that made it.
string version_of_code() {
  return string(TAIHU_VERSION) + " with clang " + std::to_string(TAIHU_CLANG_MAJOR);
}

std::int64_t parse_scratchpad(const string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = parse_bytes(text, "--spm");
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (bytes < 1 || bytes > (std::int64_t{1} << 30))
    throw UsageError("--spm=" + text + ": the scratchpad must have 1 byte to 1G");
  return bytes;
}

/// What the layout reckons with: cycles of a load, a store, an access of the scratchpad, a transfer, a byte
/// of it, a block of a strided one, a byte of a broadcast, a meeting of all threads.
string layout_costs(const Command& command) {
  const bool is_default = command.scratchpad_model.empty() || command.scratchpad_model == "default";
  const string text =
      is_default ? string(scratchpad_model::default_machine_text()) : read_file(command.scratchpad_model);
  const scratchpad_model::Machine machine = scratchpad_model::parse_machine(text, command.scratchpad_model);
  const scratchpad_model::Costs costs(machine, machine.cores);
  constexpr std::uint64_t many = 1 << 20;
  const auto cycles = [](scratchpad_model::Ticks ticks, double parts = 1) {
    return std::to_string(static_cast<double>(ticks) / scratchpad_model::ticks_per_cycle / parts);
  };
  return cycles(costs.access(TAIHU_ACCESS_LOAD, 0, TAIHU_PLACE_MEMORY)) + "," +
         cycles(costs.access(TAIHU_ACCESS_STORE, 0, TAIHU_PLACE_MEMORY)) + "," +
         cycles(costs.access(TAIHU_ACCESS_LOAD, 0, TAIHU_PLACE_SCRATCHPAD)) + "," +
         cycles(costs.transfer_start()) + "," + cycles(costs.transfer(many), static_cast<double>(many)) +
         "," + cycles(costs.transfer(0, many + 1), static_cast<double>(many)) + "," +
         cycles(costs.broadcast(many), static_cast<double>(many)) + "," + cycles(costs.barrier());
}

/// The file of --spm-model=FILE, which must describe a machine.
string machine_file(const string& file) {
  try {
    scratchpad_model::parse_machine(read_file(file), file);
  } catch (const Error& error) {
    throw UsageError(string("--spm-model: ") + error.what());
  }
  return file;
}

/// Own options: true when `argument` is not for clang.
bool take_own(const string& argument, Command& command) {
  refuse(argument);
  if (argument == "--version") command.version = true;
  if (argument == "--help") command.help = true;
  if (argument == "--check") command.check = true;
  if (argument == "--spm-model") command.scratchpad_model = "default";
  if (argument.starts_with("--spm-model=")) command.scratchpad_model = machine_file(argument.substr(12));
  if (argument == "--whole-program") command.whole_program = true;
  if (argument == "--auto-dma") command.auto_dma = true;
  if (argument == "--optimise-for-host") command.optimise_for_host = true;
  if (argument.starts_with("--model=")) command.autonomic = argument == "--model=autonomic";
  if (argument == "--no-proxy-opt") command.output_in_pieces = true;
  if (argument == "--report=layout") command.layout_report = "text";
  if (argument == "--report=layout-json") command.layout_report = "json";
  if (argument == "--spm-model-lines") command.scratchpad_model_lines = true;
  if (argument.starts_with("--spm-model-pictures=")) {
    command.scratchpad_pictures = argument.substr(21);
    if (command.scratchpad_pictures.empty())
      throw UsageError("--spm-model-pictures: names no folder; give --spm-model-pictures=FOLDER");
  }
  if (argument.starts_with("--spm=")) command.scratchpad_bytes = parse_scratchpad(argument.substr(6));
  return argument == "--help" || argument == "--check" || argument.starts_with("--model=") ||
         argument == "--no-proxy-opt" || argument == "--auto-dma" || argument == "--optimise-for-host" ||
         argument == "--whole-program" || argument.starts_with("--spm=") || argument == "--spm-model" ||
         argument == "--spm-model-lines" || argument.starts_with("--report=") ||
         argument.starts_with("--spm-model=") || argument.starts_with("--spm-model-pictures=");
}

/// What --optimise-for-host cannot be together with.
void refuse_host_loops(const Command& command) {
  if (!command.optimise_for_host) return;
  if (!command.optimises) throw UsageError("--optimise-for-host: changes optimised code; add -O1 or more");
  if (command.auto_dma || !command.scratchpad_model.empty())
    throw UsageError(
        "--optimise-for-host: is for cores with caches, --auto-dma and --spm-model for those with a "
        "scratchpad; leave one out");
}

void add_parallel_c_program(std::vector<string>& line, const Command& command, const Toolchain& tools) {
  require_file(tools.program.start_object, "lib/taihu/start.o", "parcc");
  require_file(tools.program.start_script, "lib/taihu/start.ld", "parcc");
  require_file(tools.program_script, "lib/taihu/program.ld", "parcc");
  require_file(tools.program.exports, "lib/taihu/exports.map", "parcc");
  add_program(line, command, tools.program);
  add_linker(line,
             {"--defsym=taihu_scratchpad_capacity=" + std::to_string(command.scratchpad_bytes),
              string("--defsym=taihu_checks=") + (command.check ? "1" : "0"), "-T", tools.program_script});
}

/// All files are compiled together by the linker that clang calls (parcc_link.cc).
void add_whole_program(std::vector<string>& line, const Command& command, const Toolchain& tools) {
  require_file(tools.whole_program_linker, "libexec/taihu/parcc-link", "parcc");
  require_file(tools.linker, "a linker", "clang");
  LinkLine own;
  own.linker = tools.linker;
  own.clang = tools.clang;
  own.version = version_of_code();
  own.keeps_exports = command.own_exports;
  if (!command.layout_report.empty()) {
    own.options.push_back("-taihu-layout=" + command.layout_report);
    own.options.push_back("-taihu-host-report=" + command.layout_report);  // if the files have it
  }
  line.push_back("--ld-path=" + tools.whole_program_linker);
  add_linker(line, own_words(own));
}

/// For the plugin's passes. The assembler, which gets what -mllvm says too, does not know the plugin.
void add_pass_options(std::vector<string>& line, const std::vector<string>& options) {
  for (const string& option : options) line.insert(line.end(), {"-Xclang", "-mllvm", "-Xclang", option});
}

void add_runtime(std::vector<string>& line, const Toolchain& tools) {
  require_file(tools.library, "lib/libparallelc.so", "parcc");
  add_linker(
      line, {"--push-state", "--no-as-needed", tools.library, "--pop-state", "-rpath", tools.library_folder});
}

}  // namespace

Command read_command(const std::vector<string>& arguments) {
  Command command;
  read_cc(expand_response_files(arguments), command,
          [&](const string& argument) { return take_own(argument, command); });
  command.check = command.check || command.debug;
  if ((command.scratchpad_model_lines || !command.scratchpad_pictures.empty()) &&
      command.scratchpad_model.empty())
    command.scratchpad_model = "default";
  for (const string& argument : command.arguments)
    if (argument.starts_with("-O")) command.optimises = argument != "-O0";
  if (!command.layout_report.empty() && !command.optimises)
    throw UsageError("--report=layout: looks at optimised code; add -O1 or more");
  if (command.auto_dma && !command.optimises)
    throw UsageError("--auto-dma: changes optimised code; add -O1 or more");
  refuse_host_loops(command);
  const bool at_link_time = std::ranges::any_of(command.arguments, [](const string& argument) {
    return argument == "-flto" || argument.starts_with("-flto=");
  });
  if (at_link_time && !command.scratchpad_model.empty())
    throw UsageError("--spm-model: counts what the compiler makes of each file; leave -flto out");
  if (at_link_time && !command.layout_report.empty())
    throw UsageError("--report=layout: looks at what the compiler makes of each file; leave -flto out");
  if (at_link_time && command.optimise_for_host)
    throw UsageError("--optimise-for-host: changes what the compiler makes of each file; leave -flto out");
  if (at_link_time && command.whole_program)
    throw UsageError("--whole-program: compiles all files of a program together itself; leave -flto out");
  if (at_link_time && command.auto_dma)
    throw UsageError("--auto-dma: changes what the compiler makes of each file; leave -flto out");
  if (command.output == Output::shared_library) command.whole_program = false;  // linked as any other
  refuse_in_program(command, "a Parallel C program", "parcrun");
  if (command.output == Output::program) refuse_linker(command);
  return command;
}

std::vector<string> clang_command(const Command& command, const Toolchain& tools) {
  std::vector<string> line = {tools.clang};
  if (command.output == Output::nothing) {
    line.insert(line.end(), command.arguments.begin(), command.arguments.end());
    return line;
  }
  // Old programs that cc takes with a warning; the user's own options come later and win.
  line.insert(line.end(), {"--start-no-unused-arguments", "-Wno-error=implicit-function-declaration",
                           "-Wno-error=implicit-int"});
  line.insert(line.end(), {"-D__PARALLELC__=1", "-fplugin=" + tools.plugin, "-fpass-plugin=" + tools.plugin,
                           "-fplugin-arg-parallelc-spm=" + std::to_string(command.scratchpad_bytes)});
  if (command.check) line.insert(line.end(), {"-D__PARALLELC_CHECK__=1", "-fplugin-arg-parallelc-check"});
  if (!command.scratchpad_model.empty()) {
    add_pass_options(line, {"-taihu-scratchpad-model=" + command.scratchpad_model});
    if (command.scratchpad_model_lines) add_pass_options(line, {"-taihu-scratchpad-model-lines"});
    if (!command.scratchpad_pictures.empty())
      add_pass_options(line, {"-taihu-scratchpad-model-pictures=" + command.scratchpad_pictures});
    if (!command.debug) line.push_back("-gline-tables-only");  // names of kernels and lines
  }
  // A program's files are reported together, when they are linked.
  const string report = command.whole_program ? string() : command.layout_report;
  if (command.whole_program) {
    line.insert(line.end(),
                {"-Xclang", "-fembed-bitcode=marker", "-fplugin-arg-parallelc-version=" + version_of_code()});
    add_pass_options(line, {"-taihu-whole-program"});
  }
  if (!command.layout_report.empty() || command.auto_dma || command.whole_program)
    add_pass_options(line, {"-taihu-layout-costs=" + layout_costs(command),
                            "-taihu-layout-capacity=" + std::to_string(command.scratchpad_bytes)});
  // Loops that copy or fill stay loops, so that they can be moved.
  if (command.auto_dma)
    add_pass_options(line, {"-taihu-auto-dma", "-disable-loop-idiom-memcpy", "-disable-loop-idiom-memset"});
  if (command.optimise_for_host) {
    add_pass_options(line, {"-taihu-host-loops"});
    if (!report.empty()) add_pass_options(line, {"-taihu-host-report=" + report});
  }
  if (command.autonomic) {
    line.push_back("-fplugin-arg-parallelc-autonomic");
    add_pass_options(line, {"-taihu-autonomic"});
  }
  if (command.output_in_pieces) add_pass_options(line, {"-taihu-no-proxy-opt"});
  if (!report.empty()) add_pass_options(line, {"-taihu-layout=" + report});
  if ((!report.empty() || command.whole_program) && !command.debug && command.scratchpad_model.empty())
    line.push_back("-gline-tables-only");
  line.push_back("--end-no-unused-arguments");
  const auto dashes = std::find(command.arguments.begin(), command.arguments.end(), "--");
  line.insert(line.end(), command.arguments.begin(), dashes);
  line.insert(line.end(), {"--start-no-unused-arguments", "-I" + tools.include, "-fPIC"});
  if (command.output == Output::program) add_parallel_c_program(line, command, tools);
  if (command.output == Output::program && command.whole_program) add_whole_program(line, command, tools);
  if (command.output == Output::shared_library) add_linker(line, {"-T", tools.library_script});
  if (command.output == Output::program || command.output == Output::shared_library) add_runtime(line, tools);
  if (command.cxx && (command.output == Output::program || command.output == Output::shared_library))
    line.insert(line.end(), {"-lstdc++", "-lm"});
  if (command.shared_sanitizer) {
    line.push_back("-shared-libsan");
    if (command.output != Output::objects) add_linker(line, {"-rpath", tools.sanitizer_folder});
  }
  line.push_back("--end-no-unused-arguments");
  line.insert(line.end(), dashes, command.arguments.end());
  return line;
}

const char* help_text() {
  return "usage: parcc [options] files\n"
         "\n"
         "Compiles and links Parallel C programs; a drop-in for cc. Every option of clang works; in "
         "addition:\n"
         "  --spm=SIZE   scratchpad of each accelerator thread, such as 64K (the default)\n"
         "  --check      check scratchpad accesses and transfers at run time (also with -g)\n"
         "  --spm-model[=FILE]  simulate kernels on a core with a scratchpad and no cache: SW26010, or the "
         "machine\n"
         "               of FILE; the run prints cycles, accesses and transfers of each kernel\n"
         "  --auto-dma   move what loops of kernels access through the scratchpad; pays with --spm-model and "
         "on machines\n"
         "               whose cores have no cache\n"
         "  --optimise-for-host  fetch ahead what loops of kernels look up, and store past the caches, where "
         "that pays\n"
         "               on processors with caches\n"
         "  --report=layout     print where the objects of kernels would best lie; --report=layout-json\n"
         "  --spm-model-lines   the same as --spm-model, and time by source line\n"
         "  --spm-model-pictures=FOLDER  the same, and a picture of the scratchpad over time for each "
         "kernel\n"
         "  --whole-program     compile all files together when they are linked, so that all is known of "
         "them\n"
         "  --model=autonomic   the program has processes only, and each runs on an accelerator thread\n"
         "  --no-proxy-opt      the format and each argument of an output call in a kernel is a request of "
         "its own\n"
         "  --version    version of parcc and of the clang it uses\n"
         "  --help       this text; clang's own is `clang-19 --help`\n"
         "\n"
         "Environment: TAIHU_CLANG  the clang to use instead of clang-19 from PATH\n";
}

}  // namespace taihu::compiler
