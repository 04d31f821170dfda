# SPDX-License-Identifier: MIT
# options: --cores 4
# Two threads count words in a HashMap that nothing guards: a count is lost (Java).
tar x && java -cp . Words
