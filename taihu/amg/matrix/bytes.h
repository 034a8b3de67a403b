// SPDX-License-Identifier: Apache-2.0
// Lists of plain values as the bytes of a message and back.
#pragma once

#include <cstring>
#include <vector>

#include "taihu/amg/parallel/communicator.h"

namespace taihu::amg {

template <class T>
Communicator::Bytes to_bytes(const std::vector<T>& values) {
  Communicator::Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> from_bytes(const Communicator::Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace taihu::amg
