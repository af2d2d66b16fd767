# SPDX-License-Identifier: BSD-3-Clause
"""Settings for every test of the package: hypothesis tries the same examples every time and keeps no files."""

import hypothesis

hypothesis.settings.register_profile("laconic", derandomize=True, database=None, deadline=None, max_examples=120,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("laconic")
