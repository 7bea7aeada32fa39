# SPDX-License-Identifier: GPL-2.0-or-later
# What the test machine has; the board selects the rest
CONFIG_Q35=y
