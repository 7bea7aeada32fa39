# SPDX-License-Identifier: GPL-2.0
"""The suites of check.py, one module each."""
