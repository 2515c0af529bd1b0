# SPDX-License-Identifier: Apache-2.0
"""What the scripts beside this one share: their arguments, the timed loop, and pixel work by OpenCV for the
loaders that bring none.

train:  a random resized crop to 224, flipped half the time, normalised: float32, NCHW.
eval:   the shorter side to 256, the middle 224 x 224, normalised: float32, NCHW.
squash: the whole picture to 224 x 224: uint8, in the loader's own layout.
"""

import argparse
import json
import math
import os
import random
import time
from pathlib import Path

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
TICKS = os.sysconf("SC_CLK_TCK")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="a folder of class folders of JPEG files")
    parser.add_argument("--workload", choices=["train", "eval", "squash"], default="train")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=2, help="the last one is timed")
    return parser.parse_args()


def photographs(folder):
    return sorted(str(path) for path in folder.glob("*/*.jpg"))


def processes(root):
    """root and what it has started, and that has started."""
    waiting, found = [root], []
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                waiting += map(int, task.read_text().split())
            except OSError:
                pass  # it has ended meanwhile
    return found


def stat_fields(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def cpu_seconds():
    """User and system time of this process and of all below it, those that have ended included."""
    ticks = 0
    for pid in processes(os.getpid()):
        try:
            ticks += sum(map(int, stat_fields(pid)[11:15]))
        except OSError:
            pass
    return ticks / TICKS


def since_start():
    """Seconds since this process came into being, the interpreter's start included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(stat_fields("self")[19]) / TICKS


def measure(arguments, epoch):
    """epoch() yields the number of pictures in each batch. Prints what compare.py reads."""
    first = None
    for _ in range(arguments.epochs):
        images, begin, cpu = 0, time.perf_counter(), cpu_seconds()
        for count in epoch():
            first = since_start() if first is None else first
            images += count
        line = {"images": images, "seconds": time.perf_counter() - begin, "cpu_seconds": cpu_seconds() - cpu}
    print(json.dumps(line | {"first_batch_seconds": first}), flush=True)


def random_resized_crop(width, height):
    """x, y, width and height of the crop, by torchvision's rule."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, width - w), random.randint(0, height - h), w, h
    side = min(width, height)
    return (width - side) // 2, (height - side) // 2, side, side


def shorter_side_to(side, width, height):
    return round(width * side / min(width, height)), round(height * side / min(width, height))


def normalised(pixels):
    """uint8 [..., H, W, 3] to float32 [..., 3, H, W]."""
    import numpy as np

    out = np.empty(pixels.shape[:-3] + (3,) + pixels.shape[-3:-1], np.float32)
    for c in range(3):
        plane = out[..., c, :, :]
        np.multiply(pixels[..., c], np.float32(1 / 255 / STD[c]), out=plane, dtype=np.float32)
        plane -= np.float32(MEAN[c] / STD[c])
    return out


def by_opencv(workload, pixels):
    """A decoded RGB picture to what the workload asks for. INTER_AREA is OpenCV's antialiasing."""
    import cv2

    height, width = pixels.shape[:2]
    if workload == "squash":
        return cv2.resize(pixels, (224, 224), interpolation=cv2.INTER_AREA)
    if workload == "train":
        x, y, w, h = random_resized_crop(width, height)
        pixels = cv2.resize(pixels[y : y + h, x : x + w], (224, 224), interpolation=cv2.INTER_AREA)
        return normalised(pixels[:, ::-1] if random.random() < 0.5 else pixels)
    pixels = cv2.resize(pixels, shorter_side_to(256, width, height), interpolation=cv2.INTER_AREA)
    y, x = (pixels.shape[0] - 224) // 2, (pixels.shape[1] - 224) // 2
    return normalised(pixels[y : y + 224, x : x + 224])
