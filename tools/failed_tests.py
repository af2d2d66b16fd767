#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names the failed tests of JUnit reports and prints the end of what each said.

Usage: failed_tests.py REPORT...

A log of thousands of lines is often seen by its end only: this is that end.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml

LINES = 40


def reason(test) -> str:
    """Why a test was not started; empty where it skipped itself."""
    skipped = test.find("skipped")
    said = skipped.get("message", "") if skipped is not None else ""
    return "" if said.startswith("SKIP_") else said


def main() -> None:
    for report in map(pathlib.Path, sys.argv[1:]):
        if not report.is_file() or report.stat().st_size == 0:
            print(f"\nno report: {report} (ctest did not get to its end)")
            continue
        try:
            tests = list(xml.parse(report).iter("testcase"))
        except xml.ParseError as failure:
            print(f"\nno report: {report} ({failure})")
            continue
        for test in tests:
            if test.get("status") == "notrun" and (why := reason(test)):
                print(f"\nnot started: {test.get('name')} ({report.parent}): {why}")
            if test.get("status") != "fail":
                continue
            said = (test.findtext("system-out") or "").splitlines()
            print(f"\nfailed: {test.get('name')} ({report.parent}, {float(test.get('time', 0)):.0f} s)")
            print("\n".join(line[:300] for line in said[-LINES:]))


if __name__ == "__main__":
    main()
