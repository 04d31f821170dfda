# SPDX-License-Identifier: MIT
# options: --cores 4
# Goroutines make what is not there yet, each looking first: two make it (Go).
tar x && ./cache
