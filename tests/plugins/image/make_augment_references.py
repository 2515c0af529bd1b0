#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the augmentation policies are held against: torchvision's v2 classes, with their draws prepared.

    pip install numpy torch torchvision
    python3 tests/plugins/image/make_augment_references.py

Rewrites references/policies.txt and references/primitives.txt beside itself; with torchvision 0.29.2 it gives them as
they are kept.
"""

import random

import torch
from torchvision.transforms import v2 as T

from make_color_references import TORCHVISION, hexadecimal, lines, picture

POLICIES = {"imagenet": T.AutoAugmentPolicy.IMAGENET, "cifar10": T.AutoAugmentPolicy.CIFAR10, "svhn": T.AutoAugmentPolicy.SVHN}
SIZES = [(224, 224), (331, 97), (13, 500)]


class Prepared:
    """torch.rand and torch.randint give numbers of `draws`, one after the other."""

    def __init__(self, draws):
        self.draws = list(draws)

    def __enter__(self):
        self.rand, self.randint = torch.rand, torch.randint
        torch.rand = lambda *_, **__: torch.tensor(self.draws.pop(0))
        torch.randint = self.integer
        return self

    def __exit__(self, *_):
        torch.rand, torch.randint = self.rand, self.randint

    def integer(self, *arguments, low=0, high=None, size=None):
        if high is None:
            high = arguments[0]
        value = low + int(self.draws.pop(0) * (high - low))
        return torch.full(size, value) if size else torch.tensor(value)


def recorder(transform):
    """What the transform would do, instead of doing it."""
    done = []

    def note(image, name, magnitude, interpolation, fill):
        done.append((name, magnitude))
        return image

    transform._apply_image_or_video_transform = note
    return done


def used(draws, prepared):
    return [int(4096 * d) for d in draws[: len(draws) - len(prepared.draws)]]


def policies():
    r = random.Random(1)
    kinds = []
    for name, policy in POLICIES.items():
        kinds += [(f"auto_augment {name}", lambda p=policy: T.AutoAugment(p), 60)]
    for num_ops, magnitude, bins in ((2, 9, 31), (3, 0, 2), (1, 9, 10), (4, 30, 31)):
        make = lambda n=num_ops, m=magnitude, b=bins: T.RandAugment(n, m, b)
        kinds += [(f"rand_augment {num_ops},{magnitude},{bins}", make, 40)]
    for bins in (31, 7):
        kinds += [(f"trivial_augment_wide {bins}", lambda b=bins: T.TrivialAugmentWide(b), 60)]
    rows = []
    for name, make, count in kinds:
        for i in range(count):
            width, height = SIZES[i % len(SIZES)]
            draws = [r.randrange(4096) / 4096 for _ in range(24)]
            transform = make()
            done = recorder(transform)
            with Prepared(draws) as prepared:
                transform(torch.zeros(3, height, width, dtype=torch.uint8))
            text = ";".join(f"{n},{m!r}" for n, m in done if n != "Identity") or "-"
            rows.append([name, width, height, text, *used(draws, prepared)])
    return rows


def chains():
    """AugMix: the chains alone, its weights set to what they need not be drawn for."""
    r = random.Random(2)
    rows = []
    for severity, width, depth, all_ops in ((3, 3, -1, True), (10, 2, 4, True), (1, 1, 2, False), (7, 4, -1, False)):
        for i in range(25):
            size = SIZES[i % len(SIZES)]
            draws = [r.randrange(4096) / 4096 for _ in range(80)]
            transform = T.AugMix(severity, width, depth, all_ops=all_ops)
            transform._sample_dirichlet = lambda p: torch.full_like(p, 1.0 / p.shape[-1])
            done = recorder(transform)
            with Prepared(draws) as prepared:
                transform(torch.zeros(3, size[1], size[0], dtype=torch.uint8))
            text = ";".join(f"{n},{m!r}" for n, m in done) or "-"
            rows.append(["aug_mix", f"{severity},{width},{depth},{int(all_ops)}", *size, text, *used(draws, prepared)])
    return rows


def primitives():
    base = T.RandAugment()
    cases = []
    for name, magnitudes in {
        "ShearX": (0.09, -0.3, 0.99),
        "ShearY": (0.1, -0.29),
        "TranslateX": (3.9, -5.2),
        "TranslateY": (2.0, -4.99),
        "Rotate": (9.0, -30.0, 135.0, 90.0, -90.0, 0.0),
        "Brightness": (0.27, -0.9),
        "Color": (0.27, -0.9),
        "Contrast": (0.27, -0.9),
        "Sharpness": (0.27, -0.9),
        "Posterize": (7.0, 4.0),
        "Solarize": (0.7, 0.1, 1.0),
        "AutoContrast": (0.0,),
        "Equalize": (0.0,),
        "Invert": (0.0,),
        "Identity": (0.0,),
    }.items():
        cases += [(name, m) for m in magnitudes]
    moves = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate")
    rows = []
    for number, (name, magnitude) in enumerate(cases):
        for kind, width, height in (("uint8", 13, 9), ("uint8", 10, 10), ("float32", 7, 5)):
            for mode in ("nearest", "bilinear") if name in moves else ("nearest",):
                for fill in (None, 100) if name in moves and kind == "uint8" else (None,):
                    x = picture(kind, 2 * number, 0, width, height, 3)
                    fills = {torch.Tensor: fill}
                    out = base._apply_image_or_video_transform(x, name, magnitude, T.InterpolationMode(mode), fills)
                    rows.append([name, magnitude, mode, "-" if fill is None else fill, kind, 2 * number, width, height, hexadecimal(out)])
    return rows


if __name__ == "__main__":
    header = f"torchvision {TORCHVISION}: "
    lines("policies.txt", header + "policy arguments width height changes draws(of 4096)", policies() + chains())
    lines("primitives.txt", header + "primitive magnitude interpolation fill type seed width height result", primitives())
