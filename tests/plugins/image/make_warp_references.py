#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the tests hold the geometric ops and the mixing of batches against: torchvision's pixels, boxes
and draws, and OpenCV's resizing.

    pip install torch torchvision opencv-python-headless
    python3 tests/plugins/image/make_warp_references.py

Rewrites references/warp_*.txt and ../batch/references/ beside itself; with torchvision 0.29.2 and OpenCV 5.0.0
it gives the files as they are kept. Pixels are in hexadecimal, in HWC order: a byte each, or the four bytes of
a float as they lie in memory.
"""

import os
import random

import cv2
import numpy as np
import torch
import torchvision
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F
from torchvision.tv_tensors import BoundingBoxes

from make_references import TORCHVISION, lines, pattern

HERE = os.path.dirname(os.path.abspath(__file__))


def joined(values):
    return ",".join(repr(float(v)) for v in values) if values is not None else "-"


def shortly(floats):
    return ",".join(f"{v:.9g}" for v in floats)


def picture(channels, width, height, seed, dtype):
    pixels = pattern(channels * width * height, seed).reshape(height, width, channels)
    if dtype == "float":
        pixels = pixels.astype(np.float32) / np.float32(255)
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1)))


def pixels_of(chw):
    return np.ascontiguousarray(chw.numpy().transpose(1, 2, 0)).tobytes().hex()


def result(chw):
    return [chw.shape[2], chw.shape[1], pixels_of(chw)]


def warped():
    """kind dtype channels width height seed sampling fill parameters... out_width out_height pixels"""
    r = random.Random(11)
    rows = []
    for i in range(64):
        dtype = "float" if i % 4 == 3 else "byte"
        channels = r.choice([1, 3, 3, 4])
        # Not below 67 pixels: there torch multiplies matrices without fusing, and rounds otherwise.
        w, h = r.randint(9, 16), r.randint(9, 16)
        head = [dtype, channels, w, h, i]
        image = picture(channels, w, h, i, dtype)
        sampling = r.choice(["nearest", "bilinear"])
        top = 255 if dtype == "byte" else 1
        fill = r.choice([None, [0.0], [r.randint(0, top)], [float(r.randint(0, top)) for _ in range(channels)]])
        center = r.choice([None, None, [r.uniform(0, w), r.uniform(0, h)]])
        angle = r.choice([0.0, 90.0, 180.0, 270.0, -45.0, r.uniform(-180, 180), r.uniform(-30, 30)])
        translate = [r.choice([0, r.randint(-4, 4)]), r.choice([0, r.randint(-4, 4)])]
        scale = r.choice([1.0, r.uniform(0.5, 2)])
        shear = [r.choice([0.0, r.uniform(-40, 40)]), r.choice([0.0, r.uniform(-40, 40)])]
        look = dict(interpolation=sampling, fill=fill)
        out = F.affine(image, angle, translate, scale, shear, center=center, **look)
        parameters = [angle, *translate, scale, *shear, joined(center)]
        rows.append(["affine", *head, sampling, joined(fill), *parameters, *result(out)])
        expand = r.choice([False, True])
        center = None if expand else center
        out = F.rotate(image, angle, expand=expand, center=center, **look)
        rows.append(["rotate", *head, sampling, joined(fill), angle, int(expand), joined(center), *result(out)])
        points = v2.RandomPerspective(distortion_scale=r.choice([0.3, 0.6, 0.9])).make_params([image])
        coefficients = points["coefficients"]
        out = F.perspective(image, None, None, coefficients=coefficients, **look)
        rows.append(["perspective", *head, sampling, joined(fill), joined(coefficients), *result(out)])
    lines("warp_pictures.txt", f"torchvision {TORCHVISION}: {warped.__doc__}", rows)


def padded():
    """dtype channels width height seed padding(left top right bottom) mode fill out_width out_height pixels"""
    r = random.Random(12)
    rows = []
    for i in range(48):
        dtype = r.choice(["byte", "byte", "float"])
        channels = r.choice([1, 3, 4])
        w, h = r.randint(2, 9), r.randint(2, 9)
        mode = r.choice(["constant", "edge", "reflect", "symmetric"])
        most = {"constant": 6, "edge": 6, "reflect": min(w, h) - 1, "symmetric": min(w, h)}[mode]
        padding = [r.randint(0, most) for _ in range(4)]
        top = 255 if dtype == "byte" else 1
        fill = [0.0]
        if mode == "constant":
            fill = r.choice([[0.0], [r.randint(0, top)], [float(r.randint(0, top)) for _ in range(channels)]])
        image = picture(channels, w, h, i, dtype)
        given = fill if len(fill) > 1 else fill[0]
        out = F.pad(image, padding, fill=given, padding_mode=mode)
        rows.append([dtype, channels, w, h, i, *padding, mode, joined(fill), *result(out)])
    lines("warp_padding.txt", f"torchvision {TORCHVISION}: {padded.__doc__}", rows)


def boxes():
    """kind format width height parameters(, joined) boxes(, joined) boxes_after(, joined)"""
    r = random.Random(13)
    rows = []

    def some_boxes(w, h, form):
        out = []
        for _ in range(5):
            x0, x1 = sorted(r.uniform(-0.2 * w, 1.2 * w) for _ in range(2))
            y0, y1 = sorted(r.uniform(-0.2 * h, 1.2 * h) for _ in range(2))
            out.append([x0, y0, x1, y1])
        return F.convert_bounding_box_format(
            torch.tensor(out, dtype=torch.float32), old_format="XYXY", new_format=form
        )

    def add(kind, form, w, h, parameters, before, after):
        flat = [shortly(t.as_subclass(torch.Tensor).flatten().tolist()) for t in (before, after)]
        rows.append([kind, form.lower(), w, h, joined(parameters), *flat])

    for i in range(24):
        form = ("XYXY", "XYWH", "CXCYWH")[i % 3]
        w, h = r.randint(20, 300), r.randint(20, 300)
        box = BoundingBoxes(some_boxes(w, h, form), format=form, canvas_size=(h, w))
        add("clamp", form, w, h, None, box, F.clamp_bounding_boxes(box))
        part = [r.randint(-20, 20), r.randint(-20, 20), r.randint(1, 150), r.randint(1, 150)]
        add("crop", form, w, h, part, box, F.crop(box, part[1], part[0], part[3], part[2]))
        size = [r.randint(1, 400), r.randint(1, 400)]
        add("resize", form, w, h, size, box, F.resize(box, [size[1], size[0]]))
        add("hflip", form, w, h, None, box, F.horizontal_flip(box))
        add("vflip", form, w, h, None, box, F.vertical_flip(box))
        padding = [r.randint(0, 30) for _ in range(4)]
        add("pad", form, w, h, padding, box, F.pad(box, padding))
        cw, ch = r.randint(1, w), r.randint(1, h)
        add("center_crop", form, w, h, [cw, ch], box, F.center_crop(box, [ch, cw]))
        part = [r.randint(0, 10), r.randint(0, 10), r.randint(1, 10), r.randint(1, 10), *size]
        after = F.resized_crop(box, part[1], part[0], part[3], part[2], [size[1], size[0]])
        add("resized_crop", form, w, h, part, box, after)
        angle, scale = r.uniform(-180, 180), r.uniform(0.5, 2)
        translate = [r.randint(-9, 9), r.randint(-9, 9)]
        shear = [r.uniform(-30, 30), r.uniform(-30, 30)]
        after = F.affine(box, angle, translate, scale, shear)
        add("affine", form, w, h, [angle, *translate, scale, *shear], box, after)
        expand = r.choice([0, 1])
        angle = r.choice([angle, 90.0, 180.0])
        after = F.rotate(box, angle, expand=bool(expand))
        add("rotate", form, w, h, [angle, expand, after.canvas_size[1], after.canvas_size[0]], box, after)
        coefficients = v2.RandomPerspective().make_params([box])["coefficients"]
        after = F.perspective(box, None, None, coefficients=coefficients)
        add("perspective", form, w, h, coefficients, box, after)
        kept, valid = sanitized(box, form, w, h, i)
        rows.append(["sanitize", form.lower(), w, h, "20.0,900.0", shortly(kept), joined(valid)])
    lines("warp_boxes.txt", f"torchvision {TORCHVISION}: {boxes.__doc__}", rows)


def sanitized(box, form, w, h, i):
    before = box if i % 3 == 0 else F.clamp_bounding_boxes(box)
    before = before.as_subclass(torch.Tensor)
    _, valid = F.sanitize_bounding_boxes(before, format=form, canvas_size=(h, w), min_size=20, min_area=900)
    return before.flatten().tolist(), valid.tolist()


class Draws:
    """Stands in for torch's generator: hands out the numbers in [0, 1) that the test hands out too."""

    def __init__(self, r, count):
        self.all = [r.randrange(10000) / 10000 for _ in range(count)]
        self.left = list(self.all)

    def __enter__(self):
        self.kept = torch.Tensor.uniform_, torch.randint
        torch.Tensor.uniform_ = lambda t, a, b: torch.tensor(
            [float(a) + self.left.pop(0) * (float(b) - float(a))], dtype=torch.float64
        )
        torch.randint = lambda *limits, size: torch.tensor(
            int(self.left.pop(0) * (limits[-1] - (limits[0] if len(limits) > 1 else 0)))
            + (limits[0] if len(limits) > 1 else 0)
        ).reshape(size)
        return self

    def __exit__(self, *_):
        torch.Tensor.uniform_, torch.randint = self.kept


def draws():
    """kind width height parameters(, joined) result(, joined) draws(, joined)"""
    r = random.Random(14)
    rows = []

    def add(kind, w, h, parameters, outcome, drawn):
        rows.append([kind, w, h, joined(parameters), joined(outcome), joined(drawn.all)])

    for _ in range(60):
        w, h = r.randint(8, 300), r.randint(8, 300)
        image = torch.empty(3, h, w)
        padding = [r.randint(0, 9) for _ in range(4)]
        size = [r.randint(1, 60), r.randint(1, 60)]
        with Draws(r, 2) as d:
            p = v2.RandomCrop(size[::-1], padding, pad_if_needed=True).make_params([image])
        at = [p["left"] - p["padding"][0], p["top"] - p["padding"][1]]
        add("random_crop", w, h, [*size, *padding], [*at, *p["padding"]], d)
        scale, ratio = r.choice([((0.02, 0.33), (0.3, 3.3)), ((0.5, 1.0), (0.1, 0.2)), ((0.1, 0.1), (1, 1))])
        with Draws(r, 22) as d:
            p = v2.RandomErasing(scale=scale, ratio=ratio).make_params([image])
        part = [p["j"], p["i"], p["w"], p["h"]] if p["v"] is not None else [0, 0, 0, 0]
        add("erasing", w, h, [*scale, *ratio], part, d)
        degrees, translate = [-30, 50], [r.uniform(0, 1), r.uniform(0, 1)]
        shear = r.choice([[-10, 20], [-10, 20, 0, 30]])
        with Draws(r, 6) as d:
            p = v2.RandomAffine(degrees, translate, (0.5, 2), shear).make_params([image])
        outcome = [p["angle"], *p["translate"], p["scale"], *p["shear"]]
        add("affine", w, h, [*degrees, *translate, 0.5, 2, *shear], outcome, d)
        distortion = r.uniform(0, 1)
        with Draws(r, 8) as d:
            p = v2.RandomPerspective(distortion).make_params([image])
        add("perspective", w, h, [distortion], p["coefficients"], d)
    lines("warp_draws.txt", f"torchvision {TORCHVISION}: {draws.__doc__}", rows)


def crops():
    """Quantiles, evenly spaced, of what RandomResizedCrop draws of a picture of 640 x 480: the part of its area,
    width / height, and where the part lies of all places that it could (0 to 1 across, 0 to 1 down)."""
    torch.manual_seed(15)
    w, h = 640, 480
    image = torch.empty(3, h, w)
    drawn = []
    for _ in range(100_000):
        p = v2.RandomResizedCrop(224).make_params([image])
        at = [
            (p["left"] + 0.5) / (w - p["width"] + 1),
            (p["top"] + 0.5) / (h - p["height"] + 1),
        ]
        drawn.append([p["width"] * p["height"] / (w * h), p["width"] / p["height"], *at])
    levels = np.linspace(0, 1, 401)
    rows = [[name, *(f"{v:.6g}" for v in np.quantile(column, levels))]
            for name, column in zip(("area", "aspect", "across", "down"), np.array(drawn).T)]
    lines("warp_crops.txt", f"torchvision {TORCHVISION}, 100000 draws: " + " ".join(crops.__doc__.split()), rows)


def opencv():
    """channels width height seed out_width out_height pixels, by cv2.resize with INTER_LINEAR"""
    r = random.Random(16)
    rows = []
    for i in range(60):
        channels = r.choice([1, 3, 3, 4])
        w, h = r.randint(1, 60), r.randint(1, 60)
        ow, oh = r.randint(1, 16), r.randint(1, 16)
        if i % 2:
            w, h, ow, oh = r.randint(1, 9), r.randint(1, 9), r.randint(1, 24), r.randint(1, 24)
        pixels = pattern(channels * w * h, i).reshape(h, w, channels)
        out = cv2.resize(pixels, (ow, oh), interpolation=cv2.INTER_LINEAR)
        rows.append([channels, w, h, i, ow, oh, out.tobytes().hex()])
    lines("warp_opencv.txt", f"OpenCV {cv2.__version__}: {opencv.__doc__}", rows)


def boxed():
    """channels width height seed box(4, the part that is resized) out_width out_height pixels, by torch's
    grid_sample with the pixels at the edge repeated; rounded"""
    r = random.Random(17)
    rows = []
    for i in range(30):
        channels = r.choice([1, 3])
        w, h, ow, oh = r.randint(2, 20), r.randint(2, 20), r.randint(1, 14), r.randint(1, 14)
        x0, y0 = r.uniform(0, w / 2), r.uniform(0, h / 2)
        x1, y1 = r.uniform(x0 + 0.5, w), r.uniform(y0 + 0.5, h)
        box = [float(np.float32(v)) for v in (x0, y0, x1, y1)]
        image = picture(channels, w, h, i, "byte").double()[None]
        xs = box[0] + (torch.arange(ow, dtype=torch.float64) + 0.5) * (box[2] - box[0]) / ow
        ys = box[1] + (torch.arange(oh, dtype=torch.float64) + 0.5) * (box[3] - box[1]) / oh
        grid = torch.stack(torch.meshgrid(xs / w * 2 - 1, ys / h * 2 - 1, indexing="xy"), -1)[None]
        out = torch.nn.functional.grid_sample(
            image, grid, mode="bilinear", padding_mode="border", align_corners=False
        )
        rows.append([channels, w, h, i, *box, *result(out[0].round().to(torch.uint8))])
    lines("warp_boxed.txt", f"torch {torch.__version__}: {' '.join(boxed.__doc__.split())}", rows)


def resized():
    """filter antialias channels width height seed out_width out_height pixels, of floats"""
    r = random.Random(20)
    rows = []
    for i in range(36):
        channels = r.choice([1, 3, 4])
        # Not to one column: there torch's antialiased result is neither Pillow's nor the mean that it should be.
        w, h, ow, oh = r.randint(1, 30), r.randint(1, 30), r.randint(2, 12), r.randint(1, 12)
        name, antialias = (("bilinear", True), ("bicubic", True), ("bilinear", False))[i % 3]
        image = picture(channels, w, h, i, "float")
        out = F.resize(image, [oh, ow], interpolation=name, antialias=antialias)
        rows.append([name, int(antialias), channels, w, h, i, *result(out)])
    lines("warp_resized.txt", f"torchvision {TORCHVISION}: {resized.__doc__}", rows)


def mixed():
    """kind dtype labels rows channels height width classes lambda box(4) labels_after(, joined) pixels"""
    r = random.Random(18)
    rows = []
    for i in range(24):
        kind = ("mixup", "cutmix")[i % 2]
        b, c, h, w = r.randint(1, 5), r.randint(1, 3), r.randint(2, 7), r.randint(2, 7)
        classes = r.randint(2, 6)
        dtype = "byte" if kind == "cutmix" and i % 4 == 1 else "float"
        images = torch.stack([picture(c, w, h, 100 * i + k, dtype) for k in range(b)])
        labels = torch.tensor([r.randrange(classes) for _ in range(b)])
        transform = {"mixup": v2.MixUp, "cutmix": v2.CutMix}[kind](num_classes=classes)
        box = [0, 0, 0, 0]
        lam = r.random()
        if kind == "cutmix":
            x, y = sorted(r.randint(0, w) for _ in range(2)), sorted(r.randint(0, h) for _ in range(2))
            box = [x[0], y[0], x[1], y[1]]
            lam = 1.0 - (box[2] - box[0]) * (box[3] - box[1]) / (w * h)
        params = {"lam": lam, "lam_adjusted": lam, "box": box, "labels": labels, "batch_size": b}
        after, soft = transform.transform(images, params), transform.transform(labels, params)
        pixels = np.ascontiguousarray(after.numpy()).tobytes().hex()
        sizes = [b, c, h, w, classes]
        rows.append([kind, dtype, joined(labels.tolist()), *sizes, repr(lam), *box,
                     joined(soft.flatten().tolist()), pixels])
    for _ in range(40):
        h, w, lam = r.randint(2, 300), r.randint(2, 300), r.random()
        transform = v2.CutMix(num_classes=2)
        transform._dist = type("Fixed", (), {"sample": lambda self, shape: lam})()
        with Draws(r, 2) as d:
            p = transform.make_params([torch.empty(1, 3, h, w)])
        rows.append(["box", h, w, repr(lam), *d.all, *p["box"], repr(p["lam_adjusted"])])
    lines("../../batch/references/mixing.txt", f"torchvision {TORCHVISION}: {mixed.__doc__}; "
          "box height width lambda draws(2) box(4) lambda_after", rows)


def betas():
    """Quantiles, evenly spaced, of torch's Beta(alpha, alpha): alpha quantiles"""
    torch.manual_seed(19)
    rows = []
    for alpha in (0.2, 0.4, 1.0, 3.0):
        sample = torch.distributions.Beta(torch.tensor([alpha]), torch.tensor([alpha])).sample((200_000,)).double()
        rows.append([alpha, *(f"{v:.6g}" for v in np.quantile(sample.numpy(), np.linspace(0, 1, 201)))])
    lines("../../batch/references/betas.txt", f"torch {torch.__version__}: {betas.__doc__}", rows)


if __name__ == "__main__":
    os.makedirs(os.path.join(HERE, "../batch/references"), exist_ok=True)
    random.seed(10)
    torch.manual_seed(10)
    warped()
    padded()
    boxes()
    draws()
    crops()
    opencv()
    boxed()
    resized()
    mixed()
    betas()
