# SPDX-License-Identifier: Apache-2.0
"""headrace peek: a batch in words, as a picture, as arrays that numpy reads."""

import unittest

from driven import GRAPHS, PHOTOS, Driven

try:
    import numpy as np
except ImportError:
    np = None

HELLO = GRAPHS / "hello.yaml"


class Peek(Driven):
    def test_in_words(self):
        text = self.headrace("peek", HELLO).stdout
        self.assertRegex(text, r"^batch 0 of epoch 0, 8 rows\n")
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

    def test_beyond_the_epoch_says_how_many_there_are(self):
        ran = self.headrace("peek", self.graph(PHOTOS), "--batch", "6", code=1)
        self.assertIn("error: there is no batch 6: an epoch of output 'out' has 6 (batches count from 0)", ran.stderr)

    def test_of_an_output_that_is_not_there_names_those_that_are(self):
        ran = self.headrace("peek", HELLO, "--output", "test", code=1)
        self.assertIn("the graph has no output 'test' (it has: train)", ran.stderr)


if __name__ == "__main__":
    unittest.main()
