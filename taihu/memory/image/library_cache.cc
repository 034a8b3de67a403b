// SPDX-License-Identifier: Apache-2.0
// File format "glibc-ld.so.cache1.1": a header of 48 bytes, entries of 24 bytes, the strings, then
// extensions; offsets count from the header. Source: glibc 2.36, sysdeps/generic/dl-cache.h; the choice is
// that of elf/dl-cache.c.
#include "taihu/memory/image/library_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "taihu/memory/image/machine.h"

namespace taihu::memory {
namespace {

constexpr std::string_view magic = "glibc-ld.so.cache1.1";
constexpr std::size_t header_bytes = 48, entry_bytes = 24;

/// Upper half of an entry's processor features: the lower half is then the number of a variant. Below that
/// bit the level is repeated that the library itself was built for.
constexpr std::uint32_t names_variant = 1U << 30, level_bits = (1U << 10) - 1;

class Cache {
 public:
  /// `bytes` begins with the header.
  explicit Cache(std::string_view bytes) : bytes_(bytes) { find_variant_names(); }

  std::uint32_t word(std::size_t offset) const {
    std::uint32_t value = 0;
    if (offset <= bytes_.size() && bytes_.size() - offset >= sizeof value)
      std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  /// Text up to its zero; empty outside.
  std::string_view text(std::size_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  /// "x86-64-v3"; empty when there is no such variant.
  std::string_view variant(std::uint32_t number) const {
    return number < variant_count_ ? text(word(variants_ + std::size_t{number} * 4)) : std::string_view();
  }

 private:
  /// Extensions: magic, count, then sections of tag, flags, offset and size; tag 1 lists the names of
  /// variants.
  void find_variant_names() {
    const std::size_t extensions = word(32);
    if (extensions == 0 || word(extensions) != 0xeaa42174U) return;
    const std::size_t count = std::min<std::size_t>(word(extensions + 4), bytes_.size() / 16);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t section = extensions + 8 + i * 16;
      if (word(section) != 1) continue;
      variants_ = word(section + 8);
      variant_count_ = word(section + 12) / 4;
    }
  }

  std::string_view bytes_;
  std::size_t variants_ = 0, variant_count_ = 0;
};

}  // namespace

std::string library_cache() {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::string> find_in_cache(std::string_view bytes, const std::string& name,
                                         const std::vector<std::string>& variants) {
  const std::size_t begin = bytes.find(magic);
  if (begin == std::string_view::npos || bytes.size() < begin + header_bytes) return std::nullopt;
  const Cache cache(bytes.substr(begin));
  const std::size_t count = std::min<std::size_t>(cache.word(20), bytes.size() / entry_bytes);
  std::optional<std::string> best;
  std::size_t best_rank =
      variants.size() + 1;  // of a variant its place in the list, behind them the common one
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = header_bytes + i * entry_bytes;
    if (cache.word(entry) != machine::cache_flags || cache.text(cache.word(entry + 4)) != name) continue;
    const std::uint32_t number = cache.word(entry + 16), kind = cache.word(entry + 20);
    std::size_t rank = variants.size();
    if ((kind & ~level_bits) == names_variant) {
      const std::string folder = "glibc-hwcaps/" + std::string(cache.variant(number)) + "/";
      rank = static_cast<std::size_t>(std::find(variants.begin(), variants.end(), folder) - variants.begin());
      if (rank == variants.size()) continue;  // for a processor that this is not
    } else if (number != 0 || kind != 0) {
      continue;  // for processors by an older scheme, which the loader no longer follows
    }
    const std::string_view path = cache.text(cache.word(entry + 8));
    if (rank >= best_rank || path.empty()) continue;
    best = path;
    best_rank = rank;
  }
  return best;
}

}  // namespace taihu::memory
