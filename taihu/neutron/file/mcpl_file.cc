// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/mcpl_file.h"

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"

namespace taihu::neutron {
namespace {

constexpr std::int32_t neutron_number = 2112;  // of the Particle Data Group

class McplReader {
 public:
  explicit McplReader(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail("it cannot be read");
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  std::vector<BankRecord> read() {
    read_header();
    std::vector<BankRecord> records;
    for (std::uint64_t i = 0; i < count_; ++i) read_particle(records);
    if (records.empty()) fail("it has no neutrons");
    return records;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw Error(path_ + ": " + problem); }

  template <typename T>
  T next() {
    if (bytes_.size() - at_ < sizeof(T)) fail("the file is cut off");
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  double real() { return single_ ? static_cast<double>(next<float>()) : next<double>(); }
  void skip(std::uint64_t count) {
    if (bytes_.size() - at_ < count) fail("the file is cut off");
    at_ += count;
  }

  void read_header() {
    if (bytes_.size() < 48 || bytes_.compare(0, 4, "MCPL") != 0) fail("this is not a file in MCPL format");
    if (bytes_.compare(4, 3, "003") != 0 || bytes_[7] != 'L')
      fail("only version 3 of MCPL with little-endian numbers is supported");
    at_ = 8;
    count_ = next<std::uint64_t>();
    const auto comments = next<std::uint32_t>(), blobs = next<std::uint32_t>();
    flags_ = next<std::uint32_t>() != 0;
    polarised_ = next<std::uint32_t>() != 0;
    single_ = next<std::uint32_t>() != 0;
    particle_ = next<std::int32_t>();
    const auto size = next<std::uint32_t>();
    const bool one_weight = next<std::uint32_t>() != 0;
    if (one_weight) weight_ = next<double>();
    if (one_weight && !(weight_ > 0)) fail("the weight of all particles is not positive");
    // The name of the program, comments, keys and values, each behind its length.
    for (std::uint64_t i = 0; i < 1 + std::uint64_t{comments} + 2 * std::uint64_t{blobs}; ++i)
      skip(next<std::uint32_t>());
    const std::uint64_t reals = (polarised_ ? 3 : 0) + 7 + (one_weight ? 0 : 1);
    if (size != reals * (single_ ? 4 : 8) + (particle_ == 0 ? 4 : 0) + (flags_ ? 4 : 0))
      fail("the size of a particle does not fit its members");
    if (count_ > (bytes_.size() - at_) / size) fail("the file is cut off");
  }

  void read_particle(std::vector<BankRecord>& records) {
    if (polarised_) skip(3 * (single_ ? 4 : 8));
    BankRecord record{};
    for (int axis = 0; axis < 3; ++axis) record.r[axis] = real();
    const double first = real(), second = real(), energy = real();
    record.time = 1e-3 * real();  // from ms
    record.weight = weight_ > 0 ? weight_ : real();
    const std::int32_t particle = particle_ != 0 ? particle_ : next<std::int32_t>();
    if (flags_) skip(4);
    if (particle != neutron_number) return;
    // Two components of the direction are stored; where the largest one is not z, one over z is in its place.
    // The sign of the energy [MeV] is that of the component that is left out.
    double x = first, y = second, z = 0;
    const double sign = std::signbit(energy) ? -1 : 1;
    const auto rest = [](double a, double b) { return std::sqrt(std::fmax(0.0, 1 - a * a - b * b)); };
    if (std::fabs(first) > 1)
      z = 1 / first, x = sign * rest(y, z);
    else if (std::fabs(second) > 1)
      z = 1 / second, y = sign * rest(x, z);
    else
      z = sign * rest(x, y);
    record.u[0] = x, record.u[1] = y, record.u[2] = z;
    record.energy = 1e6 * std::fabs(energy);
    if (!is_possible(record)) fail("a neutron has an impossible place, direction, energy, time or weight");
    records.push_back(record);
  }

  std::string path_, bytes_;
  std::size_t at_ = 0;
  std::uint64_t count_ = 0;
  bool flags_ = false, polarised_ = false, single_ = false;
  std::int32_t particle_ = 0;  ///< of all; 0: each has its own
  double weight_ = 0;          ///< of all; 0: each has its own
};

template <typename T>
void append_bytes(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Three numbers for a unit vector: two to store, and one with the sign of the component that is left out,
/// which is the largest one. The counterpart of McplReader::read_particle().
std::array<double, 3> packed(const double (&u)[3]) noexcept {
  const double x = std::fabs(u[0]), y = std::fabs(u[1]);
  if (!(std::fabs(u[2]) < std::fmax(x, y))) return {u[0], u[1], u[2]};
  const double over_z = u[2] != 0 ? 1 / u[2] : std::numeric_limits<double>::infinity();
  if (x >= y) return {over_z, u[1], u[0]};
  return {u[0], over_z, u[1]};
}

}  // namespace

std::vector<BankRecord> read_mcpl_file(const std::string& path) {
  return McplReader(path).read();
}

std::string mcpl_head(std::uint64_t neutrons) {
  const std::string program = "rmc";
  std::string head = "MCPL003L";
  append_bytes(head, neutrons);
  for (int i = 0; i < 5; ++i)
    append_bytes(head, std::uint32_t{0});  // comments, blobs, flags, polarised, single
  append_bytes(head, neutron_number);      // of all
  append_bytes(head, static_cast<std::uint32_t>(mcpl_neutron_bytes));
  append_bytes(head, std::uint32_t{0});  // each has its own weight
  append_bytes(head, static_cast<std::uint32_t>(program.size()));
  return head + program;
}

std::string mcpl_neutrons(std::span<const BankRecord> records) {
  std::string bytes;
  bytes.reserve(records.size() * mcpl_neutron_bytes);
  for (const BankRecord& record : records) {
    const double u[] = {record.u[0], record.u[1], record.u[2]};
    const std::array<double, 3> direction = packed(u);
    const double numbers[] = {record.r[0],       record.r[1],
                              record.r[2],       direction[0],
                              direction[1],      std::copysign(1e-6 * record.energy, direction[2]),  // MeV
                              1e3 * record.time,                                                     // ms
                              record.weight};
    static_assert(sizeof numbers == mcpl_neutron_bytes);
    append_bytes(bytes, numbers);
  }
  return bytes;
}

void write_mcpl_file(const std::string& path, const std::vector<BankRecord>& records) {
  write_file(path, mcpl_head(records.size()) + mcpl_neutrons(records));
}

}  // namespace taihu::neutron
