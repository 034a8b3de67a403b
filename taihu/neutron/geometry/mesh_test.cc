// SPDX-License-Identifier: Apache-2.0
// Meshes between given edges: pieces of paths, and passages through faces.
#include "taihu/neutron/geometry/mesh.h"

#include <gtest/gtest.h>

#include <numbers>

#include "taihu/neutron/geometry/mesh_for_tests.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

constexpr double pi = std::numbers::pi;

Mesh mesh_of(MeshType type) {
  Mesh mesh;
  mesh.type = type;
  mesh.origin = {0.1, -0.2, 0.3};
  if (type == MeshType::rectilinear) mesh.edges = {{{-1, 0, 0.25, 2}, {-1.5, 1}, {0, 0.1, 0.2, 1.5}}};
  if (type == MeshType::cylindrical) mesh.edges = {{{0, 0.5, 0.7, 2}, {0, 1, 2.5, 2 * pi}, {-1, 0, 0.5}}};
  if (type == MeshType::spherical) mesh.edges = {{{0.3, 0.5, 2}, {0, 0.5, pi / 2, 2, pi}, {0.2, 1, 4}}};
  for (int axis = 0; axis < 3; ++axis) mesh.shape[axis] = static_cast<int>(mesh.edges[axis].size()) - 1;
  return mesh;
}

constexpr MeshType types[] = {MeshType::rectilinear, MeshType::cylindrical, MeshType::spherical};

TEST(MeshOfEdges, PiecesOfAPathAreWhereItsPointsAre) {
  Stream random(3, StreamUse::source, 0, 0);
  for (const MeshType type : types) {
    const Mesh mesh = mesh_of(type);
    for (int i = 0; i < 400; ++i) {
      const Vector start{4 * random.uniform() - 2, 4 * random.uniform() - 2, 4 * random.uniform() - 2};
      Vector u = random.direction();
      if (i % 10 == 0) u = {0, 0, 1};
      if (i % 10 == 1) u = {0, 1, 0};
      const double length = 5 * random.uniform();
      expect_pieces_where_points_are(mesh, start, u, length, 4);
    }
  }
}

TEST(MeshOfEdges, PassagesLeadFromTheFirstCellToTheLast) {
  Stream random(5, StreamUse::source, 0, 0);
  Mesh regular;
  regular.shape = {3, 4, 2};
  regular.lower = {-1, -1, -1}, regular.width = {0.5, 0.6, 0.7};
  std::vector<Mesh> meshes{regular};
  for (const MeshType type : types) meshes.push_back(mesh_of(type));
  for (const Mesh& mesh : meshes)
    for (int i = 0; i < 500; ++i) {
      const Vector start{4 * random.uniform() - 2, 4 * random.uniform() - 2, 4 * random.uniform() - 2};
      const Vector u = random.direction();
      const double length = 3 * random.uniform();
      std::vector<MeshPassage> passages;
      append_passages(mesh, start, u, length, passages);
      std::vector<int> inside(mesh.size());
      if (const int first = mesh.index_of(start); first >= 0) ++inside[first];
      for (const MeshPassage& passage : passages) inside[passage.index] += passage.incoming ? 1 : -1;
      const int last = mesh.index_of(start + length * u);
      for (int index = 0; index < mesh.size(); ++index) EXPECT_EQ(inside[index], index == last ? 1 : 0);
    }
}

TEST(MeshOfEdges, PassagesNameTheFace) {
  const Mesh mesh = mesh_of(MeshType::cylindrical);
  std::vector<MeshPassage> passages;
  // From the axis outwards at phi = pi / 6: r = 0.5, 0.7 and 2.
  const Vector out{std::cos(pi / 6), std::sin(pi / 6), 0};
  append_passages(mesh, mesh.origin + 0.1 * out, out, 5, passages);
  ASSERT_EQ(passages.size(), 5u);
  for (const MeshPassage& passage : passages) {
    EXPECT_EQ(passage.axis, 0);
    EXPECT_EQ(passage.upper, !passage.incoming);
  }
  // Over phi = 0 from below: out at the upper edge of the last cell, in at the lower edge of the first.
  passages.clear();
  append_passages(mesh, mesh.origin + Vector{1, -0.1, 0.1}, {0, 1, 0}, 0.2, passages);
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[0].axis, 1);
  EXPECT_TRUE(passages[0].upper && !passages[0].incoming);
  EXPECT_TRUE(!passages[1].upper && passages[1].incoming);
}

TEST(MeshOfEdges, APathThatEndsAtOnceHasNoPieces) {
  for (const MeshType type : types) {
    std::vector<MeshPiece> pieces;
    append_pieces(mesh_of(type), {0.2, 0.1, 0.1}, {1, 0, 0}, 0, pieces);
    double sum = 0;
    for (const MeshPiece& piece : pieces) sum += piece.length;
    EXPECT_EQ(sum, 0);
  }
}

}  // namespace
}  // namespace taihu::neutron
