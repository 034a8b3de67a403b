// SPDX-License-Identifier: Apache-2.0
// HDF5's identifiers, closed when they go out of scope, and a type that several files have. Only for files
// that use the HDF5 library itself.
#pragma once

#include <hdf5.h>

#include <cstddef>

namespace taihu::neutron {

/// An identifier; invalid where the call that should have made it has failed.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  hid_t operator*() const noexcept { return id_; }
  bool ok() const noexcept { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline Hdf5Handle attribute_handle(hid_t id) {
  return {id, H5Aclose};
}
inline Hdf5Handle dataset_handle(hid_t id) {
  return {id, H5Dclose};
}
inline Hdf5Handle group_handle(hid_t id) {
  return {id, H5Gclose};
}
inline Hdf5Handle object_handle(hid_t id) {
  return {id, H5Oclose};
}
inline Hdf5Handle list_handle(hid_t id) {
  return {id, H5Pclose};
}
inline Hdf5Handle space_handle(hid_t id) {
  return {id, H5Sclose};
}
inline Hdf5Handle type_handle(hid_t id) {
  return {id, H5Tclose};
}

/// Three doubles x, y and z, as OpenMC writes places and directions.
inline Hdf5Handle vector_type() {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 3 * sizeof(double));
  const char* const axes[] = {"x", "y", "z"};
  for (std::size_t i = 0; i < 3; ++i) H5Tinsert(type, axes[i], i * sizeof(double), H5T_IEEE_F64LE);
  return type_handle(type);
}

}  // namespace taihu::neutron
