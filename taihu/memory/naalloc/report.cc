// SPDX-License-Identifier: Apache-2.0
// No JSON library: this is part of a library that is preloaded into other people's programs.
#include "taihu/memory/naalloc/report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "taihu/base/page_size.h"
#include "taihu/base/units.h"

namespace taihu::memory {
namespace {

[[gnu::format(printf, 2, 3)]] void add(std::string& text, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text += line;
}

std::string size(std::size_t bytes) {
  return format_bytes(static_cast<std::int64_t>(bytes));
}

std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      add(text, "\\u%04x", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string list(const std::vector<int>& numbers) {
  std::string text = "[";
  for (const int number : numbers) add(text, "%s%d", text.size() > 1 ? ", " : "", number);
  return text + "]";
}

std::string key_of(int node) {
  return node == unknown_node ? "unknown" : node == untouched_node ? "untouched" : std::to_string(node);
}

/// {"0": 12, "unknown": 3}
std::string amounts(const std::map<int, std::size_t>& on_node) {
  std::string text = "{";
  for (const auto& [node, amount] : on_node)
    add(text, "%s\"%s\": %zu", text.size() > 1 ? ", " : "", key_of(node).c_str(), amount);
  return text + "}";
}

std::string nodes_of(const Locality& locality) {
  std::string text;
  for (const auto& [node, pages] : locality.on_node)
    if (node >= 0) add(text, "%s%d: %zu", text.empty() ? "" : ", ", node, pages);
  return text.empty() ? "none" : text;
}

void add_locality(std::string& text, const char* indent, const Locality& locality) {
  add(text, "%slocal %zu (%.1f%%), remote %zu, unknown %zu, untouched %zu pages; on nodes %s\n", indent,
      locality.local, 100 * locality.local_share(), locality.remote, locality.unknown, locality.untouched,
      nodes_of(locality).c_str());
}

bool has_owner(const Block& block) {
  return block.shape.kind != BlockKind::interleaved;
}

std::string json_counts(const Locality& locality) {
  std::string text;
  add(text, "\"local\": %zu, \"remote\": %zu, \"unknown\": %zu, \"untouched\": %zu, \"pages_on_node\": ",
      locality.local, locality.remote, locality.unknown, locality.untouched);
  return text + amounts(locality.on_node);
}

std::string json_block(const BlockReport& entry) {
  const Block& block = entry.block;
  std::string text;
  add(text, "    {\"address\": \"%p\", \"bytes\": %zu, \"kind\": \"%s\", \"label\": ",
      static_cast<const void*>(block.begin), block.bytes(), name_of(block.shape.kind));
  text += quoted(block.label) + ", " + json_counts(entry.locality) + ",\n     \"parts\": [";
  const std::size_t parts = block.part_node.size();
  std::size_t begin = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t end = block.shape.part_end[part];
    add(text,
        "%s\n      {\"thread\": %d, \"node\": %d, \"bytes\": %zu, \"bytes_on_node\": ", part > 0 ? "," : "",
        block.thread_of(part), block.part_node[part], end - begin);
    text += amounts(entry.locality.part_bytes[part]) + "}";
    begin = end;
  }
  return text + "]}";
}

}  // namespace

Locality total(const NaallocReport& report) {
  Locality sum = report.freed;
  for (const BlockReport& entry : report.blocks)
    if (has_owner(entry.block)) sum.add(entry.locality);
  return sum;
}

std::string to_text(const NaallocReport& report, std::size_t most_blocks) {
  std::string text;
  add(text, "naalloc: %zu blocks, %s live, %s mapped, %s kept for reuse; %d threads (%s), %zu memory nodes\n",
      report.blocks.size(), size(report.live_bytes).c_str(), size(report.mapped_bytes).c_str(),
      size(report.pooled_bytes).c_str(), report.threads.count(), report.threads.source.c_str(),
      report.nodes.nodes.size());
  if (!report.placing) text += "  pages are not placed: " + report.reason + "\n";
  for (const std::string& note : report.nodes.notes) text += "  " + note + "\n";
  add_locality(text, "  all: ", total(report));
  if (report.freed_blocks > 0)
    add(text, "  of these, in %zu blocks that were freed: %zu local, %zu remote pages\n", report.freed_blocks,
        report.freed.local, report.freed.remote);
  std::vector<const BlockReport*> blocks;
  for (const BlockReport& entry : report.blocks) blocks.push_back(&entry);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const auto* a, const auto* b) { return a->block.bytes() > b->block.bytes(); });
  Locality rest;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i >= most_blocks) {
      rest.add(blocks[i]->locality);
      continue;
    }
    const Block& block = blocks[i]->block;
    add(text, "  %p %s %s in %zu parts%s%s\n", static_cast<const void*>(block.begin),
        size(block.bytes()).c_str(), name_of(block.shape.kind), block.shape.part_end.size(),
        block.label.empty() ? "" : ": ", block.label.c_str());
    add_locality(text, "    ", blocks[i]->locality);
  }
  if (blocks.size() > most_blocks) {
    add(text, "  %zu smaller blocks\n", blocks.size() - most_blocks);
    add_locality(text, "    ", rest);
  }
  return text;
}

std::string to_json(const NaallocReport& report) {
  std::string text = "{\n  \"format\": \"taihu-locality 1\",\n";
  add(text, "  \"page_bytes\": %zu,\n  \"placing\": %s,\n  \"reason\": ", page_bytes(),
      report.placing ? "true" : "false");
  text += quoted(report.reason) + ",\n  \"nodes\": [";
  bool first = true;
  for (const MemoryNode& node : report.nodes.nodes) {
    add(text, "%s\n    {\"node\": %d, \"usable\": %s, \"cpus\": ", std::exchange(first, false) ? "" : ",",
        node.number, node.usable ? "true" : "false");
    text += list(node.cpus) + ", \"distances\": " + list(node.distances) + "}";
  }
  text += "],\n  \"threads_from\": " + quoted(report.threads.source) + ",\n  \"threads\": [";
  for (std::size_t i = 0; i < report.threads.threads.size(); ++i) {
    const ThreadPlace& place = report.threads.threads[i];
    add(text, "%s\n    {\"thread\": %zu, \"cpu\": %d, \"node\": %d, \"home\": %d, \"bound\": %s}",
        i > 0 ? "," : "", i, place.cpu, place.node, place.home, place.bound ? "true" : "false");
  }
  add(text,
      "],\n  \"live_bytes\": %zu, \"mapped_bytes\": %zu, \"pooled_bytes\": %zu,\n  \"freed_blocks\": %zu,\n",
      report.live_bytes, report.mapped_bytes, report.pooled_bytes, report.freed_blocks);
  text += "  \"freed\": {" + json_counts(report.freed) + "},\n  \"total\": {" + json_counts(total(report)) +
          "},\n  \"thread_bytes\": [";
  first = true;
  for (const auto& [thread, bytes] : report.thread_bytes) {
    add(text, "%s\n    {\"thread\": %d, \"bytes_on_node\": ", std::exchange(first, false) ? "" : ",", thread);
    text += amounts(bytes) + "}";
  }
  text += "],\n  \"blocks\": [";
  for (std::size_t i = 0; i < report.blocks.size(); ++i)
    text += (i > 0 ? ",\n" : "\n") + json_block(report.blocks[i]);
  return text + "]\n}\n";
}

}  // namespace taihu::memory
