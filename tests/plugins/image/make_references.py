#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the tests of pixel operations are held against: Pillow's pixels and torchvision's numbers. Files
of every kind are make_file_references.py's.

    pip install pillow numpy torch torchvision
    python3 tests/plugins/image/make_references.py

Rewrites its part of references/ beside itself; with Pillow 13.0.0 and torchvision 0.29.2 it gives
the files as they are kept.
Pictures are compared by size and CRC-32 of their bytes, floats by their bits.
"""

import os
import random
import zlib

import numpy as np
import torch
import torchvision
from PIL import Image
from torchvision.transforms import functional as F
from torchvision.transforms import transforms as T

HERE = os.path.dirname(os.path.abspath(__file__))
TORCHVISION = torchvision.__version__.split("+")[0]
FILTERS = {"nearest": 0, "box": 4, "bilinear": 2, "hamming": 5, "bicubic": 3, "lanczos": 1}


def pattern(count, seed):
    """The bytes of picture_pattern() in references.h: noise, or for odd seeds its extremes."""
    with np.errstate(over="ignore"):
        z = np.arange(count, dtype=np.uint64) + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        noise = ((z ^ (z >> np.uint64(31))) & np.uint64(255)).astype(np.uint8)
    return np.where(noise >= 128, 255, 0).astype(np.uint8) if seed % 2 else noise


def lines(name, header, rows):
    with open(os.path.join(HERE, "references", name), "w") as f:
        f.write("# " + header + "\n")
        for row in rows:
            f.write(" ".join(str(v) for v in row) + "\n")


def resampling():
    r = random.Random(1)
    rows = []
    for i in range(240):
        channels = r.choice([1, 3, 3, 4])
        small = i % 3 == 0
        w, h = (r.randint(1, 20), r.randint(1, 20)) if small else (r.randint(1, 200), r.randint(1, 200))
        ow, oh = (r.randint(1, 40), r.randint(1, 40)) if i % 2 else (r.randint(1, 180), r.randint(1, 180))
        if i % 10 == 9:
            ow = w
        if i % 10 == 8:
            oh = h
        box = [0, 0, w, h]
        if i % 2:  # eighths are exact in single precision and in text
            x0, y0 = r.randrange(0, w * 8 - 1), r.randrange(0, h * 8 - 1)
            x1, y1 = r.randint(x0 + 1, w * 8), r.randint(y0 + 1, h * 8)
            box = [x0 / 8, y0 / 8, x1 / 8, y1 / 8]
        im = Image.frombytes(
            {1: "L", 3: "RGB", 4: "CMYK"}[channels], (w, h), pattern(w * h * channels, i).tobytes()
        )
        for name, number in FILTERS.items():
            out = im.resize((ow, oh), number, box=box)
            rows.append([i, channels, w, h, *box, ow, oh, name, zlib.crc32(out.tobytes())])
    lines(
        "resampling.txt",
        f"Pillow {Image.__version__}: seed channels width height box(4) out_width out_height filter crc",
        rows,
    )


def sizes():
    r = random.Random(2)
    rows = []
    for i in range(300):
        w, h = r.randint(1, 900), r.randint(1, 900)
        size = r.randint(1, 500)
        max_size = r.choice([0, size + r.randint(1, 300)])
        oh, ow = F._compute_resized_output_size((h, w), [size], max_size or None)
        if ow > 0 and oh > 0:
            rows.append(["resize", w, h, size, max_size, ow, oh])
    for i in range(300):
        w, h, cw, ch = (r.randint(1, 60) for _ in range(4))
        # The picture's pixels are their own numbers, so the crop tells where it came from; 0 is padding.
        numbers = torch.arange(1, w * h + 1, dtype=torch.float32).reshape(1, h, w)
        crop = F.center_crop(numbers, [ch, cw])[0]
        inside = torch.nonzero(crop)
        y, x = inside[0].tolist()
        n = int(crop[y, x].item()) - 1
        rows.append(["center_crop", w, h, cw, ch, n % w - x, n // w - y, int(torch.count_nonzero(crop))])
    for i in range(300):
        w, h = r.randint(1, 700), r.randint(1, 700)
        scale, ratio = r.choice(
            [((0.08, 1.0), (3 / 4, 4 / 3)), ((0.5, 0.5), (1.0, 1.0)), ((0.9, 1.0), (0.2, 0.3))]
        )
        draws = [r.randrange(10000) / 10000 for _ in range(22)]
        left = list(draws)
        uniform, randint = torch.Tensor.uniform_, torch.randint
        torch.Tensor.uniform_ = lambda t, a, b: torch.tensor(
            [float(a) + left.pop(0) * (float(b) - float(a))], dtype=torch.float64
        )
        torch.randint = lambda low, high, size: torch.tensor([int(left.pop(0) * (high - low)) + low])
        y, x, ch, cw = T.RandomResizedCrop.get_params(torch.empty(3, h, w), scale, ratio)
        torch.Tensor.uniform_, torch.randint = uniform, randint
        rows.append(["random_resized_crop", w, h, *scale, *ratio, x, y, cw, ch, *draws])
    lines("geometry.txt", f"torchvision {TORCHVISION}: see geometry_test.cpp", rows)


def normalization():
    rows = []
    for mean, std in [
        ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
        ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
        ((0.1307, -3.5, 1e-3), (0.3081, 7.77, 1e-3)),
    ]:
        im = Image.fromarray(np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, 2))
        t = F.normalize(F.to_tensor(im), mean, std)
        for c in range(3):
            bits = t[c, 0].numpy().view(np.uint32)
            rows.append([mean[c], std[c]] + ["%08x" % b for b in bits])
    lines(
        "normalization.txt", f"torchvision {TORCHVISION}: mean std, then the float's bits for 0 .. 255", rows
    )


def narrowing():
    """Floats at and around the points where rounding to 16 bits turns, and any others."""
    r = random.Random(7)
    floats = []
    for _ in range(400):
        for sixteen, to_float in (
            (r.randrange(0x7C00), lambda h: np.uint16(h).view(np.float16).astype(np.float32)),
            (r.randrange(0x7F80), lambda h: (np.uint32(h) << np.uint32(16)).view(np.float32)),
        ):
            low, high = float(to_float(sixteen)), float(to_float(sixteen + 1))
            middle = np.float32(low / 2 + high / 2) if np.isfinite(high) else np.float32(65520)
            bits = int(middle.view(np.uint32))
            floats += [bits, bits - 1, bits + 1, bits | 0x80000000]
    floats += [r.getrandbits(32) for _ in range(400)]
    floats += [0, 0x80000000, 1, 0x33000000, 0x33000001, 0x387FFFFF, 0x38800000, 0x477FEFFF, 0x477FF000]
    floats += [0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF]
    rows = []
    for bits in floats:
        one = np.array([bits], dtype=np.uint32).view(np.float32)
        if np.isnan(one[0]):
            half, brain = "nan", "nan"
        else:
            with np.errstate(over="ignore", under="ignore"):
                half = "%04x" % one.astype(np.float16).view(np.uint16)[0]
            brain = "%04x" % (int(torch.from_numpy(one).bfloat16().view(torch.int16)[0]) & 0xFFFF)
        rows.append(["%08x" % bits, half, brain])
    lines("narrowing.txt", "the bits of a float, of NumPy's float16 and of PyTorch's bfloat16 of it", rows)


def pipelines():
    files = ["graphs/photos/%s/%d.jpg" % (c, i) for c in ("astronaut", "coffee", "retina") for i in range(2)]
    files += [
        "tests/plugins/image/trials/" + n
        for n in ("pil_sample_cmyk.jpg", "hopper_gray.jpg", "pil123rgba.png")
    ]
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    chains = {
        "eval": [T.Resize(256), T.CenterCrop(224), T.ToTensor(), T.Normalize(mean, std)],
        "padded": [
            T.CenterCrop((300, 110)),
            T.Resize((90, 150)),
            T.CenterCrop(160),
            T.ToTensor(),
            T.Normalize(mean, std),
        ],
        "bicubic": [
            T.Resize(100, T.InterpolationMode.BICUBIC, max_size=120),
            T.ToTensor(),
            T.Normalize(mean, std),
        ],
    }
    rows = []
    for file in files:
        with Image.open(os.path.join(HERE, "../../..", file)) as im:
            for name, chain in chains.items():
                floats = T.Compose(chain)(im.convert("RGB")).contiguous().numpy()
                rows.append([name, file, *floats.shape, zlib.crc32(floats.tobytes())])
    lines("pipelines.txt", f"torchvision {TORCHVISION}: chain file shape(3) crc", rows)


if __name__ == "__main__":
    os.makedirs(os.path.join(HERE, "references"), exist_ok=True)
    resampling()
    sizes()
    normalization()
    narrowing()
    pipelines()
