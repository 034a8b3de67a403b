# SPDX-License-Identifier: Apache-2.0
"""Taihu for Python: taihu.amg solves sparse linear systems by algebraic multigrid."""
