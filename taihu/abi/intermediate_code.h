/* SPDX-License-Identifier: Apache-2.0 */
/* Where parcc --whole-program leaves the intermediate code of a file in its object: LLVM's bitcode, and clang's options
 * as -fembed-bitcode stores them. The sections have names of their own, because tools that find .llvmbc take the whole
 * object for one of a link-time optimiser. Nothing of them gets into programs. */
#ifndef TAIHU_INTERMEDIATE_CODE_H
#define TAIHU_INTERMEDIATE_CODE_H

#define TAIHU_CODE_SECTION ".taihu_code"
#define TAIHU_CODE_OPTIONS_SECTION ".taihu_code_options"

#endif
