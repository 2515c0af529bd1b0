# SPDX-License-Identifier: Apache-2.0
"""NVIDIA DALI on the CPU. Its last batch goes on into the next epoch, so whole batches are counted."""

import workload
from nvidia.dali import fn, pipeline_def, types

a = workload.arguments()
LINEAR = {"interp_type": types.INTERP_LINEAR, "antialias": True}


@pipeline_def(batch_size=a.batch, num_threads=a.workers, device_id=None, prefetch_queue_depth=2)
def pipeline():
    files, labels = fn.readers.file(file_root=str(a.folder), random_shuffle=True, name="files")
    mirror = 0
    if a.workload == "train":
        images = fn.decoders.image_random_crop(
            files, output_type=types.RGB, random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3], num_attempts=10
        )
        images = fn.resize(images, size=(224, 224), **LINEAR)
        mirror = fn.random.coin_flip()
    else:
        images = fn.decoders.image(files, output_type=types.RGB)
        if a.workload == "squash":
            return fn.resize(images, size=(224, 224), **LINEAR), labels
        images = fn.resize(images, resize_shorter=256, **LINEAR)
    images = fn.crop_mirror_normalize(
        images,
        dtype=types.FLOAT,
        output_layout="CHW",
        crop=(224, 224),
        mirror=mirror,
        mean=[255 * m for m in workload.MEAN],
        std=[255 * s for s in workload.STD],
    )
    return images, labels


p = pipeline()
p.build()


def epoch():
    for _ in range(0, p.epoch_size("files"), a.batch):
        p.run()
        yield a.batch


workload.measure(a, epoch)
