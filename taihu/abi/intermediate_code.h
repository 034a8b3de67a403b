/* SPDX-License-Identifier: Apache-2.0 */
/* Where parcc --whole-program leaves the intermediate code of a file in its object. There are three sections: LLVM's
 * bitcode; clang's options, as -fembed-bitcode stores them; and the names to which the code refers when it has been
 * optimised. Of these each has a letter before it and a zero byte behind it. The sections have names of their own, because
 * tools that find .llvmbc take the whole object for one of a link-time optimiser. Nothing of them gets into programs. */
#ifndef TAIHU_INTERMEDIATE_CODE_H
#define TAIHU_INTERMEDIATE_CODE_H

#define TAIHU_CODE_SECTION ".taihu_code"
#define TAIHU_CODE_OPTIONS_SECTION ".taihu_code_options"
#define TAIHU_CODE_NAMES_SECTION ".taihu_code_names"
#define TAIHU_CODE_NAME_CERTAIN '+'  /* the object has this reference */
#define TAIHU_CODE_NAME_POSSIBLE '-' /* it may have it, or instructions instead */

#endif
