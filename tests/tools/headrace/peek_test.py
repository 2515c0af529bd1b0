# SPDX-License-Identifier: Apache-2.0
"""headrace peek: a batch in words, as a picture, as arrays that numpy reads."""

import os
import resource
import unittest

from driven import GRAPHS, PHOTOS, Driven

try:
    import numpy as np
except ImportError:
    np = None

HELLO = GRAPHS / "hello.yaml"


def no_room():
    """In a child: no file may grow beyond 1000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


class Peek(Driven):
    def test_in_words(self):
        text = self.headrace("peek", HELLO).stdout
        self.assertRegex(text, r"^batch 0 of epoch 0, 8 samples\n")
        self.assertRegex(text, r"(?m)^image\s+float32\[8, 3, 128, 128\] NCHW\s+-?\d")
        self.assertRegex(text, r"(?m)^label\s+int64\[8\]\s+\d")

    def test_writes_a_contact_sheet(self):
        sheet = self.folder / "sheet.png"
        self.assertEqual(self.headrace("peek", HELLO, "-o", sheet).stdout, f"{sheet}\n")
        self.assertTrue(sheet.read_bytes().startswith(b"\x89PNG\r\n\x1a\n"))

    @unittest.skipIf(np is None, "no numpy")
    def test_writes_arrays_that_numpy_reads(self):
        file = self.folder / "batch.npz"
        self.headrace("peek", self.graph(PHOTOS), "-o", file)
        batch = np.load(file)
        self.assertEqual(sorted(batch), ["image", "label", "path"])
        self.assertEqual((batch["image"].shape, batch["image"].dtype), ((4, 3, 32, 32), np.float32))
        self.assertEqual((batch["label"].tolist(), batch["label"].dtype), ([0, 0, 0, 0], np.int64))
        self.assertEqual([p.split("/photos/")[1] for p in batch["path"].tolist()], [f"astronaut/{i}.jpg" for i in range(4)])
        self.assertLessEqual(abs(batch["image"]).max(), 1.0)

    @unittest.skipIf(np is None, "no numpy")
    def test_takes_the_batch_asked_for(self):
        files = [self.folder / f"{i}.npz" for i in (0, 5)]
        self.headrace("peek", self.graph(PHOTOS), "-o", files[0])
        self.headrace("peek", self.graph(PHOTOS), "--batch", "5", "-o", files[1])
        self.assertEqual([np.load(f)["label"].tolist() for f in files], [[0] * 4, [5] * 4])

    def test_that_cannot_be_written_whole_leaves_the_former_file(self):
        for name in ("batch.npz", "sheet.png"):
            with self.subTest(name=name):
                file = self.write(f"{name}.d/{name}", "the former one")
                ran = self.headrace("peek", self.graph(PHOTOS), "-o", file, code=1, preexec_fn=no_room, restore_signals=False)
                self.assertRegex(ran.stderr, rf"^error: output 'out', batch 0: {file}: cannot write: File too large")
                self.assertEqual(ran.stdout, "")
                self.assertEqual(file.read_text(), "the former one")
                self.assertEqual([p.name for p in file.parent.iterdir()], [name])

    @unittest.skipIf(np is None, "no numpy")
    def test_keeps_names_that_are_no_utf8_so_that_python_opens_them(self):
        root = self.photos(1)
        odd = os.fsencode(root / "cat" / "0") + b"\xff\x1b[31m.jpg"
        os.rename(next((root / "cat").iterdir()), odd)
        file = self.folder / "batch.npz"
        self.headrace("peek", self.graph(root), "-o", file)
        paths = np.load(file)["path"].tolist()
        self.assertIn(odd, [os.fsencode(path) for path in paths])
        self.assertTrue(all(os.path.exists(path) for path in paths))

    def test_beyond_the_epoch_says_how_many_there_are(self):
        ran = self.headrace("peek", self.graph(PHOTOS), "--batch", "6", code=1)
        self.assertIn("error: there is no batch 6: an epoch of output 'out' has 6 (batches count from 0)", ran.stderr)

    def test_of_an_output_that_is_not_there_names_those_that_are(self):
        ran = self.headrace("peek", HELLO, "--output", "test", code=1)
        self.assertIn("the graph has no output 'test' (it has: train)", ran.stderr)


if __name__ == "__main__":
    unittest.main()
