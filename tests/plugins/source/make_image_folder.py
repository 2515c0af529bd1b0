#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what torchvision's ImageFolder makes of the files named in image_folder_tree.txt.

    pip install torchvision
    python3 tests/plugins/source/make_image_folder.py

Rewrites image_folder.txt beside itself: a line a class ("class NAME"), then a line a sample (path, TAB, label). With torchvision
0.29.2 it gives the file as it is kept.
"""

import os
import tempfile

from torchvision.datasets import ImageFolder

HERE = os.path.dirname(os.path.abspath(__file__))

with tempfile.TemporaryDirectory() as root:
    with open(os.path.join(HERE, "image_folder_tree.txt"), encoding="utf-8") as names:
        for name in names.read().splitlines():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "wb").close()
    found = ImageFolder(root)
    with open(os.path.join(HERE, "image_folder.txt"), "w", encoding="utf-8") as out:
        for name in found.classes:
            out.write(f"class {name}\n")
        for path, label in found.samples:
            out.write(f"{os.path.relpath(path, root)}\t{label}\n")
