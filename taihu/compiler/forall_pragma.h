// SPDX-License-Identifier: Apache-2.0
// `#pragma parallelc forall`, which the macro `forall` of parallelc.h puts before every forall: reads the
// clauses and hands the parser ordinary loops made of them (parallelc_compiler.h shows which). The parser,
// and so every error message and all debug information, sees the programmer's own tokens at their own places,
// each once.
#pragma once

namespace clang {
class CompilerInstance;
}

namespace taihu::compiler {

/// Makes the compiler understand forall. Call once per translation unit before parsing; not called where text
/// is only preprocessed, so that the pragma stays in preprocessed output and works when that is compiled.
void add_forall_pragma(clang::CompilerInstance& compiler);

}  // namespace taihu::compiler
