# SPDX-License-Identifier: Apache-2.0
"""TurboLoader, which reads a tar file: packed beforehand, beside the folder, and not timed."""

import subprocess

import turboloader
import workload

a = workload.arguments()
archive = a.folder.with_suffix(".tar")
if not archive.exists():
    subprocess.run(["tar", "cf", archive, "-C", a.folder, "."], check=True)
options = {"output_format": "numpy"}
if a.workload == "train":
    options |= {"train_aug": True, "transform": turboloader.ImageNetNormalize()}
elif a.workload == "eval":
    raise SystemExit("it has no resize to 256 followed by a crop to 224")
loader = turboloader.DataLoader(
    str(archive), batch_size=a.batch, num_workers=a.workers, shuffle=True, image_size=224, antialias=True, **options
)


def epoch():
    for batch in loader:
        images = batch[0] if isinstance(batch, tuple) else batch
        yield len(images["image"] if isinstance(images, dict) else images)


workload.measure(a, epoch)
