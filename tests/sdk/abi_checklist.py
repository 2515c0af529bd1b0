#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that docs/abi.md names must exist, and the plugin in docs/write_a_plugin.md must be the template's: a promise whose test was
renamed or removed is no promise. Argument: the project's root."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
known = set()
for source in (root / "tests").rglob("*.cpp"):
    for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", source.read_text(encoding="utf-8"), re.M):
        known.add(f"{suite}.{name}")
for lists in (root / "tests").rglob("CMakeLists.txt"):
    known.update(re.findall(r"add_test\(NAME (\S+)", lists.read_text(encoding="utf-8")))

page = (root / "docs" / "abi.md").read_text(encoding="utf-8")
named = re.findall(r"`([A-Z]\w*\.\w+)`", page)
missing = [name for name in named if name not in known and not re.match(r"Exports\.Plugin_\w+_ShowsItsEntryPointAlone", name)]
rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
bare = [line for line in rows if not re.search(r"`[A-Z]\w*\.\w+`", line)]

guide = (root / "docs" / "write_a_plugin.md").read_text(encoding="utf-8")
shown = re.search(r"```cpp\n(.*?)```", guide, re.S).group(1).strip()
template = (root / "sdk" / "template" / "my_plugin.cpp").read_text(encoding="utf-8")

for name in missing:
    print(f"docs/abi.md names a test that is not there: {name}")
for line in bare:
    print(f"docs/abi.md promises without a test: {line}")
if shown not in template:
    print("the plugin in docs/write_a_plugin.md is not the one in sdk/template/my_plugin.cpp")
assert len(named) > 50, "docs/abi.md was not understood"
sys.exit(1 if missing or bare or shown not in template else 0)
