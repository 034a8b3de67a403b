// SPDX-License-Identifier: Apache-2.0
// Which sanitizers a source is compiled with: GCC tells by macros, Clang by features.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define TAIHU_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAIHU_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef TAIHU_ADDRESS_SANITIZER
#define TAIHU_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#define TAIHU_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAIHU_THREAD_SANITIZER 1
#endif
#endif
#ifndef TAIHU_THREAD_SANITIZER
#define TAIHU_THREAD_SANITIZER 0
#endif
