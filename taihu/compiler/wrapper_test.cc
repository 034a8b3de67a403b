// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/wrapper.h"
