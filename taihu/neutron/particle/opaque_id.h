// SPDX-License-Identifier: Apache-2.0
// Indices of the parts of a model, one type for each kind of part, so that a material cannot stand where a
// group of energies or a cell is meant. They cost what an int costs. The idea is that of Celeritas' OpaqueId.
#pragma once

#include <concepts>
#include <cstdint>

namespace taihu::neutron {

/// The index of an `Item`, from 0, in the array of its kind; or none. `Item` is only a name.
template <typename Item>
class OpaqueId {
 public:
  constexpr OpaqueId() noexcept = default;  ///< none
  /// A negative index is none.
  constexpr explicit OpaqueId(std::integral auto index) noexcept : index_(static_cast<std::int32_t>(index)) {}

  /// Whether it is the index of something.
  constexpr explicit operator bool() const noexcept { return index_ >= 0; }
  /// For the subscript of an array; negative: none.
  constexpr std::int32_t index() const noexcept { return index_; }

  friend constexpr bool operator==(OpaqueId, OpaqueId) noexcept = default;
  friend constexpr auto operator<=>(OpaqueId, OpaqueId) noexcept = default;

 private:
  std::int32_t index_ = -1;
};

/// A group of energies of multi-group data; 0 has the fastest neutrons.
using GroupId = OpaqueId<struct GroupItem>;
/// A cell of the geometry; none: a point is in no cell.
using CellId = OpaqueId<struct CellItem>;
/// A surface of the geometry; none: no surface, as at the edge of a lattice's element.
using SurfaceId = OpaqueId<struct SurfaceItem>;
/// A universe of the geometry; none: an element of a lattice that nothing fills.
using UniverseId = OpaqueId<struct UniverseItem>;
/// A lattice of the geometry.
using LatticeId = OpaqueId<struct LatticeItem>;
/// A material of the model; none: void.
using MaterialId = OpaqueId<struct MaterialItem>;
/// A nuclide of continuous-energy data at a temperature, in NuclearData::nuclides.
using NuclideId = OpaqueId<struct NuclideItem>;
/// A thermal table at a temperature, in NuclearData::thermals; none: the atoms move freely.
using ThermalId = OpaqueId<struct ThermalItem>;
/// A medium of continuous-energy data: a material at a temperature; none: void.
using MediumId = OpaqueId<struct MediumItem>;

}  // namespace taihu::neutron
