// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/material/cross_sections.h"

#include <algorithm>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

/// Adds density * from to `sum`, which grows from empty.
void add_scaled(std::vector<double>& sum, const std::vector<double>& from, double density) {
  if (from.empty()) return;
  sum.resize(std::max(sum.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) sum[i] += density * from[i];
}

/// Multiplicities are averaged with the scattering they belong to, spectra with the neutrons they give.
MultigroupData mix(const std::vector<MultigroupData>& library, const std::vector<MixturePart>& parts) {
  if (parts.size() == 1 && parts[0].density == 1) return library[parts[0].data];
  MultigroupData sum;
  const MultigroupData& first = library[parts[0].data];
  sum.groups = first.groups, sum.format = first.format, sum.moments = first.moments, sum.name = first.name;
  const std::size_t groups = sum.groups;
  for (const MixturePart& part : parts) {
    const MultigroupData& data = library[part.data];
    check_input(
        data.format == sum.format && (sum.format == AngleFormat::legendre || data.moments == sum.moments),
        "cross sections \"" + data.name + "\" and \"" + sum.name +
            "\" are in one material but give scattering angles in different formats");
    sum.moments = std::max(sum.moments, data.moments);
  }
  sum.scatter.assign(groups * groups * sum.moments, 0);
  std::vector<double> produced(groups * groups), scattered(groups * groups), born(groups * groups);
  bool fissionable = false;
  for (const MixturePart& part : parts) {
    const MultigroupData& data = library[part.data];
    add_scaled(sum.total, data.total, part.density);
    add_scaled(sum.absorption, data.absorption, part.density);
    add_scaled(sum.fission, data.fission, part.density);
    add_scaled(sum.kappa_fission, data.kappa_fission, part.density);
    add_scaled(sum.nu_fission, data.nu_fission, part.density);
    fissionable = fissionable || !data.chi.empty();
    for (std::size_t i = 0; i < groups * groups; ++i) {
      for (int l = 0; l < data.moments; ++l)
        sum.scatter[i * sum.moments + l] += part.density * data.scatter[i * data.moments + l];
      double amount = 0;
      if (data.format == AngleFormat::legendre)
        amount = data.scatter[i * data.moments];
      else
        for (int l = 0; l < data.moments; ++l) amount += data.scatter[i * data.moments + l];
      scattered[i] += part.density * amount;
      produced[i] += part.density * amount * (data.multiplicity.empty() ? 1 : data.multiplicity[i]);
      if (!data.chi.empty())
        born[i] += part.density * data.nu_fission[i / groups] * data.chi[data.chi_by_group ? i : i % groups];
    }
  }
  sum.multiplicity.assign(groups * groups, 1);
  for (std::size_t i = 0; i < groups * groups; ++i)
    if (scattered[i] > 0) sum.multiplicity[i] = produced[i] / scattered[i];
  if (fissionable) {
    sum.chi_by_group = true;
    sum.chi = born;
    for (std::size_t g = 0; g < groups; ++g)
      if (sum.nu_fission[g] > 0)
        for (std::size_t i = 0; i < groups; ++i) sum.chi[g * groups + i] /= sum.nu_fission[g];
  }
  return sum;
}

/// Value of the Legendre expansion with moments m (without the factor 2l + 1), normalised by m[0].
double legendre_density(std::span<const double> m, double mu) {
  double before = 0, now = 1, sum = 0;
  for (std::size_t l = 0; l < m.size(); ++l) {
    sum += (static_cast<double>(l) + 0.5) * m[l] / m[0] * now;
    const double next = ((2.0 * l + 1) * mu * now - l * before) / (l + 1.0);
    before = now;
    now = next;
  }
  return sum;
}

double transfer_amount(const MultigroupData& data, std::size_t pair) {
  const double* moments = data.scatter.data() + pair * data.moments;
  if (data.format == AngleFormat::legendre) return moments[0];
  double sum = 0;
  const double width = 2.0 / (data.moments - 1);
  for (int i = 0; i < data.moments; ++i)
    sum += data.format == AngleFormat::histogram
               ? moments[i]
               : moments[i] * width * (i == 0 || i == data.moments - 1 ? 0.5 : 1);
  return sum;
}

}  // namespace

CrossSections::CrossSections(const std::vector<MultigroupData>& library,
                             const std::vector<std::vector<MixturePart>>& materials,
                             std::vector<double> group_edges, int points)
    : groups_(static_cast<int>(group_edges.size()) - 1),
      materials_(static_cast<int>(materials.size())),
      edges_(std::move(group_edges)) {
  for (const MultigroupData& data : library)
    check_input(data.groups == groups_, "cross sections \"" + data.name + "\" have " +
                                            std::to_string(data.groups) + " groups, the library has " +
                                            std::to_string(groups_));
  values_.assign(static_cast<std::size_t>(reaction_count) * materials_ * groups_, 0);
  majorant_.assign(groups_, 0);
  scatter_rows_.resize(static_cast<std::size_t>(materials_) * groups_);
  chi_rows_.resize(static_cast<std::size_t>(materials_) * groups_);
  for (int material = 0; material < materials_; ++material)
    add_material(library, materials[material], material, points);
}

Energy CrossSections::energy(GroupId group) const noexcept {
  const int above = groups_ - group.index();
  return Energy(0.5 * (edges_[above] + edges_[above - 1]));
}

GroupId CrossSections::group_of(Energy energy) const noexcept {
  // An energy that is an edge belongs to the group below it, as in OpenMC.
  const auto above = std::lower_bound(edges_.begin(), edges_.end(), energy.eV()) - edges_.begin();
  return GroupId(std::clamp(groups_ - static_cast<int>(above), 0, groups_ - 1));
}

void CrossSections::add_material(const std::vector<MultigroupData>& library,
                                 const std::vector<MixturePart>& parts, int material, int points) {
  const MultigroupData mixed = mix(library, parts);
  check(mixed);
  const auto at = [&](Reaction reaction, int group) -> double& {
    return values_[(static_cast<std::size_t>(reaction) * materials_ + material) * groups_ + group];
  };
  for (int g = 0; g < groups_; ++g) {
    at(Reaction::flux, g) = 1;
    at(Reaction::total, g) = mixed.total[g];
    at(Reaction::absorption, g) = mixed.absorption[g];
    at(Reaction::scatter, g) = std::max(0.0, mixed.total[g] - mixed.absorption[g]);
    if (!mixed.fission.empty()) at(Reaction::fission, g) = mixed.fission[g];
    if (!mixed.kappa_fission.empty()) at(Reaction::kappa_fission, g) = mixed.kappa_fission[g];
    if (!mixed.nu_fission.empty()) at(Reaction::nu_fission, g) = mixed.nu_fission[g];
    majorant_[g] = std::max(majorant_[g], mixed.total[g]);
    double amount = 0, produced = 0;
    for (int to = 0; to < groups_; ++to) {
      const std::size_t pair = static_cast<std::size_t>(g) * groups_ + to;
      const double part = transfer_amount(mixed, pair);
      amount += part;
      produced += part * (mixed.multiplicity.empty() ? 1 : mixed.multiplicity[pair]);
    }
    at(Reaction::nu_scatter, g) = amount > 0 ? at(Reaction::scatter, g) * produced / amount : 0;
  }
  add_scattering(mixed, material, points);
  if (!mixed.chi.empty()) add_chi(mixed, material);
}

void CrossSections::add_scattering(const MultigroupData& mixed, int material, int points) {
  for (int from = 0; from < groups_; ++from) {
    std::vector<double> amounts;
    const int first = static_cast<int>(transfers_.size());
    for (int to = 0; to < groups_; ++to) {
      const std::size_t pair = static_cast<std::size_t>(from) * groups_ + to;
      const double amount = transfer_amount(mixed, pair);
      if (!(amount > 0)) continue;
      amounts.push_back(amount);
      transfers_.push_back(
          {GroupId(to), mixed.multiplicity.empty() ? 1 : mixed.multiplicity[pair],
           make_angle({mixed.scatter.data() + pair * mixed.moments, static_cast<std::size_t>(mixed.moments)},
                      mixed.format, points)});
    }
    // There is no outgoing group: the particle does not change. check() has made sure that this group never
    // scatters.
    if (amounts.empty()) amounts.push_back(1), transfers_.push_back({GroupId(from), 1, {}});
    const std::vector<AliasEntry> table = make_alias_table(amounts, first);
    scatter_rows_[static_cast<std::size_t>(material) * groups_ + from] = {
        static_cast<int>(scatter_alias_.size()), static_cast<int>(table.size())};
    scatter_alias_.insert(scatter_alias_.end(), table.begin(), table.end());
  }
}

void CrossSections::add_chi(const MultigroupData& mixed, int material) {
  any_fission_ = true;
  for (int from = 0; from < groups_; ++from) {
    if (!(mixed.nu_fission[from] > 0)) continue;
    const double* row =
        mixed.chi.data() + (mixed.chi_by_group ? static_cast<std::size_t>(from) * groups_ : 0);
    const std::vector<AliasEntry> table = make_alias_table({row, static_cast<std::size_t>(groups_)}, 0);
    chi_rows_[static_cast<std::size_t>(material) * groups_ + from] = {static_cast<int>(chi_alias_.size()),
                                                                      groups_};
    chi_alias_.insert(chi_alias_.end(), table.begin(), table.end());
  }
}

CrossSections::Angle CrossSections::make_angle(std::span<const double> moments, AngleFormat format,
                                               int points) {
  bool isotropic = format == AngleFormat::legendre;
  for (std::size_t l = 1; l < moments.size(); ++l) isotropic = isotropic && moments[l] == 0;
  if (isotropic) return {};
  Angle angle;
  angle.first = static_cast<int>(density_.size());
  angle.histogram = format == AngleFormat::histogram;
  angle.count = format == AngleFormat::legendre ? points : static_cast<int>(moments.size());
  std::vector<double> density(angle.count);
  for (int i = 0; i < angle.count; ++i) {
    const double mu = -1 + 2.0 * i / (angle.count - 1);
    density[i] = format == AngleFormat::legendre ? legendre_density(moments, mu) : moments[i];
    if (density[i] < 0) density[i] = 0, negative_angles_ = true;
  }
  // Cumulative distribution, made one at its end.
  std::vector<double> cumulative(angle.count + 1, 0.0);
  const double width = 2.0 / (angle.histogram ? angle.count : angle.count - 1);
  for (int i = 0; i + (angle.histogram ? 0 : 1) < angle.count; ++i)
    cumulative[i + 1] =
        cumulative[i] + (angle.histogram ? density[i] : 0.5 * width * (density[i] + density[i + 1]));
  const double total = cumulative[angle.histogram ? angle.count : angle.count - 1];
  check_input(total > 0, "a scattering angle distribution is zero everywhere");
  for (int i = 0; i < angle.count; ++i) {
    density_.push_back(density[i] / total);
    cumulative_.push_back(cumulative[i] / total);
  }
  return angle;
}

double CrossSections::sample_angle(const Angle& angle, Stream& random) const noexcept {
  const double* cumulative = cumulative_.data() + angle.first;
  const double* density = density_.data() + angle.first;
  const double xi = random.uniform();
  const int last = angle.histogram ? angle.count : angle.count - 1;  // number of intervals
  const int bin = std::clamp(
      static_cast<int>(std::upper_bound(cumulative, cumulative + last, xi) - cumulative) - 1, 0, last - 1);
  const double width = 2.0 / last, left = -1 + bin * width, rest = xi - cumulative[bin];
  if (angle.histogram) return density[bin] > 0 ? left + std::min(width, rest / density[bin] * width) : left;
  const double p = density[bin], slope = (density[bin + 1] - p) / width;
  // rest = p x + slope x^2 / 2, solved without cancellation.
  const double root = std::sqrt(std::max(0.0, p * p + 2 * slope * rest));
  const double step = p + root > 0 ? 2 * rest / (p + root) : 0;
  return std::min(1.0, left + std::min(width, step));
}

CrossSections::Scattering CrossSections::sample_scattering(MaterialId material, GroupId group, Vector& u,
                                                           Stream& random) const noexcept {
  const Row& row = scatter_rows_[static_cast<std::size_t>(material.index()) * groups_ + group.index()];
  const Transfer& transfer = transfers_[sample(
      std::span<const AliasEntry>(scatter_alias_.data() + row.first, static_cast<std::size_t>(row.count)),
      random)];
  u = transfer.angle.first < 0 ? random.direction()
                               : scattered(u, sample_angle(transfer.angle, random), random);
  return {transfer.group, transfer.multiplicity};
}

GroupId CrossSections::sample_chi(MaterialId material, GroupId group, Stream& random) const noexcept {
  const Row& row = chi_rows_[static_cast<std::size_t>(material.index()) * groups_ + group.index()];
  return GroupId(
      sample(std::span<const AliasEntry>(chi_alias_.data() + row.first, static_cast<std::size_t>(row.count)),
             random));
}

}  // namespace taihu::neutron
