# SPDX-License-Identifier: Apache-2.0
"""The built command, driven from outside. HEADRACE is its path; tests run in the project's root.

Every test has a folder of its own. Nothing here waits by the clock but for time-outs.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

# Whoever started the tests in the background may have them ignore SIGINT, which their children would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[3]
PHOTOS = ROOT / "graphs" / "photos"
GRAPHS = ROOT / "graphs"

# Files to one batch of pictures of 32 by 32; {nodes} stands before decode, {decode} and {batch} in them.
GRAPH = """\
version: 1
name: small
vars: {{root: {root}, batch: 4}}
nodes:
  files:  {{op: source.files, with: {{root: "${{vars.root}}", layout: image_folder}}}}
  read:   {{op: source.read, from: files}}
  decode: {{op: image.decode, from: read{decode}}}
  crop:   {{op: image.random_resized_crop, from: decode, with: {{size: 32}}}}
  norm:   {{op: image.normalize, from: crop, with: {{mean: 0.5, std: 0.5}}}}
  batch:  {{op: batch.stack, from: norm, with: {{size: "${{vars.batch}}", last: partial}}}}
outputs:
  out: {{from: batch, fields: [image, label, path]}}
"""


class Driven(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.command = os.environ["HEADRACE"]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="headrace-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *arguments, **options):
        return subprocess.Popen(
            [self.command, *map(str, arguments)], cwd=ROOT, text=True,
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def headrace(self, *arguments, code=0, **options):
        """Runs to the end and checks the exit code."""
        with self.start(*arguments, **options) as process:
            try:
                out, err = process.communicate(timeout=50)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                self.fail(f"{arguments} hangs\n{out}\n{err}")
        self.assertEqual(process.returncode, code, f"{arguments}\n{out}\n{err}")
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
        return path

    def graph(self, root, decode="", name="graph.yaml"):
        return self.write(name, GRAPH.format(root=json.dumps(str(root)), decode=decode))

    def photos(self, each=4):
        """A copy of the photographs, that many of a class, to be damaged."""
        root = self.folder / "photos"
        for kind in sorted(p for p in PHOTOS.iterdir() if p.is_dir()):
            (root / kind.name).mkdir(parents=True)
            for photo in sorted(kind.iterdir())[:each]:
                shutil.copy(photo, root / kind.name)
        return root

    def report(self, *arguments, **options):
        """Of a run: the report and what was said."""
        path = self.folder / "report.json"
        ran = self.headrace("run", *arguments, "--report", path, **options)
        return json.loads(path.read_text()), ran
