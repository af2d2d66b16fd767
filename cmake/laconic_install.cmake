# SPDX-License-Identifier: BSD-3-Clause
# Install rules: headers, libraries, programs, CMake package, pkg-config files, man pages, completions.
