# SPDX-License-Identifier: Apache-2.0
"""headrace run: reports, digests, epochs, signals, the progress bar."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from driven import GRAPHS, PHOTOS, Driven

HELLO = GRAPHS / "hello.yaml"
KEYS = {"graph", "samples", "batches", "epochs", "seconds", "samples_per_second", "first_batch_seconds",
        "cpu_seconds", "peak_rss_bytes", "delivered", "skipped", "padded", "outputs", "nodes"}
NODE_KEYS = {"in", "out", "dropped", "busy_seconds", "wait_seconds", "p50_us", "p99_us", "tokens_max"}


class Report(Driven):
    def test_has_exactly_its_keys_and_adds_up(self):
        report, ran = self.report(HELLO, "--epochs", "2")
        self.assertEqual(set(report), KEYS)
        self.assertEqual(set(report["nodes"]), {"files", "read", "decode", "crop", "flip", "norm", "batch"})
        for node in report["nodes"].values():
            self.assertEqual(set(node), NODE_KEYS)
        self.assertEqual((report["graph"], report["samples"], report["batches"], report["epochs"]), ("hello", 48, 6, 2))
        self.assertEqual((report["delivered"], report["skipped"], report["padded"]), (48, 0, 0))
        self.assertEqual((report["nodes"]["files"]["out"], report["nodes"]["norm"]["out"]), (48, 48))
        self.assertEqual((report["nodes"]["batch"]["in"], report["nodes"]["batch"]["out"]), (48, 6))
        self.assertGreater(report["first_batch_seconds"], 0)
        self.assertAlmostEqual(report["samples_per_second"], 48 / report["seconds"], places=3)
        self.assertGreater(report["peak_rss_bytes"], 1 << 20)
        self.assertRegex(ran.stdout, r"^hello: 2 epochs, 48 samples in 6 batches, ")

    def test_to_standard_output_comes_after_the_summary(self):
        ran = self.headrace("run", HELLO, "--report", "-")
        self.assertEqual(json.loads(ran.stdout[ran.stdout.index("{"):])["samples"], 24)
        self.assertEqual(report["outputs"], {"train": {"batches": 6, "samples": 48}})

    def test_that_cannot_be_written_is_an_error(self):
        ran = self.headrace("run", HELLO, "--report", "/nowhere/report.json", code=1)
        self.assertIn("error: /nowhere/report.json: cannot write: ", ran.stderr)


class Digest(Driven):
    def digest(self, graph, *arguments):
        path = self.folder / "digest.txt"
        self.headrace("run", graph, "--digest", path, *arguments)
        return path.read_text().splitlines()

    def test_is_a_line_a_batch(self):
        lines = self.digest(HELLO, "--epochs", "2")
        self.assertEqual([line.split()[:3] for line in lines], [[str(e), str(s), "8"] for e in range(2) for s in range(3)])
        for line in lines:
            self.assertRegex(line, r"^\d+ \d+ \d+ [0-9a-f]{32}$")
        self.assertEqual(len({line.split()[3] for line in lines}), 6)

    def test_is_the_same_at_any_number_of_threads_and_unfused(self):
        one = self.digest(HELLO, "--set", "runtime.threads=1")
        self.assertEqual(one, self.digest(HELLO, "--set", "runtime.threads=2"))
        self.assertEqual(one, self.digest(HELLO, "--set", "runtime.threads=8"))
        self.assertEqual(one, self.digest(HELLO, "--set", "runtime.fuse=false"))

    def test_changes_with_the_seed(self):
        self.assertNotEqual(self.digest(HELLO, "--set", "runtime.seed=1"), self.digest(HELLO, "--set", "runtime.seed=2"))

    def test_has_a_file_an_output_when_there_are_several(self):
        graph = self.write("two.yaml", self.graph(PHOTOS).read_text() + "  labels: {from: batch, fields: [label]}\n")
        self.headrace("run", graph, "--digest", self.folder / "d")
        for output in ("out", "labels"):
            self.assertEqual(len((self.folder / f"d.{output}").read_text().splitlines()), 6)


class Signals(Driven):
    def interrupted(self, number, code, *arguments):
        """Sends the signal when the first batch was digested, which a pipe tells."""
        digest, report = self.folder / "digest", self.folder / "report.json"
        os.mkfifo(digest)
        with self.start("run", HELLO, "--epochs", "0", "--digest", digest, "--report", report, *arguments) as process:
            self.addCleanup(process.kill)
            with open(digest) as lines:
                self.assertTrue(lines.readline().startswith("0 0 8 "))
                process.send_signal(number)
                sent = time.monotonic()
                out, err = process.communicate(timeout=20)
                took = time.monotonic() - sent
        self.assertEqual(process.returncode, code, err)
        self.assertLess(took, 2.0)
        self.assertIn(", interrupted\n", out)
        self.assertNotIn("error", err)
        self.assertEqual(set(json.loads(report.read_text())), KEYS)

    def test_control_c_ends_with_130_and_the_summary(self):
        self.interrupted(signal.SIGINT, 130)

    def test_termination_ends_with_143(self):
        self.interrupted(signal.SIGTERM, 143)

    def test_a_pretended_step_does_not_hold_the_end_up(self):
        self.interrupted(signal.SIGINT, 130, "--consumer-ms", "60000")


    def test_while_a_source_is_being_opened(self):
        listing = self.folder / "listing"
        os.mkfifo(listing)
        text = self.graph(PHOTOS).read_text().replace("root: \"${vars.root}\", layout: image_folder", f"list: {listing}")
        with self.start("run", self.write("graph.yaml", text)) as process:
            self.addCleanup(process.kill)
            with open(listing, "w"):  # returns once the source has opened it, too, and waits for lines
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=20), 130)


class Progress(Driven):
    def on_a_terminal(self, *arguments):
        """Standard error of a run whose standard error is a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([self.command, "run", *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        text = b""
        while select.select([ours], [], [], 50)[0]:
            try:
                got = os.read(ours, 65536)
            except OSError:
                break
            text += got
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return text.decode()

    def test_is_drawn_on_a_terminal_and_taken_away(self):
        text = self.on_a_terminal(HELLO, "--consumer-ms", "200")
        self.assertRegex(text, r"epoch 1/1 \[[#-]+\] +\d+%  \d+/24")
        self.assertRegex(text, r"samples/s")
        self.assertEqual(re.split(r"\r\x1b\[K", text)[-1], "")

    def test_is_not_drawn_elsewhere(self):
        self.assertEqual(self.headrace("run", HELLO, "--consumer-ms", "150").stderr, "")

    def test_a_pretended_step_takes_its_time(self):
        report, _ = self.report(HELLO, "--consumer-ms", "100")
        self.assertGreaterEqual(report["seconds"], 0.3)


if __name__ == "__main__":
    unittest.main()
