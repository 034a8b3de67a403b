// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/option_mistake.h"

#include <string_view>
#include <vector>

namespace taihu {
namespace {

/// What is between the words of `form` in `text`, where '*' is any text: "a *: *" and "a b: c" give b and c.
/// Nothing when the text has another form.
std::vector<std::string> parts(std::string_view text, std::string_view form) {
  std::vector<std::string> found;
  std::size_t star = form.find('*');
  if (text.substr(0, star) != form.substr(0, star)) return {};
  text.remove_prefix(star);
  while (star != form.npos) {
    form.remove_prefix(star + 1);
    star = form.find('*');
    const std::string_view next = form.substr(0, star);
    // The last words are at the end; earlier ones where they come first, so that texts of users, which come
    // after the name, may have anything in them but the next words.
    const std::size_t at = star != form.npos      ? text.find(next)
                           : next.empty()         ? text.size()
                           : text.ends_with(next) ? text.size() - next.size()
                                                  : text.npos;
    if (at == text.npos) return {};
    found.emplace_back(text.substr(0, at));
    text.remove_prefix(at + next.size());
  }
  return found;
}

/// A bound without the zeros that std::to_string writes: 0.010000 is 0.01.
std::string bound(std::string text) {
  if (text.find('.') == text.npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string option_mistake(const std::string& text) {
  if (const auto range = parts(text, "*: Value * not in range * to *"); !range.empty()) {
    const bool whole = range[2].find('.') == std::string::npos;
    return range[0] + ": '" + range[1] + "' is not a " + (whole ? "whole " : "") + "number from " +
           bound(range[2]) + " to " + bound(range[3]);
  }
  if (const auto set = parts(text, "*: * not in {*}"); !set.empty()) {
    std::string choices = set[2];
    for (std::size_t at = choices.find(','); at != choices.npos; at = choices.find(',', at + 2))
      choices.insert(at + 1, " ");
    return set[0] + ": '" + set[1] + "' is not one of " + choices;
  }
  if (const auto few = parts(text, "*: At least * required but received *"); !few.empty())
    return few[0] + " takes at least " + few[1] + " values, not " + few[2];
  if (const auto many = parts(text, "*: At Most * required but received *"); !many.empty())
    return many[0] + ": at most " + many[1] + " can be given, not " + many[2];
  if (const auto none = parts(text, "*: * required * missing"); !none.empty())
    return none[0] + " needs a value (" + none[2].substr(0, none[2].find(':')) + ")";
  if (const auto wrong = parts(text, "Could not convert: * = *"); !wrong.empty())
    return wrong[0] + ": '" + wrong[1] + "' is not a number";
  if (const auto missing = parts(text, "* is required"); !missing.empty())
    return missing[0] + " is missing; --help shows all options";
  return text;
}

}  // namespace taihu
