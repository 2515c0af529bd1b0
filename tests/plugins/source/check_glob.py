#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the table in glob_test.cpp against Python's own glob: python3 tests/plugins/source/check_glob.py (3.11 or later)."""

import glob
import os
import re
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r'\{"(.*?)", "(.*?)", (true|false)\}')

with open(os.path.join(HERE, "glob_test.cpp"), encoding="utf-8") as source:
    rows = ROW.findall(source.read())
assert rows
for pattern, path, answer in rows:
    with tempfile.TemporaryDirectory() as root:
        file = os.path.join(root, path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        open(file, "wb").close()
        found = path in glob.glob(pattern, root_dir=root, recursive=True, include_hidden=True)
        assert found == (answer == "true"), (pattern, path, found)
print(len(rows), "rows agree")
