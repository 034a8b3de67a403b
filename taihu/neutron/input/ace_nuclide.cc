// SPDX-License-Identifier: Apache-2.0
// Nuclides of ACE tables of class c.
#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/neutron/input/ace_file.h"
#include "taihu/neutron/nuclide/sum_rules.h"

namespace taihu::neutron {
namespace {

constexpr double per_shake = 1e8;

/// Indices of the arrays NXS and JXS.
enum Index { nes = 3, ntr = 4, nr = 5, npcr = 8 };
enum Block {
  esz = 1,
  nu = 2,
  mtr = 3,
  lqr = 4,
  tyr = 5,
  lsig = 6,
  sig = 7,
  land = 8,
  and_ = 9,
  ldlw = 10,
  dlw = 11,
  unr = 23,
  dnu = 24,
  bdd = 25,
  dnedl = 26,
  dned = 27
};

class NuclideReader {
 public:
  NuclideReader(const std::string& name, std::span<const int> tallied) : wanted_(tallied) {
    data_.name = name;
  }

  void add(const AceTable& table) {
    t_ = &table;
    const bool first = data_.temperatures.empty();
    if (first) read_laws();
    NuclideData::AtTemperature& at = data_.temperatures.emplace_back();
    at.kT = table.kT;
    const std::int64_t points = table.nxs[nes], start = table.jxs[esz];
    at.energy = table.list(start, points, eV_per_MeV);
    at.disappearance = table.list(start + 2 * points, points);
    at.elastic = table.list(start + 3 * points, points);
    at.capture.assign(at.energy.size(), 0);
    read_cross_sections(at);
    read_unresolved(at.unresolved);
    read_tallied(at, first);
  }

  std::unique_ptr<NuclideData> finish(const std::string& path) {
    auto result = std::make_unique<NuclideData>(std::move(data_));
    check(*result, path);
    return result;
  }

 private:
  static bool is_fission(std::int64_t mt) { return mt == 18 || (mt >= 19 && mt <= 21) || mt == 38; }

  std::int64_t reactions() const { return t_->nxs[ntr]; }
  std::int64_t mt_of(std::int64_t i) const { return t_->whole(t_->jxs[mtr] + i); }

  /// Numbers of the reactions that make neutrons. Total fission is left out where its chances are listed
  /// separately.
  std::vector<std::int64_t> producers() const {
    if (t_->nxs[nr] < 0 || t_->nxs[nr] > reactions() || reactions() > 10000) t_->fail("impossible reactions");
    bool chances = false;
    for (std::int64_t i = 0; i < t_->nxs[nr]; ++i) chances = chances || mt_of(i) == 19;
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < t_->nxs[nr]; ++i)
      if (!(chances && mt_of(i) == 18)) result.push_back(i);
    return result;
  }

  void read_laws() {
    data_.awr = t_->awr;
    const std::int64_t elastic = t_->whole(t_->jxs[land]);
    if (elastic > 0) data_.elastic_angle = read_ace_angle(*t_, t_->jxs[and_] + elastic - 1);
    read_nu();
    for (const std::int64_t i : producers()) {
      NeutronReaction reaction;
      reaction.mt = static_cast<int>(mt_of(i));
      reaction.q_value = t_->at(t_->jxs[lqr] + i) * eV_per_MeV;
      const std::int64_t type = t_->whole(t_->jxs[tyr] + i);
      reaction.centre_of_mass = type < 0;
      NeutronProduct product;
      product.yield = yield_of(type < 0 ? -type : type, reaction.mt);
      AngleTable angle;
      const std::int64_t place = t_->whole(t_->jxs[land] + 1 + i);
      if (place > 0) angle = read_ace_angle(*t_, t_->jxs[and_] + place - 1);
      product.law = read_ace_law(*t_, t_->jxs[dlw], t_->jxs[dlw] + t_->whole(t_->jxs[ldlw] + i) - 1,
                                 reaction.q_value, std::move(angle));
      reaction.products.push_back(std::move(product));
      (is_fission(reaction.mt) ? data_.fission : data_.scattering).push_back(std::move(reaction));
    }
    if (!data_.fission.empty() && t_->jxs[nu] == 0) t_->fail("there is fission but no nu");
  }

  Function1d yield_of(std::int64_t type, int mt) {
    if (is_fission(mt)) return prompt_;
    if (type <= 100) return Function1d::polynomial({static_cast<double>(type)}, t_->path + ": " + t_->name);
    std::int64_t place = t_->jxs[dlw] + type - 101;
    return read_ace_function(*t_, place, eV_per_MeV);
  }

  Function1d nu_at(std::int64_t place) const {
    const std::int64_t form = t_->whole(place);
    ++place;
    if (form == 2) return read_ace_function(*t_, place, eV_per_MeV);
    if (form != 1) t_->fail("a form of nu is not known");
    std::vector<double> coefficients = t_->list(place + 1, t_->count(place));
    double scale = 1;
    for (double& c : coefficients) c *= scale, scale /= eV_per_MeV;
    return Function1d::polynomial(std::move(coefficients), t_->path + ": " + t_->name);
  }

  void read_nu() {
    const std::int64_t place = t_->jxs[nu];
    if (place == 0) return;
    const std::int64_t both = t_->whole(place);
    const bool delayed = t_->jxs[dnu] > 0 && t_->nxs[npcr] > 0;
    prompt_ = nu_at(both > 0 ? place : place + 1);
    data_.nu = both > 0 ? prompt_ : nu_at(place - both + 1);
    if (delayed) read_delayed(both > 0);
  }

  /// Precursors. `only_prompt`: the table's nu has no delayed neutrons; they are added.
  void read_delayed(bool only_prompt) {
    const Function1d all = nu_at(t_->jxs[dnu]);
    std::int64_t place = t_->jxs[bdd];
    if (t_->nxs[npcr] > 1000) t_->fail("impossible number of precursors");
    for (std::int64_t group = 0; group < t_->nxs[npcr]; ++group) {
      NeutronProduct product;
      product.decay_rate = t_->at(place) * per_shake;
      ++place;
      const Function1d share = read_ace_function(*t_, place, eV_per_MeV);
      product.yield = combined(all, share, [](double a, double b) { return a * b; });
      product.law =
          read_ace_law(*t_, t_->jxs[dned], t_->jxs[dned] + t_->whole(t_->jxs[dnedl] + group) - 1, 0, {});
      data_.delayed.push_back(std::move(product));
    }
    if (only_prompt) data_.nu = combined(prompt_, all, [](double a, double b) { return a + b; });
  }

  /// Two functions at the points of both.
  template <typename Operation>
  Function1d combined(const Function1d& a, const Function1d& b, Operation operation) const {
    std::vector<double> x{1e-5, 2e7}, y;
    for (const Function1d* f : {&a, &b}) x.insert(x.end(), f->x().begin(), f->x().end());
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end()), x.end());
    for (const double e : x) y.push_back(operation(a(e), b(e)));
    return Function1d::line(std::move(x), std::move(y), t_->path + ": table " + t_->name);
  }

  ReactionValues values_of(std::int64_t reaction) const {
    const std::int64_t place = t_->jxs[sig] + t_->whole(t_->jxs[lsig] + reaction) - 1;
    ReactionValues values;
    const std::int64_t first = t_->count(place), count = t_->count(place + 1);
    if (first < 1 || first - 1 + count != t_->nxs[nes])
      t_->fail("the cross section of reaction " + std::to_string(mt_of(reaction)) +
               " does not fit to the energies");
    values.first = static_cast<std::size_t>(first - 1);
    values.values = t_->list(place + 2, count);
    return values;
  }

  void read_cross_sections(NuclideData::AtTemperature& at) {
    for (const std::int64_t i : producers())
      (is_fission(mt_of(i)) ? at.fission : at.scattering).push_back(values_of(i));
    for (std::int64_t i = 0; i < reactions(); ++i) {
      if (mt_of(i) != 102) continue;
      const ReactionValues capture = values_of(i);
      std::copy(capture.values.begin(), capture.values.end(),
                at.capture.begin() + static_cast<std::ptrdiff_t>(capture.first));
    }
  }

  /// Of those reactions that the table lists.
  std::vector<ReactionValues> values_of_any(const std::vector<int>& mts) const {
    std::vector<ReactionValues> found;
    for (std::int64_t i = 0; i < reactions(); ++i)
      if (std::find(mts.begin(), mts.end(), mt_of(i)) != mts.end()) found.push_back(values_of(i));
    return found;
  }

  /// `first`: the first temperature decides which reactions there are. Tables often have only the parts of a
  /// sum such as (n,p).
  void read_tallied(NuclideData::AtTemperature& at, bool first) {
    for (const int mt : wanted_) {
      ReactionValues values;
      if (mt == mt_heating) {
        // Heating numbers are eV per collision.
        const std::int64_t points = t_->nxs[nes], start = t_->jxs[esz];
        values.values = t_->list(start + 4 * points, points, eV_per_MeV);
        for (std::int64_t i = 0; i < points; ++i) values.values[i] *= t_->at(start + points + i);
      } else {
        std::vector<ReactionValues> parts = values_of_any({mt});
        if (parts.empty()) parts = values_of_any(parts_of_sum(mt));
        if (parts.empty()) continue;
        values = sum_of_reactions(parts);
      }
      if (first) data_.tallied.push_back(mt);
      at.tallied.push_back(std::move(values));
    }
  }

  void read_unresolved(ProbabilityTable& table) {
    const std::int64_t place = t_->jxs[unr];
    if (place == 0) return;
    const std::int64_t energies = t_->count(place), bands = t_->count(place + 1), law = t_->whole(place + 2);
    if (law != 2 && law != 5) t_->fail("interpolation of probability tables is not known");
    if (bands > 10000) t_->fail("impossible number of bands");
    table.bands = static_cast<int>(bands);
    table.log_log = law == 5;
    table.inelastic = static_cast<int>(t_->whole(place + 3));
    table.other_absorption = static_cast<int>(t_->whole(place + 4));
    table.factors = t_->whole(place + 5) == 1;
    table.energy = t_->list(place + 6, energies, eV_per_MeV);
    const std::vector<double> values = t_->list(place + 6 + energies, energies * 6 * bands);
    for (std::int64_t i = 0; i < energies; ++i)
      for (std::int64_t band = 0; band < bands; ++band) {
        const auto row = [&](std::int64_t r) { return values[(i * 6 + r) * bands + band]; };
        table.cumulative.push_back(row(0));
        for (int column = 0; column < ProbabilityTable::column_count; ++column)
          table.values.push_back(row(column + 1));
      }
  }

  static constexpr int mt_heating = 301;

  const AceTable* t_ = nullptr;
  std::span<const int> wanted_;
  NuclideData data_;
  Function1d prompt_;
};

}  // namespace

std::unique_ptr<NuclideData> read_nuclide_ace(const std::string& path, const std::string& name,
                                              const ChooseTemperatures& choose,
                                              std::span<const int> tallied) {
  const std::vector<AceTable> tables = read_ace_tables(path);
  std::vector<double> kTs;
  for (const AceTable& table : tables) {
    if (!table.name.ends_with("c")) table.fail("it is not a table of class c (continuous-energy neutrons)");
    const auto element = [](const AceTable& t) { return t.name.substr(0, t.name.find('.')); };
    check_input(element(table) == element(tables[0]), path + ": the tables " + tables[0].name + " and " +
                                                          table.name +
                                                          " are of two nuclides; give each a file");
    kTs.push_back(table.kT);
  }
  NuclideReader reader(name, tallied);
  for (const std::size_t index : choose(kTs)) reader.add(tables[index]);
  return reader.finish(path);
}

}  // namespace taihu::neutron
