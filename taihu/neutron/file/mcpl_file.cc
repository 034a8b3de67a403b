// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/mcpl_file.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "taihu/base/error.h"

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

}  // namespace

std::vector<BankRecord> read_mcpl_file(const std::string& path) {
  return McplReader(path).read();
}

}  // namespace taihu::neutron
