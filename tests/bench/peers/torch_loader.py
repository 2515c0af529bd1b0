# SPDX-License-Identifier: Apache-2.0
"""PyTorch's DataLoader with torchvision on tensors: the faster of its two usual recipes."""

import torch
import workload
from torchvision import datasets, io
from torchvision.transforms import v2

a = workload.arguments()
torch.set_num_threads(1)
STEPS = {
    "train": [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip()],
    "eval": [v2.Resize(256, antialias=True), v2.CenterCrop(224)],
    "squash": [v2.Resize((224, 224), antialias=True)],
}[a.workload]
if a.workload != "squash":
    STEPS += [v2.ToDtype(torch.float32, scale=True), v2.Normalize(workload.MEAN, workload.STD)]


def load(path):
    return io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)


def main():
    folder = datasets.ImageFolder(str(a.folder), loader=load, transform=v2.Compose(STEPS))
    loader = torch.utils.data.DataLoader(
        folder, batch_size=a.batch, shuffle=True, num_workers=a.workers, persistent_workers=True
    )
    workload.measure(a, lambda: (len(images) for images, _ in loader))


if __name__ == "__main__":
    main()
