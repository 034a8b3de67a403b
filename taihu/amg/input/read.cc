// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/read.h"

#include <unistd.h>

#include "taihu/amg/input/hypre_ij.h"
#include "taihu/amg/input/matrix_market.h"
#include "taihu/amg/input/numpy.h"
#include "taihu/amg/input/petsc.h"
#include "taihu/amg/input/text.h"

namespace taihu::amg {
namespace {

enum class FileKind { matrix_market, petsc, hypre_ij, npz, npy };

// Collections of matrices are compressed. The program that undoes it, or nothing.
std::string unpacker(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return "gunzip";
  if (bytes.starts_with("BZh")) return "bunzip2";
  if (bytes.starts_with("\xfd"
                        "7zXZ"))
    return "unxz";
  return {};
}

// The content decides; hypre's files, which have no mark, are told from their names.
FileKind kind_of(const std::string& path) {
  const bool hypre_name = looks_like_hypre_ij(path);
  if (hypre_name && access(path.c_str(), F_OK) != 0) return FileKind::hypre_ij;
  const MappedFile file(path);
  const std::string_view bytes = file.text();
  if (looks_like_petsc(bytes)) return FileKind::petsc;
  if (looks_like_npz(bytes)) return FileKind::npz;
  if (looks_like_npy(bytes)) return FileKind::npy;
  if (bytes.starts_with("%%")) return FileKind::matrix_market;
  if (hypre_name) return FileKind::hypre_ij;
  if (const std::string program = unpacker(bytes); !program.empty())
    throw Error(path + ": the file is compressed; unpack it first (" + program + ")");
  throw Error(path +
              ":1:1: the file is neither Matrix Market, PETSc binary, .npz, .npy nor NAME.00000 of hypre");
}

}  // namespace

DistributedMatrix read_matrix(const Context& context, const std::string& path) {
  switch (kind_of(path)) {
    case FileKind::petsc:
      return read_petsc_matrix(context, path);
    case FileKind::hypre_ij:
      return read_hypre_matrix(context, path);
    case FileKind::npz:
      return read_npz_matrix(context, path);
    case FileKind::npy:
      throw Error(path + ": an array of NumPy is dense; save a sparse matrix with scipy.sparse.save_npz");
    case FileKind::matrix_market:
      break;
  }
  return read_matrix_market(context, path);
}

std::vector<double> read_vector(const std::string& path, const Distribution& rows, int rank) {
  switch (kind_of(path)) {
    case FileKind::petsc:
      return read_petsc_vector(path, rows, rank);
    case FileKind::hypre_ij:
      return read_hypre_vector(path, rows, rank);
    case FileKind::npy:
      return read_npy_vector(path, rows, rank);
    case FileKind::npz:
      throw Error(path + ": a right-hand side is read from .npy (numpy.save), not from .npz");
    case FileKind::matrix_market:
      break;
  }
  return read_vector_market(path, rows, rank);
}

}  // namespace taihu::amg
