# SPDX-License-Identifier: BSD-3-Clause
"""Runs a page of the guide: its `python` blocks in one namespace, its `sh` blocks in one folder, from top to bottom.
Other blocks (`text`) are not run."""

import os
import re
import subprocess
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs/guide"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(name, folder, environment=None):
    """Returns how many blocks of each language ran."""
    text = (GUIDE / name).read_text()
    namespace, ran, before = {"__name__": "guide"}, {}, os.getcwd()
    os.chdir(folder)
    try:
        for block in BLOCK.finditer(text):
            language, code = block.groups()
            line = text.count("\n", 0, block.start(2))
            if language == "python":
                # Blank lines, so that a traceback names the line of the page.
                exec(compile("\n" * line + code, str(GUIDE / name), "exec"), namespace)
            elif language == "sh":
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], capture_output=True, text=True,
                                      env={**os.environ, **(environment or {})}, check=False)
                assert done.returncode == 0, f"{name}:{line + 1}: {done.stdout}{done.stderr}"
            else:
                assert language == "text", f"{name}:{line}: a block in {language} is not run by any test"
            ran[language] = ran.get(language, 0) + 1
    finally:
        os.chdir(before)
    return ran
