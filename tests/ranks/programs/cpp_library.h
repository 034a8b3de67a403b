// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

inline int library_inline = 30;

struct LibraryError : std::runtime_error {
  LibraryError(const char* text, int rank_of) : std::runtime_error(text), rank(rank_of) {}
  int rank;
};

int library_constructed();
int library_inline_seen_there();
void library_throw(int rank);
void library_allocate();
