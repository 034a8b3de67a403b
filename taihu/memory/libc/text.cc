// SPDX-License-Identifier: Apache-2.0
// strtok, tmpnam and the sign of lgamma. (strerror, strsignal and inet_ntoa of glibc keep their text per
// thread.)
#include <math.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "taihu/base/clock.h"
#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

char* rank_strtok(char* text, const char* separators) {
  RankProcess* rank = self();
  return rank ? strtok_r(text, separators, &rank->text.token) : std::strtok(text, separators);
}

// A name that no file has at this moment, as tmpnam(3) promises and no more.
char* rank_tmpnam(char* name) {
  RankProcess* rank = self();
  static thread_local std::array<char, L_tmpnam> text_of_no_rank;
  char* place = name ? name : rank ? rank->text.temporary_name.data() : text_of_no_rank.data();
  static std::atomic<unsigned> serial{0};
  for (int attempt = 0; attempt < TMP_MAX; ++attempt) {
    const auto number = static_cast<unsigned>(now_ns()) ^ (serial.fetch_add(1) * 2654435761u);
    std::snprintf(place, L_tmpnam, "/tmp/file%08x", number);
    if (access(place, F_OK) != 0) return place;
  }
  return nullptr;
}

void keep_sign(int sign) {
  if (RankProcess* rank = self())
    rank->variable<int>(Variable::gamma_sign) = sign;
  else
    signgam = sign;
}

double rank_lgamma(double x) {
  int sign = 0;
  const double value = lgamma_r(x, &sign);
  keep_sign(sign);
  return value;
}

float rank_lgammaf(float x) {
  int sign = 0;
  const float value = lgammaf_r(x, &sign);
  keep_sign(sign);
  return value;
}

long double rank_lgammal(long double x) {
  int sign = 0;
  const long double value = lgammal_r(x, &sign);
  keep_sign(sign);
  return value;
}

}  // namespace

std::span<const Replacement> text_calls() {
  static const std::array calls = {replace("strtok", &rank_strtok),   replace("tmpnam", &rank_tmpnam),
                                   replace("lgamma", &rank_lgamma),   replace("gamma", &rank_lgamma),
                                   replace("lgammaf", &rank_lgammaf), replace("gammaf", &rank_lgammaf),
                                   replace("lgammal", &rank_lgammal), replace("gammal", &rank_lgammal)};
  return calls;
}

}  // namespace taihu::memory::libc
