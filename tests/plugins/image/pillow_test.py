# SPDX-License-Identifier: Apache-2.0
"""The same falsified files decoded here and by Pillow: what Pillow refuses is refused, and what is not refused
has Pillow's pixels. DECODE_PROGRAM is the built decode_program; SANITIZER_AT is -1 if no sanitizer takes memory of its own in it.

Skipped where there is no Pillow.
"""

import io
import os
import pathlib
import random
import struct
import subprocess
import unittest
import warnings
import zlib

try:
    from PIL import Image, ImageFile, ImageOps
except ImportError:
    Image = None

HERE = pathlib.Path(__file__).resolve().parent
FLIPS = 10000


def decoded(files, *arguments):
    """What the program makes of each file: (size, crc, damaged) or the reason of a refusal; and the worst time
    and the peak of memory over all of them."""
    sent = b"".join(struct.pack("<I", len(f)) + f for f in files)
    ran = subprocess.run([os.environ["DECODE_PROGRAM"], *arguments], input=sent, stdout=subprocess.PIPE, check=True)
    *results, peak = ran.stdout.decode().splitlines()
    outcomes, slowest = [], 0
    for line in results:
        word, *rest = line.split(" ")
        if word == "ok":
            width, height, crc, damaged, took = map(int, rest)
            outcomes.append(((width, height), crc, bool(damaged)))
        else:
            took = int(rest[0])
            outcomes.append(" ".join(rest[1:]))
        slowest = max(slowest, took)
    assert len(outcomes) == len(files)
    return outcomes, slowest / 1e6, int(peak.split()[1]) * 1024


def by_pillow(file):
    """(size, crc), or None when Pillow refuses the picture. Metadata that Pillow cannot read is left alone."""
    try:
        im = Image.open(io.BytesIO(file), formats=["JPEG", "PNG"])
        im.load()
    except Exception:
        return None
    try:
        im = ImageOps.exif_transpose(im)
    except Exception:
        pass
    rgb = im.convert("RGB")
    return rgb.size, zlib.crc32(rgb.tobytes())


def flipped(file, r):
    file = bytearray(file)
    for _ in range(r.randint(1, 4)):
        file[r.randrange(len(file))] ^= 1 << r.randrange(8)
    return bytes(file)


def jpeg(**options):
    """A photograph, small enough that a flip hits its headers often."""
    with Image.open(HERE / "trials" / "hopper.png") as im:
        file = io.BytesIO()
        im.convert("RGB").resize((96, 80)).save(file, "JPEG", **options)
        return file.getvalue()


@unittest.skipIf(Image is None, "no Pillow")
class Verdicts(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.addCleanup(warnings.resetwarnings)

    def check(self, files, smoothed=0):
        """No verdict milder than Pillow's, no other pixels, each within a second, all within 256 MiB. `smoothed`:
        how many may have other pixels, since libjpeg-turbo 2 and 3 smooth pictures differently that have lost a
        scan."""
        outcomes, slowest, peak = decoded(files)
        refused = {"both": 0, "only here": 0}
        for number, (file, here) in enumerate(zip(files, outcomes)):
            there = by_pillow(file)
            if isinstance(here, str):
                refused["both" if there is None else "only here"] += 1
                continue
            with self.subTest(file=number):
                self.assertIsNotNone(there, f"Pillow refuses this: {file.hex() if len(file) < 4000 else number}")
                if here[:2] != there and smoothed > 0:
                    smoothed -= 1
                    continue
                self.assertEqual(here[:2], there)
        self.assertLess(slowest, 1)
        if os.environ.get("SANITIZER_AT", "-1") == "-1":
            self.assertLess(peak, 256 << 20)
        return refused

    def flip(self, seed, *originals, smoothed=0):
        r = random.Random(seed)
        for original in originals:
            self.assertEqual(decoded([original])[0][0][:2], by_pillow(original))
        files = [flipped(originals[i % len(originals)], r) for i in range(FLIPS)]
        refused = self.check(files, smoothed)
        self.assertGreater(refused["both"], 100)

    def test_flipped_baseline_jpegs(self):
        self.flip(1, jpeg(quality=80), jpeg(quality=90, subsampling=0, restart_marker_rows=1),
                  (HERE / "trials/hopper_orientation_6.jpg").read_bytes())

    def test_flipped_progressive_jpegs(self):
        self.flip(2, jpeg(quality=80, progressive=True), jpeg(quality=70, progressive=True, subsampling=1), smoothed=10)

    def test_flipped_pngs(self):
        names = ("type2_8bit", "type3_4bit_trns", "type6_16bit_interlaced", "type0_1bit")
        self.flip(3, *((HERE / "png" / f"{n}.png").read_bytes() for n in names))

    def test_cut_files(self):
        whole = [jpeg(quality=80), jpeg(quality=80, progressive=True), (HERE / "trials/hopper.png").read_bytes()]
        refused = self.check([w[: len(w) * percent // 100] for w in whole for percent in range(100)])
        self.assertEqual(sum(refused.values()), 300)

    def test_salvaged_jpegs(self):
        """What Pillow gives of damaged JPEGs when told to load truncated ones. Not of progressive ones that have
        lost a scan: see check()."""
        r = random.Random(4)
        files = []
        for progressive in (False, True):
            original = jpeg(quality=80, progressive=progressive)
            data = original.index(b"\xff\xda") + 14
            if not progressive:
                files += [original[: data + (len(original) - data) * percent // 100] for percent in range(1, 100)]
            for _ in range(300):
                at = r.randrange(data, len(original) - 2)
                files.append(original[:at] + bytes([original[at] ^ 1 << r.randrange(8)]) + original[at + 1 :])
        self.addCleanup(setattr, ImageFile, "LOAD_TRUNCATED_IMAGES", ImageFile.LOAD_TRUNCATED_IMAGES)
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        outcomes, _, _ = decoded(files, "salvage")
        compared = marked = 0
        for number, (file, here) in enumerate(zip(files, outcomes)):
            there = by_pillow(file)
            if there is None or isinstance(here, str):
                continue
            with self.subTest(file=number):
                self.assertEqual(here[:2], there)
            compared += 1
            marked += here[2]
        self.assertGreater(compared, 600)
        self.assertGreater(marked, 100)


if __name__ == "__main__":
    unittest.main()
