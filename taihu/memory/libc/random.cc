// SPDX-License-Identifier: Apache-2.0
// rand, random and drand48: one sequence per rank, the same numbers as libc gives a process of its own.
#include <array>
#include <cstdlib>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

long rank_random() {
  RankProcess* rank = self();
  if (!rank) return ::random();
  const std::lock_guard guard(rank->lock);
  std::int32_t value = 0;
  random_r(&rank->random.generator, &value);
  return value;
}

int rank_rand() {
  return static_cast<int>(rank_random());
}

void rank_seed(unsigned seed) {
  RankProcess* rank = self();
  if (!rank) return ::srandom(seed);
  const std::lock_guard guard(rank->lock);
  srandom_r(seed, &rank->random.generator);
}

// The caller gets the previous table, which begins one word before `state` (random(3), random_r(3)).
char* table_in_use(const random_data& generator) {
  return generator.state ? reinterpret_cast<char*>(generator.state - 1) : nullptr;
}

char* rank_initstate(unsigned seed, char* table, std::size_t bytes) {
  RankProcess* rank = self();
  if (!rank) return ::initstate(seed, table, bytes);
  const std::lock_guard guard(rank->lock);
  char* before = table_in_use(rank->random.generator);
  return initstate_r(seed, table, bytes, &rank->random.generator) == 0 ? before : nullptr;
}

char* rank_setstate(char* table) {
  RankProcess* rank = self();
  if (!rank) return ::setstate(table);
  const std::lock_guard guard(rank->lock);
  char* before = table_in_use(rank->random.generator);
  return setstate_r(table, &rank->random.generator) == 0 ? before : nullptr;
}

drand48_data& generator48(RankProcess& rank) {
  return rank.random.generator48;
}

double rank_drand48() {
  RankProcess* rank = self();
  if (!rank) return ::drand48();
  double value = 0;
  drand48_r(&generator48(*rank), &value);
  return value;
}

double rank_erand48(unsigned short state[3]) {
  RankProcess* rank = self();
  if (!rank) return ::erand48(state);
  double value = 0;
  erand48_r(state, &generator48(*rank), &value);
  return value;
}

long rank_lrand48() {
  RankProcess* rank = self();
  if (!rank) return ::lrand48();
  long value = 0;
  lrand48_r(&generator48(*rank), &value);
  return value;
}

long rank_nrand48(unsigned short state[3]) {
  RankProcess* rank = self();
  if (!rank) return ::nrand48(state);
  long value = 0;
  nrand48_r(state, &generator48(*rank), &value);
  return value;
}

long rank_mrand48() {
  RankProcess* rank = self();
  if (!rank) return ::mrand48();
  long value = 0;
  mrand48_r(&generator48(*rank), &value);
  return value;
}

long rank_jrand48(unsigned short state[3]) {
  RankProcess* rank = self();
  if (!rank) return ::jrand48(state);
  long value = 0;
  jrand48_r(state, &generator48(*rank), &value);
  return value;
}

void rank_srand48(long seed) {
  if (RankProcess* rank = self())
    srand48_r(seed, &generator48(*rank));
  else
    ::srand48(seed);
}

unsigned short* rank_seed48(unsigned short seed[3]) {
  RankProcess* rank = self();
  if (!rank) return ::seed48(seed);
  seed48_r(seed, &generator48(*rank));
  return generator48(*rank).__old_x;
}

void rank_lcong48(unsigned short parameters[7]) {
  if (RankProcess* rank = self())
    lcong48_r(parameters, &generator48(*rank));
  else
    ::lcong48(parameters);
}

}  // namespace

std::span<const Replacement> random_calls() {
  static const std::array calls = {replace("rand", &rank_rand),           replace("srand", &rank_seed),
                                   replace("random", &rank_random),       replace("srandom", &rank_seed),
                                   replace("initstate", &rank_initstate), replace("setstate", &rank_setstate),
                                   replace("drand48", &rank_drand48),     replace("erand48", &rank_erand48),
                                   replace("lrand48", &rank_lrand48),     replace("nrand48", &rank_nrand48),
                                   replace("mrand48", &rank_mrand48),     replace("jrand48", &rank_jrand48),
                                   replace("srand48", &rank_srand48),     replace("seed48", &rank_seed48),
                                   replace("lcong48", &rank_lcong48)};
  return calls;
}

}  // namespace taihu::memory::libc
