# SPDX-License-Identifier: Apache-2.0
"""Data at fault: an error that names node, sample, cause and remedy, or samples skipped within their budget.

Each picture under test lies among sound ones, so that a fault is met in full flow.
"""

import json
import os
import re
import unittest

from driven import PHOTOS, Driven

try:
    import numpy as np
except ImportError:
    np = None


class Roots(Driven):
    def test_missing_root(self):
        ran = self.headrace("run", self.graph(self.folder / "nowhere"), code=1)
        self.assertRegex(ran.stderr, r"(?m)^\S+graph\.yaml:5:3: error: node 'files': .*nowhere")

    def test_empty_root(self):
        (self.folder / "empty").mkdir()
        ran = self.headrace("run", self.graph(self.folder / "empty"), code=1)
        self.assertRegex(ran.stderr, r"(?m)^\S+graph\.yaml:5:3: error: node 'files': .*empty")

    def test_root_that_is_a_file(self):
        ran = self.headrace("run", self.graph(self.write("file", "x")), code=1)
        self.assertRegex(ran.stderr, r"error: node 'files': .*file")


class Pictures(Driven):
    def broken(self, contents, name="cat/1.jpg"):
        """A run over photographs of which one has these contents must fail and name it. Gives what was said."""
        root = self.photos()
        path = root / name
        path.unlink(missing_ok=True)
        path.write_bytes(contents)
        ran = self.headrace("run", self.graph(root), code=1)
        self.assertRegex(ran.stderr, rf"(?m)^\S+graph\.yaml:7:3: error: node 'decode', sample \d+ of epoch 0 \({path}\): .*; .*on_error")
        self.assertIn(", failed\n", ran.stdout)
        return ran.stderr

    def test_no_picture(self):
        self.broken(b"this is a letter to my bank\n" * 20)

    def test_empty_file(self):
        self.broken(b"")

    def test_jpeg_cut_short(self):
        photo = (PHOTOS / "cat" / "1.jpg").read_bytes()
        for size in (2, 20, len(photo) // 2, len(photo) - 2):
            with self.subTest(size=size):
                self.folder = self.write(f"{size}/x", "").parent
                self.broken(photo[:size])

    def test_png_cut_short(self):
        photo = (PHOTOS.parents[1] / "tests/plugins/image/png/basn2c08.png")
        photo = photo if photo.exists() else next((PHOTOS.parents[1] / "tests/plugins/image/png").glob("*.png"))
        contents = photo.read_bytes()
        for size in (8, len(contents) // 2, len(contents) - 12):
            with self.subTest(size=size):
                self.folder = self.write(f"{size}/x", "").parent
                self.broken(contents[:size], "cat/1.png")

    def test_jpeg_that_claims_to_be_huge(self):
        photo = bytearray((PHOTOS / "cat" / "1.jpg").read_bytes())
        frame = next(i for i in range(len(photo)) if photo[i:i + 2] in (b"\xff\xc0", b"\xff\xc2"))
        photo[frame + 5:frame + 9] = b"\xff\xff\xff\xff"
        self.broken(bytes(photo))

    def test_unreadable_file(self):
        root = self.photos()
        path = root / "cat/1.jpg"
        path.chmod(0)
        if os.geteuid() == 0:  # whom no permission stops: a link to itself cannot be opened by anybody
            path.unlink()
            path.symlink_to(path)
        ran = self.headrace("run", self.graph(root), code=1)
        self.assertRegex(ran.stderr, rf"(?m)^\S+graph\.yaml:6:3: error: node 'read', sample 5 of epoch 0 \({path}\): .+")

    def test_file_that_vanished(self):
        root = self.photos()
        (root / "cat/1.jpg").unlink()
        (root / "cat/1.jpg").symlink_to(root / "gone.jpg")
        ran = self.headrace("run", self.graph(root), code=1)
        self.assertRegex(ran.stderr, r"error: node '(read', sample 5 of epoch 0|files':) .*1\.jpg")


class Names(Driven):
    """Names of files are bytes: what is no UTF-8, or would steer a terminal, is written in escapes."""

    ODD = b"\xff \xc2\x9b31m\n\x1b[31m.jpg"
    ESCAPED = "\\xff \\xc2\\x9b31m\\x0a\\x1b[31m.jpg"

    def odd(self, contents):
        root = self.photos()
        folder = os.fsencode(root / "cat")
        os.rename(folder, folder + b"\xfe")
        with open(folder + b"\xfe/" + self.ODD, "wb") as file:
            file.write(contents)
        return root

    def test_in_the_error_that_ends_a_run(self):
        report = self.folder / "report.json"
        ran = self.headrace("run", self.graph(self.odd(b"no picture")), "--report", report, code=1)
        self.assertIn(f"/cat\\xfe/{self.ESCAPED})", ran.stderr)
        self.assertEqual(len(ran.stderr.splitlines()), 1)
        json.loads(report.read_text())

    def test_in_the_log(self):
        ran = self.headrace("run", self.graph(self.odd(b"no picture"), ", on_error: {action: skip}"))
        self.assertRegex(ran.stderr, rf"(?m)^warning: skipped: .*{re.escape(self.ESCAPED)}")
        self.assertEqual(len(ran.stderr.splitlines()), 1)

    def test_in_what_opening_finds(self):
        root = self.odd(b"no picture")
        os.mkdir(os.fsencode(root) + b"/empty\xff")
        for command in (["run"], ["lint", "--data"], ["lint", "--data", "--json"]):
            ran = self.headrace(*command, self.graph(root), code=1)
            if "--json" in command:
                self.assertIn("empty", json.loads(ran.stdout)[0]["text"])
            else:
                self.assertIn("/empty\\xff' holds no file", ran.stderr)

    def test_on_a_contact_sheet(self):
        picture = (PHOTOS / "cat" / "1.jpg").read_bytes()
        sheet = self.folder / "sheet.png"
        self.headrace("peek", self.graph(self.odd(picture)), "--batch", 2, "-o", sheet)
        self.assertTrue(sheet.read_bytes().startswith(b"\x89PNG"))

    def test_in_a_parameter(self):
        graph = self.graph(self.folder)
        where = "vars.root=" + os.fsdecode(os.fsencode(self.folder) + b"/none\xff")
        for command in (["run"], ["plan"], ["plan", "--json"], ["graph"], ["lint", "--data"]):
            with self.subTest(command=command), self.start(*command, graph, "--set", where) as process:
                out, err = process.communicate(timeout=50)
                self.assertIn(process.returncode, (0, 1))
                self.assertNotIn("internal", err)
                if command == ["plan", "--json"] and process.returncode == 0:
                    json.loads(out)


class Skipping(Driven):
    BROKEN = ("cat/1.jpg", "coffee/3.jpg", "rocket/0.jpg")

    def damaged(self):
        root = self.photos()
        for name in self.BROKEN:
            path = root / name
            path.write_bytes(path.read_bytes()[:5000])
        return root

    def test_leaves_the_batches_full_and_counts(self):
        graph = self.graph(self.damaged(), ", on_error: {action: skip, max_count: 3}")
        report, ran = self.report(graph, "--set", "vars.batch=7")
        self.assertEqual((report["samples"], report["batches"]), (21, 3))
        self.assertEqual((report["delivered"], report["skipped"]), (21, 3))
        self.assertIn("skipped 3: decode 3", ran.stdout)

    @unittest.skipIf(np is None, "no numpy")
    def test_keeps_labels_with_their_pictures(self):
        root = self.damaged()
        graph = self.graph(root, ", on_error: {action: skip}")
        whole = self.graph(PHOTOS, name="whole.yaml")
        kinds = sorted(p.name for p in root.iterdir())
        kept = {}
        for batch in range(6):
            file = self.folder / "batch.npz"
            arguments = ["--batch", batch, "-o", file]
            if batch == 5:
                self.headrace("peek", graph, *arguments)
                self.assertEqual(len(np.load(file)["label"]), 1)
            else:
                self.headrace("peek", graph, *arguments)
                self.assertEqual(len(np.load(file)["label"]), 4)
            arrays = np.load(file)
            for path, label, image in zip(arrays["path"].tolist(), arrays["label"].tolist(), arrays["image"]):
                kind, name = path.split("/")[-2:]
                self.assertEqual(kinds[label], kind)
                kept[f"{kind}/{name}"] = image
        self.assertEqual(len(kept), 21)
        self.assertFalse(set(self.BROKEN) & set(kept))
        # Without damage the same pictures give the same pixels: nobody moved to a neighbour's row.
        for batch in range(6):
            file = self.folder / "whole.npz"
            self.headrace("peek", whole, "--batch", batch, "-o", file)
            arrays = np.load(file)
            for path, image in zip(arrays["path"].tolist(), arrays["image"]):
                name = "/".join(path.split("/")[-2:])
                if name in kept:
                    np.testing.assert_array_equal(kept[name], image, err_msg=name)

    def test_ends_the_run_when_the_count_is_used_up(self):
        ran = self.headrace("run", self.graph(self.damaged(), ", on_error: {action: skip, max_count: 2}"), code=1)
        self.assertRegex(ran.stderr, r"(?m)^\S+graph\.yaml:7:3: error: node 'decode', .*the first of 3 failures, and on_error allows 2 an epoch:$")

    def test_ends_the_run_when_the_fraction_is_used_up(self):
        ran = self.headrace("run", self.graph(self.damaged(), ", on_error: {action: skip, max_fraction: 0.1}"), code=1)
        self.assertRegex(ran.stderr, r"(?m)^\S+graph\.yaml:7:3: error: node 'decode', .*the first of 3 failures, and on_error allows 2 an epoch:$")

    def test_goes_on_within_the_fraction(self):
        report, _ = self.report(self.graph(self.damaged(), ", on_error: {action: skip, max_fraction: 0.125}"))
        self.assertEqual((report["delivered"], report["skipped"]), (21, 3))

    def test_is_the_same_at_any_number_of_threads(self):
        graph = self.graph(self.damaged(), ", on_error: {action: skip}")
        digests = []
        for threads in (1, 2, 8):
            file = self.folder / f"digest{threads}"
            self.headrace("run", graph, "--digest", file, "--set", f"runtime.threads={threads}")
            digests.append(file.read_text())
        self.assertEqual(digests[0], digests[1])
        self.assertEqual(digests[0], digests[2])


if __name__ == "__main__":
    unittest.main()
