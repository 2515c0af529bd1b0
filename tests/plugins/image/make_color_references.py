#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the colour ops are held against: torchvision's v2 functions on tensors.

    pip install numpy torch torchvision
    python3 tests/plugins/image/make_color_references.py

Rewrites references/color.txt and references/dtypes.txt beside itself; with torchvision 0.29.2 it gives them as they
are kept. A line: function, its arguments joined by commas, type, seed, whether the picture is dim, width, height,
channels, and the result in hexadecimal, rows of interleaved pixels, bytes or the bits of floats.
"""

import os

import numpy as np
import torch
import torchvision
from torchvision.transforms.v2 import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
TORCHVISION = torchvision.__version__.split("+")[0]
SIZES = [(37, 11, 3), (5, 3, 3), (2, 6, 3), (1, 1, 3), (19, 4, 1)]
FLOAT_SIZES = [(18, 3, 3), (7, 5, 1)]


def pattern(count, seed):
    """The bytes of picture_pattern() in references.h: noise, or for odd seeds its extremes."""
    with np.errstate(over="ignore"):
        z = np.arange(count, dtype=np.uint64) + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        noise = ((z ^ (z >> np.uint64(31))) & np.uint64(255)).astype(np.uint8)
    return np.where(noise >= 128, 255, 0).astype(np.uint8) if seed % 2 else noise


def picture(kind, seed, dim, width, height, channels):
    levels = pattern(width * height * channels, seed).reshape(height, width, channels)
    if dim:
        levels = (levels.astype(np.int32) * 100 // 256 + 30).astype(np.uint8)
    tensor = torch.from_numpy(levels).permute(2, 0, 1)
    return tensor if kind == "uint8" else tensor.float().mul(1.0 / 255.0)


def hexadecimal(tensor):
    rows = tensor.permute(1, 2, 0).contiguous().numpy()
    return rows.tobytes().hex() if rows.dtype == np.uint8 else "".join("%08x" % b for b in rows.view(np.uint32).flat)


def cases(kind):
    """(name, arguments, function) of each."""
    white = 255 if kind == "uint8" else 1
    for factor in (0.0, 0.4, 1.0, 1.37, 3.0):
        yield "brightness", (factor,), F.adjust_brightness
        yield "contrast", (factor,), F.adjust_contrast
        yield "saturation", (factor,), F.adjust_saturation
        yield "sharpness", (factor,), F.adjust_sharpness
    for factor in (-0.5, -0.21, 0.0, 0.1, 0.5):
        yield "hue", (factor,), F.adjust_hue
    for gamma, gain in ((0.5, 1), (2.2, 1), (1.7, 1.5)):
        yield "gamma", (gamma, gain), F.adjust_gamma
    for bits in (0, 1, 4, 8):
        yield "posterize", (bits,), F.posterize
    for threshold in (0, 0.37, 0.5, 1):
        yield "solarize", (threshold * white,), F.solarize
    for name in ("invert", "autocontrast", "equalize"):
        yield name, (), getattr(F, name)
    for channels in (1, 3):
        yield "grayscale", (channels,), F.rgb_to_grayscale
    for width, height, sigma_x, sigma_y in ((1, 1, 0.5, 0.5), (3, 3, 0.8, 0.8), (5, 3, 1.1, 0.4), (23, 7, 4, 1.3)):
        yield (
            "blur",
            (width, height, sigma_x, sigma_y),
            lambda x, w, h, sx, sy: F.gaussian_blur(x, [w, h], [sx, sy]),
        )


def colors():
    rows = []
    for kind, sizes in (("uint8", SIZES), ("float32", FLOAT_SIZES)):
        for number, (name, arguments, function) in enumerate(cases(kind)):
            for at, (width, height, channels) in enumerate(sizes):
                if name == "blur" and (arguments[0] // 2 >= width or arguments[1] // 2 >= height):
                    continue  # torch refuses to reflect that far
                seed, dim = 2 * number + (at == 1), int(at in (1, 4))
                result = function(picture(kind, seed, dim, width, height, channels), *arguments)
                text = ",".join(str(a) for a in arguments) or "-"
                rows.append([name, text, kind, seed, dim, width, height, channels, hexadecimal(result)])
    return rows


def dtypes():
    """Numbers beside the levels: halves between two, what is too large or too small, and what has no end."""
    torch.manual_seed(1)
    spread = torch.cat([torch.rand(40), torch.randn(40) * 1e-5, torch.randn(40) * 1e-7, torch.randn(40) * 3e4])
    edges = torch.tensor(
        [0.0, 1.0, 0.5, 65504.0, 65519.99, 65520.0, 1e30, 2.0**-14, 2.0**-24, 2.0**-25, 1.5 * 2.0**-24]
        + [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 3 * 2.0**-8, float("inf")]
    )
    floats = torch.cat([spread, edges, -edges])
    rows = []
    levels = torch.arange(256, dtype=torch.uint8)
    for scale in (0, 1):
        for name, dtype, view in (
            ("float32", torch.float32, torch.int32),
            ("float16", torch.float16, torch.int16),
            ("bfloat16", torch.bfloat16, torch.int16),
        ):
            bits = F.to_dtype(levels, dtype, scale=bool(scale)).view(view).tolist()
            rows.append(["uint8", name, scale] + ["%x" % (b & (2**32 - 1 if name == "float32" else 65535)) for b in bits])
    for name, dtype in (("float16", torch.float16), ("bfloat16", torch.bfloat16)):
        bits = F.to_dtype(floats, dtype).view(torch.int16).tolist()
        pairs = zip(floats.view(torch.int32).tolist(), bits)
        rows.append(["float32", name, 0] + ["%x:%x" % (a & (2**32 - 1), b & 65535) for a, b in pairs])
    inside = torch.cat([torch.rand(60), torch.arange(256) / 255, torch.arange(256) / 256])
    for scale, values in ((1, inside), (0, inside * 255.99)):
        pairs = zip(values.float().view(torch.int32).tolist(), F.to_dtype(values.float(), torch.uint8, scale=bool(scale)).tolist())
        rows.append(["float32", "uint8", scale] + ["%x:%x" % (a & (2**32 - 1), b) for a, b in pairs])
    return rows


def lines(name, header, rows):
    with open(os.path.join(HERE, "references", name), "w") as f:
        f.write("# " + header + "\n")
        for row in rows:
            f.write(" ".join(str(v) for v in row) + "\n")


if __name__ == "__main__":
    header = f"torchvision {TORCHVISION}: "
    lines("color.txt", header + "function arguments type seed dim width height channels result", colors())
    lines("dtypes.txt", header + "from to scale, then what each level becomes, or pairs of bits", dtypes())
