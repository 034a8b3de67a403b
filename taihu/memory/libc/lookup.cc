// SPDX-License-Identifier: Apache-2.0
// Searches that return static memory: hosts, services, protocols, users, groups, mounts, names of terminals,
// digits of numbers; and the one hash table of hsearch.
#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "taihu/memory/libc/descriptors.h"

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

servent* rank_getservbyname(const char* name, const char* protocol) {
  RankProcess* rank = self();
  if (!rank) return ::getservbyname(name, protocol);
  servent* found = nullptr;
  with_room(rank->lookup.service_text, [&](char* buffer, std::size_t bytes) {
    return getservbyname_r(name, protocol, &rank->lookup.service, buffer, bytes, &found);
  });
  return found;
}

servent* rank_getservbyport(int port, const char* protocol) {
  RankProcess* rank = self();
  if (!rank) return ::getservbyport(port, protocol);
  servent* found = nullptr;
  with_room(rank->lookup.service_text, [&](char* buffer, std::size_t bytes) {
    return getservbyport_r(port, protocol, &rank->lookup.service, buffer, bytes, &found);
  });
  return found;
}

protoent* rank_getprotobyname(const char* name) {
  RankProcess* rank = self();
  if (!rank) return ::getprotobyname(name);
  protoent* found = nullptr;
  with_room(rank->lookup.protocol_text, [&](char* buffer, std::size_t bytes) {
    return getprotobyname_r(name, &rank->lookup.protocol, buffer, bytes, &found);
  });
  return found;
}

protoent* rank_getprotobynumber(int number) {
  RankProcess* rank = self();
  if (!rank) return ::getprotobynumber(number);
  protoent* found = nullptr;
  with_room(rank->lookup.protocol_text, [&](char* buffer, std::size_t bytes) {
    return getprotobynumber_r(number, &rank->lookup.protocol, buffer, bytes, &found);
  });
  return found;
}

mntent* rank_getmntent(std::FILE* table) {
  RankProcess* rank = self();
  if (!rank) return ::getmntent(table);
  rank->lookup.mount_text.resize(8192);
  return getmntent_r(table, &rank->lookup.mount, rank->lookup.mount_text.data(), 8192);
}

// Returns the text, or null with errno set where the search failed with a code.
char* text_or_null(std::array<char, 256>& text, int failure) {
  if (failure == 0) return text.data();
  errno = failure;
  return nullptr;
}

char* rank_ttyname(int fd) {
  RankProcess* rank = self();
  if (!rank) return ::ttyname(fd);
  auto& text = rank->lookup.terminal;
  return text_or_null(text, ttyname_r(actual(fd), text.data(), text.size()));
}

char* rank_ptsname(int fd) {
  RankProcess* rank = self();
  if (!rank) return ::ptsname(fd);
  auto& text = rank->lookup.pseudoterminal;
  return text_or_null(text, ptsname_r(actual(fd), text.data(), text.size()));
}

char* rank_getlogin() {
  RankProcess* rank = self();
  if (!rank) return ::getlogin();
  auto& text = rank->lookup.login;
  return text_or_null(text, getlogin_r(text.data(), text.size()));
}

char* rank_ecvt(double value, int digits, int* point, int* sign) {
  RankProcess* rank = self();
  if (!rank) return ::ecvt(value, digits, point, sign);
  auto& text = rank->lookup.number;
  return ecvt_r(value, digits, point, sign, text.data(), text.size()) == 0 ? text.data() : nullptr;
}

char* rank_fcvt(double value, int digits, int* point, int* sign) {
  RankProcess* rank = self();
  if (!rank) return ::fcvt(value, digits, point, sign);
  auto& text = rank->lookup.number;
  return fcvt_r(value, digits, point, sign, text.data(), text.size()) == 0 ? text.data() : nullptr;
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
                                   replace("getservbyname", &rank_getservbyname),
                                   replace("getservbyport", &rank_getservbyport),
                                   replace("getprotobyname", &rank_getprotobyname),
                                   replace("getprotobynumber", &rank_getprotobynumber),
                                   replace("getmntent", &rank_getmntent),
                                   replace("ttyname", &rank_ttyname),
                                   replace("ptsname", &rank_ptsname),
                                   replace("getlogin", &rank_getlogin),
                                   replace("ecvt", &rank_ecvt),
                                   replace("fcvt", &rank_fcvt),
                                   replace("hcreate", &rank_hcreate),
                                   replace("hsearch", &rank_hsearch),
                                   replace("hdestroy", &rank_hdestroy)};
  return calls;
}

}  // namespace taihu::memory::libc
