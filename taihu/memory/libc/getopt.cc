// SPDX-License-Identifier: Apache-2.0
// getopt, getopt_long and getopt_long_only on the rank's own optarg, optind, opterr, optopt; behaviour of
// getopt(3): operands are moved behind the options unless the option string begins with '+' or
// POSIXLY_CORRECT is set, '-' gives operands as option 1, ':' reports a missing argument as ':'.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

enum class LongStyle { none, two_dashes, one_dash_too };

class OptionScan {
 public:
  OptionScan(RankProcess& rank, int count, char* const* words, const char* letters)
      : rank_(rank),
        state_(rank.options),
        count_(count),
        words_(const_cast<char**>(words)),
        letters_(letters) {
    if (index() == 0 || !state_.started) {
      if (index() == 0) index() = 1;
      state_ = {nullptr, index(), index(), true};
    }
    const bool strict = *letters_ == '+' || (*letters_ != '-' && posix_wanted());
    order_ = *letters_ == '-' ? Order::in_place : strict ? Order::stop : Order::permute;
    if (*letters_ == '-' || *letters_ == '+') ++letters_;
    quiet_ = *letters_ == ':';
    if (quiet_) ++letters_;
  }

  int next(const option* long_options, int* long_index, LongStyle style) {
    argument() = nullptr;
    if (!state_.next_letter || !*state_.next_letter) {
      if (const int done = next_word(); done != go_on) return done;
      char* word = words_[index()];
      const bool two = word[1] == '-';
      if (style != LongStyle::none && two) return long_option(word + 2, "--", long_options, long_index);
      const bool could_be_short = word[2] == '\0' && std::strchr(letters_, word[1]);
      if (style == LongStyle::one_dash_too && !could_be_short) {
        const bool matches = find(word + 1, long_options).matches > 0;
        if (matches || !std::strchr(letters_, word[1]))
          return long_option(word + 1, "-", long_options, long_index);
      }
      state_.next_letter = word + 1;
    }
    return short_option();
  }

 private:
  enum class Order { permute, stop, in_place };
  static constexpr int go_on = -2;
  struct Found {
    int matches = 0, index = -1;
  };

  bool posix_wanted() const {
    for (char** entry = rank_.environment(); entry && *entry; ++entry)
      if (std::strncmp(*entry, "POSIXLY_CORRECT=", 16) == 0) return true;
    return false;
  }

  int& index() const { return rank_.variable<int>(Variable::option_index); }
  char*& argument() const { return rank_.variable<char*>(Variable::option_argument); }
  int& letter() const { return rank_.variable<int>(Variable::option_letter); }
  bool is_operand(const char* word) const { return word[0] != '-' || word[1] == '\0'; }

  template <typename... Values>
  void complain(const char* format, Values... values) const {
    if (!rank_.variable<int>(Variable::option_messages) || quiet_) return;
    std::fprintf(rank_.errors(), format, words_[0], values...);
  }

  // Moves the operands skipped so far behind the options read since.
  void move_operands() {
    if (state_.first_operand != state_.last_operand && state_.last_operand != index()) {
      std::rotate(words_ + state_.first_operand, words_ + state_.last_operand, words_ + index());
      state_.first_operand += index() - state_.last_operand;
      state_.last_operand = index();
    } else if (state_.first_operand == state_.last_operand) {
      state_.first_operand = state_.last_operand = index();
    }
  }

  int next_word() {
    state_.last_operand = std::min(state_.last_operand, index());
    state_.first_operand = std::min(state_.first_operand, index());
    if (order_ == Order::permute) {
      move_operands();
      while (index() < count_ && is_operand(words_[index()])) ++index();
      state_.last_operand = index();
    }
    if (index() < count_ && std::strcmp(words_[index()], "--") == 0) {
      ++index();
      move_operands();
      if (state_.first_operand == state_.last_operand) state_.first_operand = index();
      state_.last_operand = count_;
      index() = count_;
    }
    if (index() >= count_) {
      if (state_.first_operand != state_.last_operand) index() = state_.first_operand;
      return -1;
    }
    if (!is_operand(words_[index()])) return go_on;
    if (order_ == Order::stop) return -1;
    argument() = words_[index()++];
    return 1;
  }

  Found find(const char* name, const option* long_options) const {
    const std::size_t length = std::strcspn(name, "=");
    Found found;
    for (int i = 0; long_options && long_options[i].name; ++i) {
      const option& candidate = long_options[i];
      if (std::strncmp(candidate.name, name, length) != 0) continue;
      if (std::strlen(candidate.name) == length) return {1, i};
      const option* before = found.index >= 0 ? &long_options[found.index] : nullptr;
      const bool same = before && before->has_arg == candidate.has_arg && before->flag == candidate.flag &&
                        before->val == candidate.val;
      if (!same) ++found.matches;
      if (!before) found.index = i;
    }
    return found;
  }

  int long_option(char* name, const char* dashes, const option* long_options, int* long_index) {
    state_.next_letter = nullptr;
    ++index();
    letter() = 0;
    const Found found = find(name, long_options);
    const int length = static_cast<int>(std::strcspn(name, "="));
    if (found.matches != 1) {
      complain(
          found.matches == 0 ? "%s: unrecognized option '%s%.*s'\n" : "%s: option '%s%.*s' is ambiguous\n",
          dashes, length, name);
      return '?';
    }
    const option& chosen = long_options[found.index];
    if (name[length] == '=') {
      if (chosen.has_arg == no_argument) {
        complain("%s: option '%s%s' doesn't allow an argument\n", dashes, chosen.name);
        letter() = chosen.val;
        return '?';
      }
      argument() = name + length + 1;
    } else if (chosen.has_arg == required_argument) {
      if (index() >= count_) {
        complain("%s: option '%s%s' requires an argument\n", dashes, chosen.name);
        letter() = chosen.val;
        return quiet_ ? ':' : '?';
      }
      argument() = words_[index()++];
    }
    if (long_index) *long_index = found.index;
    if (!chosen.flag) return chosen.val;
    *chosen.flag = chosen.val;
    return 0;
  }

  int short_option() {
    const char value = *state_.next_letter++;
    const bool last = *state_.next_letter == '\0';
    if (last) ++index();
    const char* known = value == ':' || value == ';' ? nullptr : std::strchr(letters_, value);
    if (!known) {
      complain("%s: invalid option -- '%c'\n", value);
      letter() = value;
      return '?';
    }
    if (known[1] != ':') return value;
    if (!last) {
      argument() = state_.next_letter;
      ++index();
    } else if (known[2] != ':') {
      if (index() >= count_) {
        complain("%s: option requires an argument -- '%c'\n", value);
        letter() = value;
        state_.next_letter = nullptr;
        return quiet_ ? ':' : '?';
      }
      argument() = words_[index()++];
    }
    state_.next_letter = nullptr;
    return value;
  }

  RankProcess& rank_;
  OptionState& state_;
  int count_;
  char** words_;
  const char* letters_;
  Order order_ = Order::permute;
  bool quiet_ = false;
};

int rank_getopt(int count, char* const* words, const char* letters) {
  RankProcess* rank = self();
  if (!rank) return ::getopt(count, words, letters);
  return count < 1 ? -1 : OptionScan(*rank, count, words, letters).next(nullptr, nullptr, LongStyle::none);
}

int rank_getopt_long(int count, char* const* words, const char* letters, const option* long_options,
                     int* index) {
  RankProcess* rank = self();
  if (!rank) return ::getopt_long(count, words, letters, long_options, index);
  return count < 1
             ? -1
             : OptionScan(*rank, count, words, letters).next(long_options, index, LongStyle::two_dashes);
}

int rank_getopt_long_only(int count, char* const* words, const char* letters, const option* long_options,
                          int* index) {
  RankProcess* rank = self();
  if (!rank) return ::getopt_long_only(count, words, letters, long_options, index);
  return count < 1
             ? -1
             : OptionScan(*rank, count, words, letters).next(long_options, index, LongStyle::one_dash_too);
}

}  // namespace

std::span<const Replacement> option_calls() {
  static const std::array calls = {replace("getopt", &rank_getopt), replace("__posix_getopt", &rank_getopt),
                                   replace("getopt_long", &rank_getopt_long),
                                   replace("getopt_long_only", &rank_getopt_long_only)};
  return calls;
}

}  // namespace taihu::memory::libc
