// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/layout_report.h"

#include "llvm/IR/Metadata.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "taihu/compiler/autonomic_main.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

const char* direction(const KernelAccess& access) {
  return access.reads && access.writes ? "read and write" : access.writes ? "write" : "read";
}

std::string decision(const LayoutObject& object, bool is_moved) {
  const std::string done =
      object.may_meet ? "; done where its accesses lie apart (a check at run time), see the loops" : "; done";
  if (object.chosen < 0 && object.is_staged)
    return (object.is_table ? "as a whole, when the run finds that it is small enough, see the loops"
                            : "boxes, see the loops") +
           done;
  if (object.chosen < 0) return "main memory: " + object.refused;
  const LayoutChoice& choice = object.choices[static_cast<size_t>(object.chosen)];
  const uint64_t half = choice.half_bytes;
  const std::string place = half == 0 ? std::string("scratchpad, as a whole") +
                                            (choice.is_broadcast ? ", by one broadcast for all threads" : "")
                                      : "two buffers of " + std::to_string(half) + " bytes";
  const std::string check =
      object.may_overlap ? ", when it overlaps no other object (a check at run time)" : "";
  const std::string unless = half == 0 && !object.other_writer.empty() && !is_moved
                                 ? ", unless it is written in a call such as " + object.other_writer
                                 : "";
  const std::string left =
      "; left in main memory" + (object.not_placed.empty() ? ", see the loops" : ": " + object.not_placed);
  return place + check + unless + (!is_moved ? "" : object.is_staged ? done : left);
}

/// Empty when there is nothing to say.
std::string between_kernels(const LayoutObject& object) {
  if (object.may_stay) return "a copy that fits as a whole stays until the variable is written";
  return object.not_kept.empty() ? "" : "fetched again (" + object.not_kept + ")";
}

/// "bytes 16 + 5600 x [0, 298) + 8 x [0, 698) + [0, 8)": what it touches for ranges of iterations.
std::string footprint_of(const KernelAccess& access) {
  std::string text = access.first_byte ? std::to_string(*access.first_byte) : "?";
  for (const FootprintTerm& term : access.footprint)
    text += " + " + (term.step_bytes ? std::to_string(*term.step_bytes) : "?") + " x [0, " +
            (term.iterations ? std::to_string(*term.iterations) : "?") + ")";
  return text + " + [0, " + std::to_string(access.bytes) + ")";
}

/// "by the loop of line 7", with the name of its file where that is not the access's.
std::string text_of_loop(const KernelAccess& access) {
  const std::string line = std::to_string(access.loop_line);
  return " by the loop of " +
         (access.loop_file == access.file ? "line " + line : access.loop_file + ":" + line);
}

std::string text_of(const KernelAccess& access) {
  std::string text = name_of(access.pattern);
  if (!access.shared.empty()) text += " " + access.shared;
  text += " " + std::string(direction(access)) + " of " + std::to_string(access.bytes) + " bytes";
  if (access.pattern == Pattern::interval)
    text +=
        access.step_bytes ? ", step " + std::to_string(*access.step_bytes) : ", step known at run time only";
  // Of what the compiler has made one of, line 0.
  if (!access.file.empty())
    text += access.line == 0 ? " at several lines of " + access.function + " in " + access.file
                             : " at " + access.file + ":" + std::to_string(access.line);
  if (access.loop_line != 0) text += text_of_loop(access);
  text += ", " + std::to_string(access.iterations) + (access.iterations == 1 ? " time" : " times");
  if (access.is_for_each_call) text += " in each call";
  if (access.assumed) text += " (assumed)";
  if (!access.footprint.empty()) text += ", bytes " + footprint_of(access);
  return text;
}

/// What the source says once may be several accesses: a loop whose rounds the compiler has written out.
void print_accesses(const LayoutObject& object) {
  std::vector<std::pair<std::string, unsigned>> lines;
  for (const KernelAccess& access : object.accesses) {
    const std::string text = text_of(access);
    const auto known = find_if(lines, [&](const auto& line) { return line.first == text; });
    if (known != lines.end())
      ++known->second;
    else
      lines.emplace_back(text, 1);
  }
  for (const auto& [line, count] : lines) {
    errs() << "    " << line;
    if (count > 1) errs() << "; " << count << " such accesses";
    errs() << "\n";
  }
}

/// Of a function that is no kernel.
const char* for_whom(const KernelLayout& layout) {
  if (!layout.is_for_others) return "";
  return layout.functions.front()->hasLocalLinkage() ? ", for kernels that call it through a pointer"
                                                     : ", for kernels of other files";
}

}  // namespace

void print_layout(const KernelLayout& layout, uint64_t capacity_bytes, bool is_moved) {
  errs() << "layout: " << (layout.is_for_others ? "function " : "kernel ") << layout.name << for_whom(layout)
         << ": a scratchpad of " << capacity_bytes << " bytes would save "
         << format("%.0f of %.0f", layout.benefit, layout.memory_cycles) << " cycles of main memory, "
         << layout.used_bytes << " bytes used (" << layout.method << ")\n";
  for (const LayoutObject& object : layout.objects) {
    errs() << "  " << object.name << ": "
           << (object.bytes ? std::to_string(*object.bytes) + " bytes" : "unknown size") << ", class "
           << name_of(object.object_class) << "\n";
    print_accesses(object);
    if (!object.size_unknown.empty()) errs() << "    size: " << object.size_unknown << "\n";
    if (object.chosen >= 0)
      errs() << "    benefit: " << format("%.0f", object.benefits[static_cast<size_t>(object.chosen)].benefit)
             << " of " << format("%.0f", object.memory_cycles) << " cycles\n";
    errs() << "    decision: " << decision(object, is_moved) << "\n";
    if (const std::string text = between_kernels(object); !text.empty())
      errs() << "    between kernels: " << text << "\n";
  }
  for (const LoopDecision& loop : layout.loops)
    errs() << "  loop at " << loop.file << ":" << loop.line << ": " << loop.text << "\n";
  if (!is_moved)
    errs() << "  nothing is moved without --auto-dma: on processors with caches buffers cost more than they "
              "save\n";
  for (const std::string& call : layout.unseen) errs() << "  not seen: accesses of " << call << "\n";
}

std::string reported_name(const Module& module) {
  const NamedMDNode* program = module.getNamedMetadata(program_metadata);
  if (program == nullptr) return module.getSourceFileName();
  return cast<MDString>(program->getOperand(0)->getOperand(0))->getString().str();
}

void print_no_layout(const std::string& file) {
  errs() << "layout: " << file << ": "
         << (is_autonomic() ? "no function with code that may run"
                            : "no kernel, and no function with loops that kernels of other files may call; "
                              "process code is not looked at (with --model=autonomic it is)")
         << "\n";
}

namespace {

json::Value footprint_as_json(const KernelAccess& access) {
  json::Array terms;
  for (const FootprintTerm& term : access.footprint) {
    json::Object one{{"loop_line", term.line}};
    if (term.step_bytes) one["step_bytes"] = static_cast<int64_t>(*term.step_bytes);
    if (term.iterations) one["iterations"] = static_cast<int64_t>(*term.iterations);
    terms.push_back(std::move(one));
  }
  json::Object footprint{{"bytes", access.bytes}, {"terms", std::move(terms)}};
  if (access.first_byte) footprint["first_byte"] = static_cast<int64_t>(*access.first_byte);
  return footprint;
}

}  // namespace

json::Value layout_as_json(const KernelLayout& layout, bool is_moved) {
  json::Array objects;
  for (const LayoutObject& object : layout.objects) {
    json::Array accesses;
    for (const KernelAccess& access : object.accesses) {
      json::Object one{{"pattern", name_of(access.pattern)},
                       {"reads", access.reads},
                       {"writes", access.writes},
                       {"bytes", access.bytes},
                       {"file", access.file},
                       {"line", access.line},
                       {"function", access.function},
                       {"loop_line", access.loop_line},
                       {"times", static_cast<int64_t>(access.iterations)},
                       {"assumed", access.assumed},
                       {"in_each_call", access.is_for_each_call}};
      if (!access.footprint.empty()) one["footprint"] = footprint_as_json(access);
      if (access.loop_line != 0 && access.loop_file != access.file) one["loop_file"] = access.loop_file;
      if (!access.shared.empty()) one["shared"] = access.shared;
      if (access.step_bytes) one["step_bytes"] = static_cast<int64_t>(*access.step_bytes);
      accesses.push_back(std::move(one));
    }
    json::Object one{{"name", object.name},
                     {"class", name_of(object.object_class)},
                     {"memory_cycles", object.memory_cycles},
                     {"decision", decision(object, is_moved)},
                     {"accesses", std::move(accesses)}};
    if (const std::string text = between_kernels(object); !text.empty()) one["between_kernels"] = text;
    if (!object.size_unknown.empty()) one["size_unknown"] = object.size_unknown;
    if (object.bytes) one["bytes"] = static_cast<int64_t>(*object.bytes);
    if (object.chosen >= 0)
      one["benefit_cycles"] = object.benefits[static_cast<size_t>(object.chosen)].benefit;
    objects.push_back(std::move(one));
  }
  json::Array loops;
  for (const LoopDecision& loop : layout.loops)
    loops.push_back(json::Object{{"file", loop.file}, {"line", loop.line}, {"decision", loop.text}});
  return json::Object{{"kernel", layout.name},
                      {"for_other_files", layout.is_for_others},
                      {"benefit_cycles", layout.benefit},
                      {"memory_cycles", layout.memory_cycles},
                      {"scratchpad_bytes", static_cast<int64_t>(layout.used_bytes)},
                      {"method", layout.method},
                      {"not_seen", json::Array(layout.unseen)},
                      {"loops", std::move(loops)},
                      {"objects", std::move(objects)}};
}

}  // namespace taihu::compiler
