// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/media_survey.h"

#include "taihu/neutron/source/source.h"
#include "taihu/neutron/transport/surface_passage.h"

namespace taihu::neutron {
namespace {

constexpr int survey_rays = 400, most_surfaces_of_ray = 200;

struct Seen {
  double length = 0, surfaces = 0;
};

int medium_of(const Problem& problem, const Location& location) noexcept {
  return problem.nuclear == nullptr ? location.material.index()
                                    : problem.nuclear->medium_of(location).index();
}

/// Follows a ray until it leaves the model.
void follow_ray(const Problem& problem, HistoryState& state, SurfacePassage& passage,
                std::vector<Seen>& media) {
  for (int i = 0; i < most_surfaces_of_ray; ++i) {
    const Crossing crossing = next_crossing(*problem.geometry, state.location);
    if (crossing.distance == infinity) return;
    Seen& seen = media[medium_of(problem, state.location) + 1];
    seen.length += crossing.distance;
    seen.surfaces += 1;
    if (!passage.cross(crossing)) return;
  }
}

}  // namespace

MediaSurvey::MediaSurvey(const Problem& problem) {
  const TallyLayout no_tallies;
  Problem here = problem;
  here.tallies = &no_tallies;
  here.window = nullptr;
  here.shared_bins = nullptr;
  HistoryState state(here);
  SurfacePassage passage(state);
  const SourceSampler sampler(problem.settings->sources, *problem.geometry, *problem.data, problem.nuclear);
  const int count = problem.nuclear == nullptr ? problem.data->materials() : problem.nuclear->media();
  std::vector<Seen> media(static_cast<std::size_t>(count) + 1);
  for (std::uint64_t ray = 0; ray < survey_rays; ++ray) {
    Stream random(0, StreamUse::survey, 0, ray);
    const Vector start = sampler.sample(random, state.memory).r;
    state.particle.random = random;
    if (locate(*problem.geometry, state.memory, start, random.direction(), state.location))
      follow_ray(problem, state, passage, media);
  }
  Seen all;
  for (const Seen& seen : media) all.length += seen.length, all.surfaces += seen.surfaces;
  mean_ = all.length > 0 ? all.surfaces / all.length : 0;
  for (const Seen& seen : media)
    surfaces_per_cm_.push_back(seen.length > 0 ? seen.surfaces / seen.length : mean_);
}

}  // namespace taihu::neutron
