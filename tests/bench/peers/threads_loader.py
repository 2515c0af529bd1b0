# SPDX-License-Identifier: Apache-2.0
"""No framework: a pool of Python threads, simplejpeg and OpenCV, as somebody careful would write it by hand."""

import random
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import simplejpeg
import workload

a = workload.arguments()
cv2.setNumThreads(1)
files = workload.photographs(a.folder)


def load(path):
    with open(path, "rb") as file:
        return workload.by_opencv(a.workload, simplejpeg.decode_jpeg(file.read()))


def epoch():
    with ThreadPoolExecutor(a.workers) as pool:
        ahead = deque()
        for path in random.sample(files, len(files)):
            ahead.append(pool.submit(load, path))
            if len(ahead) == 4 * a.batch:
                yield len(np.stack([ahead.popleft().result() for _ in range(a.batch)]))
        while ahead:
            yield len(np.stack([ahead.popleft().result() for _ in range(min(a.batch, len(ahead)))]))


workload.measure(a, epoch)
