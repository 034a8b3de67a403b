// SPDX-License-Identifier: Apache-2.0
// Searches that return static memory: hosts, users, groups, and the one hash table of hsearch.
#include <arpa/inet.h>

#include <array>
#include <cerrno>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

// Calls `search(buffer, bytes)` with a growing buffer until its result fits.
template <typename Search>
int with_room(std::vector<char>& buffer, Search search) {
  if (buffer.empty()) buffer.resize(1024);
  int result = search(buffer.data(), buffer.size());
  while (result == ERANGE && buffer.size() < (64u << 20)) {
    buffer.resize(buffer.size() * 2);
    result = search(buffer.data(), buffer.size());
  }
  return result;
}

hostent* rank_gethostbyname2(const char* name, int family) {
  RankProcess* rank = self();
  if (!rank) return ::gethostbyname2(name, family);
  LookupState& lookup = rank->lookup;
  hostent* found = nullptr;
  with_room(lookup.host_text, [&](char* buffer, std::size_t bytes) {
    return gethostbyname2_r(name, family, &lookup.host, buffer, bytes, &found, &h_errno);
  });
  return found;
}

hostent* rank_gethostbyname(const char* name) {
  return rank_gethostbyname2(name, AF_INET);
}

hostent* rank_gethostbyaddr(const void* address, socklen_t length, int family) {
  RankProcess* rank = self();
  if (!rank) return ::gethostbyaddr(address, length, family);
  LookupState& lookup = rank->lookup;
  hostent* found = nullptr;
  with_room(lookup.host_text, [&](char* buffer, std::size_t bytes) {
    return gethostbyaddr_r(address, length, family, &lookup.host, buffer, bytes, &found, &h_errno);
  });
  return found;
}

passwd* rank_getpwuid(uid_t user) {
  RankProcess* rank = self();
  if (!rank) return ::getpwuid(user);
  passwd* found = nullptr;
  errno = with_room(rank->lookup.user_text, [&](char* buffer, std::size_t bytes) {
    return getpwuid_r(user, &rank->lookup.user, buffer, bytes, &found);
  });
  return found;
}

passwd* rank_getpwnam(const char* name) {
  RankProcess* rank = self();
  if (!rank) return ::getpwnam(name);
  passwd* found = nullptr;
  errno = with_room(rank->lookup.user_text, [&](char* buffer, std::size_t bytes) {
    return getpwnam_r(name, &rank->lookup.user, buffer, bytes, &found);
  });
  return found;
}

group* rank_getgrgid(gid_t number) {
  RankProcess* rank = self();
  if (!rank) return ::getgrgid(number);
  group* found = nullptr;
  errno = with_room(rank->lookup.group_text, [&](char* buffer, std::size_t bytes) {
    return getgrgid_r(number, &rank->lookup.user_group, buffer, bytes, &found);
  });
  return found;
}

group* rank_getgrnam(const char* name) {
  RankProcess* rank = self();
  if (!rank) return ::getgrnam(name);
  group* found = nullptr;
  errno = with_room(rank->lookup.group_text, [&](char* buffer, std::size_t bytes) {
    return getgrnam_r(name, &rank->lookup.user_group, buffer, bytes, &found);
  });
  return found;
}

int rank_hcreate(std::size_t entries) {
  RankProcess* rank = self();
  return rank ? hcreate_r(entries, &rank->lookup.table) : ::hcreate(entries);
}

ENTRY* rank_hsearch(ENTRY item, ACTION action) {
  RankProcess* rank = self();
  if (!rank) return ::hsearch(item, action);
  ENTRY* found = nullptr;
  hsearch_r(item, action, &found, &rank->lookup.table);
  return found;
}

void rank_hdestroy() {
  if (RankProcess* rank = self())
    hdestroy_r(&rank->lookup.table);
  else
    ::hdestroy();
}

}  // namespace

std::span<const Replacement> lookup_calls() {
  static const std::array calls = {replace("gethostbyname", &rank_gethostbyname),
                                   replace("gethostbyname2", &rank_gethostbyname2),
                                   replace("gethostbyaddr", &rank_gethostbyaddr),
                                   replace("getpwuid", &rank_getpwuid),
                                   replace("getpwnam", &rank_getpwnam),
                                   replace("getgrgid", &rank_getgrgid),
                                   replace("getgrnam", &rank_getgrnam),
                                   replace("hcreate", &rank_hcreate),
                                   replace("hsearch", &rank_hsearch),
                                   replace("hdestroy", &rank_hdestroy)};
  return calls;
}

}  // namespace taihu::memory::libc
