// SPDX-License-Identifier: Apache-2.0
// One part (executable, linked library, opened library) of the privacy test: variables {extern, static,
// function-local} x {plain, thread_local}. PART is the prefix of its names.
#pragma once

#ifdef __cplusplus
#define C_NAME extern "C"
#define PER_THREAD thread_local
#else
#define C_NAME extern
#define PER_THREAD _Thread_local
#endif
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(x) JOIN(PART, x)
