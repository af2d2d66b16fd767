# SPDX-License-Identifier: BSD-3-Clause
"""The parts of tools/gen_mpi.py: reading the table (table), what mpi.h declares (header), and one module per output."""
