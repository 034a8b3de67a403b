// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/multigroup_collision.h"

namespace taihu::neutron {

bool MultigroupCollision::collide() {
  const MaterialId material = history_.location.material;
  const double total = data_.total(material, particle_.group),
               absorption = data_.value(Reaction::absorption, material, particle_.group);
  const double nu_fission = data_.value(Reaction::nu_fission, material, particle_.group);
  const bool analog = history_.tallies_analog();
  if (history_.tallying) history_.score_collision(total);
  particle_.total(Total::k_collision) += particle_.weight * nu_fission / total;
  if (nu_fission > 0) add_sites(particle_.weight * nu_fission / total);
  double absorbed = settings_.survival_biasing                        ? particle_.weight * absorption / total
                    : particle_.random.uniform() * total < absorption ? particle_.weight
                                                                      : 0;
  if (absorbed > 0) {
    particle_.total(Total::k_absorption) += absorbed * nu_fission / absorption;
    particle_.total(Total::absorbed) += absorbed;
    if (analog) {
      history_.score_absorption(absorbed, absorption,
                                data_.value(Reaction::fission, material, particle_.group),
                                data_.value(Reaction::kappa_fission, material, particle_.group));
    }
    particle_.weight -= absorbed;
    if (!settings_.survival_biasing || particle_.weight <= 0) return false;
  }
  Vector u = history_.u();
  const CrossSections::Scattering scattering =
      data_.sample_scattering(material, particle_.group, u, particle_.random);
  if (analog) {
    const Emission out{.group = scattering.group, .mu = dot(history_.u(), u)};
    Event scattered_event = history_.event();
    scattered_event.emission = &out;
    history_.bins.score_analog(scattered_event, Score::scatter, particle_.weight);
    history_.bins.score_analog(scattered_event, Score::nu_scatter,
                               particle_.weight * scattering.multiplicity);
  }
  particle_.total(Total::gained) += particle_.weight * (scattering.multiplicity - 1);
  particle_.weight *= scattering.multiplicity;
  particle_.group = scattering.group;
  if (energy() < settings_.energy_cutoff) {
    particle_.total(Total::absorbed) += particle_.weight;
    return false;
  }
  set_direction(history_.geometry, history_.location, u);
  return !settings_.survival_biasing || history_.roulette();
}

void MultigroupCollision::add_sites(double expected) {
  const double factor = history_.site_factor();
  const int count = history_.fission_sites(expected * factor);
  for (int i = 0; i < count; ++i) {
    Site site;
    site.r = history_.r();
    site.weight = 1 / factor;
    site.group = data_.sample_chi(history_.location.material, particle_.group, particle_.random);
    site.u = particle_.random.direction();
    site.parent = particle_.parent;
    site.time = particle_.time;
    history_.add_fission_site(site, {.group = site.group});
  }
}

}  // namespace taihu::neutron
