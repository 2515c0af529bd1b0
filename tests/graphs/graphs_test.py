# SPDX-License-Identifier: Apache-2.0
"""Every graph of graphs/ runs and gives what it promises; evaluation is compared with Pillow's pixels."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools" / "headrace"))
from driven import GRAPHS, PHOTOS, Driven  # noqa: E402

try:
    import numpy as np
except ImportError:
    np = None
try:
    import PIL.Image
except ImportError:
    PIL = None

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
# Where there is a GPU, `auto` would leave batches on it.
HERE = {"hello": [], "imagenet_train": ["--set", "nodes.upload.with.device=cpu"], "imagenet_eval": ["--set", "vars.device=cpu"],
        "mixup": [], "two_views": [], "augment": []}


class Graphs(Driven):
    def peek(self, name, *arguments):
        file = self.folder / "batch.npz"
        self.headrace("peek", GRAPHS / f"{name}.yaml", "-o", file, *HERE[name], *arguments)
        return dict(np.load(file))

    def test_are_all_known_here(self):
        self.assertEqual({path.stem for path in GRAPHS.glob("*.yaml")}, set(HERE))

    def test_run_as_they_are(self):
        for name, delivered, batches in (("hello", 24, 3), ("imagenet_train", 24, 1), ("imagenet_eval", 24, 1), ("mixup", 24, 3), ("two_views", 24, 3),
                                          ("augment", 24, 3)):
            with self.subTest(graph=name):
                report, _ = self.report(GRAPHS / f"{name}.yaml")
                self.assertEqual((report["samples"], report["batches"], report["skipped"]), (delivered, batches, 0))

    def test_lint_clean_with_their_data(self):
        for name in HERE:
            with self.subTest(graph=name):
                self.assertEqual(self.headrace("lint", "--data", GRAPHS / f"{name}.yaml", "--log-level", "warning").stderr, "")

    def test_training_is_fused_and_copies_nothing(self):
        plan = self.headrace("plan", GRAPHS / "imagenet_train.yaml").stdout
        self.assertIn("fused", plan)
        self.assertIn("zero-copy", plan)

    @unittest.skipIf(np is None, "no numpy")
    def test_training_sees_each_picture_once_an_epoch(self):
        labels = self.peek("imagenet_train")["label"]
        self.assertEqual(np.bincount(labels).tolist(), [4] * 6)
        self.assertNotEqual(labels.tolist(), sorted(labels.tolist()))

    @unittest.skipIf(np is None, "no numpy")
    def test_debug_profile_makes_small_batches(self):
        self.assertEqual(self.peek("imagenet_train", "--profile", "debug")["image"].shape, (8, 3, 224, 224))

    @unittest.skipIf(np is None or PIL is None, "no numpy or Pillow")
    def test_evaluation_has_pillows_pixels(self):
        batch = self.peek("imagenet_eval")
        self.assertEqual(batch["image"].shape, (24, 3, 224, 224))
        names = sorted(p.name for p in PHOTOS.iterdir() if p.is_dir())
        seen = set()
        for image, label, path in zip(batch["image"], batch["label"].tolist(), batch["path"].tolist()):
            path = pathlib.Path(path)
            seen.add(path)
            self.assertEqual(path.parent.name, names[label])
            levels = (image * np.reshape(STD, (3, 1, 1)) + np.reshape(MEAN, (3, 1, 1))) * 255
            self.assertLessEqual(abs(levels - self.by_pillow(path)).max(), 1.01, path)
        self.assertEqual(len(seen), 24)

    def by_pillow(self, path):
        """torchvision's Resize(256) and CenterCrop(224), by Pillow."""
        picture = PIL.Image.open(path).convert("RGB")
        width, height = picture.size
        size = (256, int(256 * height / width)) if width <= height else (int(256 * width / height), 256)
        picture = picture.resize(size, PIL.Image.Resampling.BILINEAR)
        left, top = round((size[0] - 224) / 2), round((size[1] - 224) / 2)
        return np.asarray(picture.crop((left, top, left + 224, top + 224)), np.float64).transpose(2, 0, 1)

    @unittest.skipIf(np is None, "no numpy")
    def test_two_views_differ_and_belong_together(self):
        first, again = self.peek("two_views"), self.peek("two_views", "--set", "runtime.threads=2")
        self.assertEqual(sorted(first), ["image_a", "image_b", "label"])
        self.assertEqual(first["image_a"].shape, (8, 96, 96, 3))
        for row in range(8):
            self.assertFalse(np.array_equal(first["image_a"][row], first["image_b"][row]))
        for field in first:
            np.testing.assert_array_equal(first[field], again[field])

    @unittest.skipIf(np is None, "no numpy")
    def test_two_views_are_of_the_same_picture(self):
        # Every crop whole and unflipped: both views are then the picture itself, made small.
        sets = []
        for view in "ab":
            sets += ["--set", f"nodes.crop_{view}.with.scale=[1, 1]", "--set", f"nodes.crop_{view}.with.ratio=[1, 1]",
                     "--set", f"nodes.flip_{view}.with.p=0"]
        square = ["--set", f"vars.root={self.squares()}"]
        batch = self.peek("two_views", *sets, *square)
        np.testing.assert_array_equal(batch["image_a"], batch["image_b"])
        self.assertEqual(len({row.tobytes() for row in batch["image_a"]}), 8)

    @unittest.skipIf(np is None, "no numpy")
    def test_mixup_blends_each_picture_with_the_one_before(self):
        text = (GRAPHS / "mixup.yaml").read_text()
        without, rest = text[: text.index("  # Works on the batch")], text[text.index("outputs:") :]
        plain = self.write("plain.yaml", without + rest.replace("from: mix", "from: batch"))
        file = self.folder / "plain.npz"
        self.headrace("peek", plain, "-o", file, "--set", f"vars.root={PHOTOS}")
        before, after = dict(np.load(file)), self.peek("mixup")
        one_hot = np.eye(6, dtype=np.float32)[before["label"]]
        # The share is what the labels say, of a row and the one before it that differ.
        row = next(i for i in range(8) if before["label"][i] != before["label"][i - 1])
        share = after["label"][row, before["label"][row]]
        for field, pure in (("image", before["image"]), ("label", one_hot)):
            np.testing.assert_allclose(after[field], share * pure + (1 - share) * np.roll(pure, 1, 0), atol=1e-5)

    @unittest.skipIf(np is None, "no numpy")
    def test_augmentation_is_the_same_at_any_thread_count_and_unfused(self):
        first = self.peek("augment", "--set", "runtime.threads=1")
        for change in ("runtime.threads=2", "runtime.fuse=false"):
            again = self.peek("augment", "--set", change)
            for field in first:
                np.testing.assert_array_equal(first[field], again[field], change)

    @unittest.skipIf(np is None, "no numpy")
    def test_augmentation_is_what_the_nodes_say(self):
        sets = {"colors": "nodes.colors.with={brightness: 0}", "soften": "nodes.soften.with.p=0",
                "augment": "nodes.augment.with.num_ops=0"}

        def without(*nodes):
            return self.peek("augment", *(word for node in nodes for word in ("--set", sets[node])))["image"]

        plain = without("colors", "soften", "augment")
        for node in sets:
            changed = (without(*(set(sets) - {node})) != plain).any(axis=(1, 2, 3))
            self.assertTrue(changed.any(), f"{node} changes nothing")
        self.assertTrue((without("soften", "augment") != plain).any(axis=(1, 2, 3)).all(), "a picture keeps its colours")

    def squares(self):
        """Pictures as wide as high, so that a crop of all of the area has one place only."""
        root = self.folder / "squares" / "x"
        root.mkdir(parents=True)
        for i in range(8):
            level = (np.arange(120 * 120 * 3).reshape(120, 120, 3) * (i + 1) // 97 % 256).astype(np.uint8)
            write_png(root / f"{i}.png", level)
        return root.parent


def write_png(path, pixels):
    """A PNG by zlib alone (W3C PNG, filter 0), so that the test needs numpy only."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    unittest.main()
