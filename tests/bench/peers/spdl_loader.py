# SPDX-License-Identifier: Apache-2.0
"""SPDL with one batch a message, its best form. --kind ffmpeg: its own decoder and filters; cv2: simplejpeg and
OpenCV in its threads."""

import random
import sys

import numpy as np
import workload
from spdl.pipeline import PipelineBuilder

KIND = sys.argv.pop(1)
a = workload.arguments()
files = workload.photographs(a.folder)

if KIND == "cv2":
    import cv2
    import simplejpeg

    cv2.setNumThreads(1)

    def decode(path):
        with open(path, "rb") as file:
            return workload.by_opencv(a.workload, simplejpeg.decode_jpeg(file.read()))

    stack = np.stack
else:
    import spdl.io

    def decode(path):
        packets = spdl.io.demux_image(path)
        width, height = packets.codec.width, packets.codec.height
        steps = ["scale=224:224:flags=bilinear"]
        if a.workload == "train":
            x, y, w, h = workload.random_resized_crop(width, height)
            steps = [f"crop={w}:{h}:{x}:{y}:exact=1"] + steps + (["hflip"] if random.random() < 0.5 else [])
        elif a.workload == "eval":
            w, h = workload.shorter_side_to(256, width, height)
            steps = [f"scale={w}:{h}:flags=bilinear", "crop=224:224"]
        return spdl.io.decode_packets(packets, filter_desc=",".join(steps + ["format=pix_fmts=rgb24"]))

    def stack(frames):
        pixels = spdl.io.to_numpy(spdl.io.convert_frames(frames))
        return pixels if a.workload == "squash" else workload.normalised(pixels)


def batch(paths):
    return stack([decode(path) for path in paths])


def epoch():
    order = random.sample(files, len(files))
    groups = [order[i : i + a.batch] for i in range(0, len(order), a.batch)]
    pipeline = (
        PipelineBuilder().add_source(groups).pipe(batch, concurrency=a.workers).add_sink(3).build(num_threads=a.workers)
    )
    with pipeline.auto_stop():
        for images in pipeline:
            yield len(images)


workload.measure(a, epoch)
