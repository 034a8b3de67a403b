// SPDX-License-Identifier: Apache-2.0
// strtok, tmpnam, conversions of characters with libc's own state, and the sign of lgamma. (strerror,
// strsignal and inet_ntoa of glibc keep their text per thread.)
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

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

// A name that no file has at this moment. tmpnam(3) promises no more.
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

// As tempnam(3), with the rank's TMPDIR; the caller frees the name.
char* rank_tempnam(const char* folder, const char* prefix) {
  const RankProcess* rank = self();
  const auto usable = [](const char* name) {
    struct stat status{};
    return name && ::stat(name, &status) == 0 && S_ISDIR(status.st_mode) && ::access(name, W_OK | X_OK) == 0;
  };
  const char* wanted = rank ? environment_value(*rank, "TMPDIR") : std::getenv("TMPDIR");
  const char* place = usable(wanted) ? wanted : usable(folder) ? folder : P_tmpdir;
  std::array<char, L_tmpnam> name{};
  char* path = nullptr;
  do {
    free(path);
    if (!rank_tmpnam(name.data())) return nullptr;
    const char* number = std::strrchr(name.data(), '/') + 1;
    if (asprintf(&path, "%s/%.5s%s", place, prefix ? prefix : "", number) < 0) return nullptr;
  } while (::access(path, F_OK) == 0);
  return path;
}

// Conversions to which the caller passes no state keep the rest of a character in a state of libc.
mbstate_t* state_or(mbstate_t* given, mbstate_t TextState::* own) {
  RankProcess* rank = self();
  return given || !rank ? given : &(rank->text.*own);
}
std::size_t rank_mbrtowc(wchar_t* to, const char* from, std::size_t bytes, mbstate_t* state) {
  return ::mbrtowc(to, from, bytes, state_or(state, &TextState::to_wide));
}
std::size_t rank_mbrlen(const char* from, std::size_t bytes, mbstate_t* state) {
  return ::mbrlen(from, bytes, state_or(state, &TextState::length));
}
std::size_t rank_wcrtomb(char* to, wchar_t from, mbstate_t* state) {
  return ::wcrtomb(to, from, state_or(state, &TextState::from_wide));
}
std::size_t rank_mbsrtowcs(wchar_t* to, const char** from, std::size_t most, mbstate_t* state) {
  return ::mbsrtowcs(to, from, most, state_or(state, &TextState::text_to_wide));
}
std::size_t rank_wcsrtombs(char* to, const wchar_t** from, std::size_t most, mbstate_t* state) {
  return ::wcsrtombs(to, from, most, state_or(state, &TextState::text_from_wide));
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
  static const std::array calls = {
      replace("strtok", &rank_strtok),       replace("tmpnam", &rank_tmpnam),
      replace("tempnam", &rank_tempnam),     replace("mbrtowc", &rank_mbrtowc),
      replace("mbrlen", &rank_mbrlen),       replace("__mbrlen", &rank_mbrlen),
      replace("wcrtomb", &rank_wcrtomb),     replace("mbsrtowcs", &rank_mbsrtowcs),
      replace("wcsrtombs", &rank_wcsrtombs), replace("lgamma", &rank_lgamma),
      replace("gamma", &rank_lgamma),        replace("lgammaf", &rank_lgammaf),
      replace("gammaf", &rank_lgammaf),      replace("lgammal", &rank_lgammal),
      replace("gammal", &rank_lgammal)};
  return calls;
}

}  // namespace taihu::memory::libc
