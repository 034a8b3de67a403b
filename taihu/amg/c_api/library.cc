// SPDX-License-Identifier: Apache-2.0
// The shared library has no code of its own: its calls come from taihu_amg.
