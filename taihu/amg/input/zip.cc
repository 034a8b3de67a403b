// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/zip.h"

#include <zlib.h>

#include <algorithm>

namespace taihu::amg {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50,
                        directory_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::size_t end_bytes = 22, locator_bytes = 20;
constexpr std::uint32_t in_extra = 0xffffffff;

// Where the record at the end of the file begins: behind it is only a comment of at most 64 KiB.
std::size_t find_end(const BytesOfFile& bytes) {
  const std::size_t size = bytes.size();
  const std::size_t lowest = size > end_bytes + 0xffff ? size - end_bytes - 0xffff : 0;
  for (std::size_t at = size >= end_bytes ? size - end_bytes + 1 : 0; at-- > lowest;)
    if (bytes.little<std::uint32_t>(at, "the archive") == end_mark) return at;
  bytes.fail(size, "the directory of the zip archive is missing; the file is cut short or not .npz");
}

}  // namespace

ZipArchive::ZipArchive(const BytesOfFile& bytes) : bytes_(bytes) {
  const std::size_t end = find_end(bytes);
  std::uint64_t count = bytes.little<std::uint16_t>(end + 10, "the archive");
  std::uint64_t at = bytes.little<std::uint32_t>(end + 16, "the archive");
  if (end >= locator_bytes &&
      bytes.little<std::uint32_t>(end - locator_bytes, "the archive") == locator_mark) {
    const auto end64 = bytes.little<std::uint64_t>(end - locator_bytes + 8, "the archive");
    if (end64 > bytes.size() || bytes.little<std::uint32_t>(end64, "the archive") != end64_mark)
      bytes.fail(end - locator_bytes + 8, "there is no directory of the archive at this place");
    count = bytes.little<std::uint64_t>(end64 + 32, "the archive");
    at = bytes.little<std::uint64_t>(end64 + 48, "the archive");
  }
  constexpr std::uint64_t most_members = 1000;
  if (count > most_members) bytes.fail(end + 10, "the archive has too many members for one matrix");
  for (std::uint64_t n = 0; n < count; ++n) {
    std::string name;
    std::size_t next = 0;
    const Member member = read_member(at, name, next);
    members_[name] = member;
    at = next;
  }
}

ZipArchive::Member ZipArchive::read_member(std::size_t at, std::string& name, std::size_t& next) const {
  const char* what = "the directory of the archive";
  if (at > bytes_.size() || bytes_.little<std::uint32_t>(at, what) != directory_mark)
    bytes_.fail(std::min(at, bytes_.size()), "there is no member of the archive at this place");
  if ((bytes_.little<std::uint16_t>(at + 8, what) & 1) != 0) bytes_.fail(at + 8, "the archive is encrypted");
  Member member{};
  member.method = bytes_.little<std::uint16_t>(at + 10, what);
  member.checksum = bytes_.little<std::uint32_t>(at + 16, what);
  std::uint64_t sizes[3] = {bytes_.little<std::uint32_t>(at + 24, what),
                            bytes_.little<std::uint32_t>(at + 20, what),
                            bytes_.little<std::uint32_t>(at + 42, what)};
  const std::size_t name_bytes = bytes_.little<std::uint16_t>(at + 28, what);
  const std::size_t extra_bytes = bytes_.little<std::uint16_t>(at + 30, what);
  const std::size_t extra = at + 46 + name_bytes;
  name = bytes_.part(at + 46, name_bytes, what);
  next = extra + extra_bytes + bytes_.little<std::uint16_t>(at + 32, what);
  // Numbers that do not fit are in an extra field of kind 1, in this order.
  for (std::size_t field = extra; field + 4 <= extra + extra_bytes;) {
    const auto kind = bytes_.little<std::uint16_t>(field, what),
               length = bytes_.little<std::uint16_t>(field + 2, what);
    std::size_t from = field + 4;
    for (std::uint64_t& size : sizes)
      if (kind == 1 && size == in_extra && from + 8 <= field + 4 + length) {
        size = bytes_.little<std::uint64_t>(from, what);
        from += 8;
      }
    field += 4 + std::size_t{length};
  }
  member.bytes = sizes[0];
  member.stored_bytes = sizes[1];
  member.header = sizes[2];
  return member;
}

std::size_t ZipArchive::place(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? 0 : found->second.header;
}

std::string_view ZipArchive::content(const std::string& name, std::string& room) const {
  const auto found = members_.find(name);
  if (found == members_.end()) bytes_.fail(bytes_.size(), "the archive has no member " + name);
  const Member& member = found->second;
  const std::size_t at = member.header;
  if (at > bytes_.size() || bytes_.little<std::uint32_t>(at, "a member of the archive") != local_mark)
    bytes_.fail(std::min(at, bytes_.size()), "the member " + name + " of the archive is not at this place");
  const std::size_t begin = at + 30 + bytes_.little<std::uint16_t>(at + 26, "a member of the archive") +
                            bytes_.little<std::uint16_t>(at + 28, "a member of the archive");
  const std::string_view stored = bytes_.part(begin, member.stored_bytes, "a member of the archive");
  std::string_view content = stored;
  if (member.method == 8) {
    // Deflate makes at most 1032 of one byte: more is a fault, found before memory is taken.
    if (member.bytes / 1032 > stored.size() + 1)
      bytes_.fail(at, "the member " + name + " has an impossible size");
    room.resize(member.bytes);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error("zlib cannot start");
    std::size_t in = 0, out = 0;
    int status = Z_OK;
    constexpr std::size_t step = 1 << 30;  // the counters of zlib have 32 bits
    while (status == Z_OK) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + in));
      stream.avail_in = static_cast<uInt>(std::min(step, stored.size() - in));
      stream.next_out = reinterpret_cast<Bytef*>(room.data() + out);
      stream.avail_out = static_cast<uInt>(std::min(step, room.size() - out));
      const uInt given = stream.avail_in, had = stream.avail_out;
      status = inflate(&stream, Z_NO_FLUSH);
      in += given - stream.avail_in;
      out += had - stream.avail_out;
      if (given == stream.avail_in && had == stream.avail_out) break;
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END || out != room.size())
      bytes_.fail(begin + in, "the compressed member " + name + " is damaged");
    content = room;
  } else if (member.method != 0) {
    bytes_.fail(at, "the member " + name + " is compressed in a way that is not deflate");
  }
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (sum != member.checksum) bytes_.fail(at, "the checksum of the member " + name + " is wrong");
  return content;
}

}  // namespace taihu::amg
