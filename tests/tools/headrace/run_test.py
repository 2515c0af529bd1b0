# SPDX-License-Identifier: Apache-2.0
"""headrace run: reports, digests, epochs, signals, the progress bar."""

import contextlib
import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import threading
import time
import unittest

from driven import GRAPHS, PHOTOS, Driven

HELLO = GRAPHS / "hello.yaml"
KEYS = {"graph", "samples", "batches", "epochs", "seconds", "samples_per_second", "first_batch_seconds",
        "cpu_seconds", "peak_rss_bytes", "delivered", "skipped", "masked", "padded", "each_epoch", "outputs",
        "nodes"}
NODE_KEYS = {"in", "out", "dropped", "busy_seconds", "wait_seconds", "p50_us", "p99_us", "tokens_max"}


def no_room():
    """In a child: no file may grow beyond 100 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


class Ranks(Driven):
    def test_share_an_epoch_as_their_launcher_says(self):
        sets = ("--set", "nodes.batch.with.last=pad", "--set", "outputs.train.fields=[image, label, mask]")
        delivered = 0
        for rank in range(2):
            environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"}
            plan = self.headrace("plan", HELLO, *sets, env=environment)
            self.assertIn(f"rank {rank} of 2, as RANK and WORLD_SIZE say\n", plan.stdout)
            report, _ = self.report(HELLO, *sets, env=environment)
            self.assertEqual((report["samples"], report["batches"], report["padded"]), (16, 2, 4))
            delivered += report["delivered"]
        self.assertEqual(delivered, 24)

    def test_are_not_guessed_from_half_of_what_a_launcher_says(self):
        ran = self.headrace("run", HELLO, env={**os.environ, "RANK": "1"}, code=1)
        self.assertIn("the environment has RANK and no WORLD_SIZE", ran.stderr)


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
        self.assertEqual(report["outputs"], {"train": {"batches": 6, "samples": 48, "epoch": 2, "step": 0}})
        self.assertEqual([(e["epoch"], e["samples"]) for e in report["each_epoch"]], [(0, 24), (1, 24)])
        self.assertLessEqual(sum(e["seconds"] for e in report["each_epoch"]), report["seconds"])
        self.assertLessEqual(sum(e["cpu_seconds"] for e in report["each_epoch"]), report["cpu_seconds"])
        self.assertGreater(report["first_batch_seconds"], 0)
        self.assertAlmostEqual(report["samples_per_second"], 48 / report["seconds"], places=3)
        self.assertGreater(report["peak_rss_bytes"], 1 << 20)
        self.assertRegex(ran.stdout, r"^hello: 2 epochs, 48 samples in 6 batches, ")

    def test_to_standard_output_comes_after_the_summary(self):
        ran = self.headrace("run", HELLO, "--report", "-")
        self.assertEqual(json.loads(ran.stdout[ran.stdout.index("{"):])["samples"], 24)

    def test_that_cannot_be_written_is_an_error(self):
        ran = self.headrace("run", HELLO, "--report", "/nowhere/report.json", code=1)
        self.assertIn("error: /nowhere/report.json: cannot write: ", ran.stderr)


    def test_counts_what_outputs_share_once_and_admits_when_it_does_not_know(self):
        one = self.graph(PHOTOS).read_text()
        report, ran = self.report(self.write("shared.yaml", one + "  labels: {from: batch, fields: [label]}\n"))
        self.assertEqual((report["samples"], report["delivered"]), (48, 24))
        self.assertIn("delivered 24, skipped 0", ran.stdout)
        other = one.replace("outputs:", "  few: {op: flow.filter, from: norm, with: {field: label, in: [1]}}\n"
                            "  some: {op: batch.stack, from: few, with: {size: 2}}\noutputs:\n  ones: {from: some, fields: [label]}")
        report, ran = self.report(self.write("apart.yaml", other))
        self.assertEqual((report["samples"], report["delivered"]), (28, None))
        self.assertEqual({name: output["samples"] for name, output in report["outputs"].items()}, {"ones": 4, "out": 24})
        self.assertRegex(ran.stdout, r"delivered (4 to 'ones', 24 to 'out'|24 to 'out', 4 to 'ones'), skipped 0")

    def test_that_cannot_be_written_whole_leaves_the_former_one(self):
        report = self.write("report.json", "the former one")
        ran = self.headrace("run", HELLO, "--report", report, code=1, preexec_fn=no_room, restore_signals=False)
        self.assertIn(f"error: {report}: cannot write: File too large", ran.stderr)
        self.assertEqual(report.read_text(), "the former one")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["report.json"])


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

    def test_one_that_the_caller_ignores_stays_ignored(self):
        digest = self.folder / "digest"
        os.mkfifo(digest)
        with self.start("run", HELLO, "--digest", digest, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:
            self.addCleanup(process.kill)
            with open(digest) as lines:
                lines.readline()
                process.send_signal(signal.SIGINT)
                self.assertEqual(len(lines.readlines()), 2)
            process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)


class SignalsBeforeTheFirstBatch(Driven):
    """A list of files that is a pipe holds the opening of its source up for as long as the test likes."""

    def setUp(self):
        super().setUp()
        self.listing = self.folder / "listing"
        os.mkfifo(self.listing)
        self.report_file = self.folder / "report.json"

    def listed(self):
        return self.write("graph.yaml", self.graph(PHOTOS).read_text().replace(
            'root: "${vars.root}", layout: image_folder', f"list: {self.listing}"))

    def begin(self, *arguments):
        process = self.start(*arguments)
        self.addCleanup(process.kill)
        return process

    def conclude(self, process, code, patience=20):
        begun = time.monotonic()
        out, err = process.communicate(timeout=patience)
        self.assertEqual(process.returncode, code, err)
        return out, err, time.monotonic() - begun

    def assert_reported(self, out):
        self.assertRegex(out, r"^graph: 0 epochs, 0 samples in 0 batches, .*, interrupted\n")
        report = json.loads(self.report_file.read_text())
        self.assertEqual(set(report), KEYS)
        self.assertEqual((report["graph"], report["samples"]), ("graph", 0))

    def feed(self, process, number):
        """Lists files until the process is gone, having sent it the signal once it has read some."""
        lines = os.open(self.listing, os.O_WRONLY)
        try:
            for i in range(100_000):
                os.write(lines, b"cat/1.jpg 1\n" * 1000)
                if i == 20:  # more than fits into the pipe
                    process.send_signal(number)
        except BrokenPipeError:
            pass
        finally:
            os.close(lines)

    def test_stop_a_listing(self):
        for number, code, name in ((signal.SIGINT, 130, "SIGINT"), (signal.SIGTERM, 143, "SIGTERM")):
            with self.subTest(signal=name):
                process = self.begin("run", self.listed(), "--report", self.report_file)
                self.feed(process, number)
                out, err, took = self.conclude(process, code)
                self.assertEqual(err, f"interrupted by {name}: stopping (once more ends at once)\n")
                self.assertLess(took, 2)
                self.assert_reported(out)

    def test_stop_a_listing_of_peek_and_of_lint(self):
        for arguments in (["peek"], ["lint", "--data"]):
            with self.subTest(arguments=arguments):
                process = self.begin(arguments[0], self.listed(), *arguments[1:])
                self.feed(process, signal.SIGINT)
                out, err, took = self.conclude(process, 130)
                self.assertEqual((out, err), ("", "interrupted by SIGINT: stopping (once more ends at once)\n"))
                self.assertLess(took, 2)

    def test_give_up_on_what_does_not_come_back(self):
        process = self.begin("run", self.listed(), "--report", self.report_file)
        with open(self.listing, "w"):  # returns once the source has opened it, too, and waits for lines
            process.send_signal(signal.SIGINT)
            out, err, took = self.conclude(process, 130)
        self.assertEqual(err, "interrupted by SIGINT: stopping (once more ends at once)\nopening 'files' did not stop in 2 s\n")
        self.assert_reported(out)
        self.assertGreater(took, 1.5)
        self.assertLess(took, 10)

    def test_end_it_at_once_when_they_come_twice(self):
        for second, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(second=second):
                process = self.begin("run", self.listed(), "--report", self.report_file)
                with open(self.listing, "w"):
                    process.send_signal(signal.SIGINT)
                    self.assertIn("stopping", process.stderr.readline())
                    process.send_signal(second)
                    out, err, took = self.conclude(process, code)
                self.assertEqual((out, err), ("", ""))
                self.assertLess(took, 1.5)
                self.assertFalse(self.report_file.exists())

    def test_end_a_plugin_scan_and_leave_nobody_behind(self):
        source, hangs = self.write("hangs.c", "#include <unistd.h>\n__attribute__((constructor)) static void hang(void) { for (;;) pause(); }\n"), self.folder / "hangs.so"
        subprocess.run([os.environ["HEADRACE_CC"], "-shared", "-fPIC", source, "-o", hangs], check=True)
        graph = self.write("graph.yaml", self.graph(PHOTOS).read_text().replace("name: small", f"name: small\nplugins: [{hangs}]"))
        for arguments in (["run", graph, "--report", self.report_file], ["plan", graph], ["plugins", "check", hangs]):
            with self.subTest(arguments=arguments):
                process = self.begin(*arguments)
                scanner = self.child_of(process)
                process.send_signal(signal.SIGINT)
                out, err, took = self.conclude(process, 130)
                self.assertEqual(err, "interrupted by SIGINT\n")
                self.assertLess(took, 2)
                if arguments[0] == "run":
                    self.assert_reported(out)
                self.until(lambda: self.is_gone(scanner))

    def is_gone(self, process_id):
        try:
            with open(f"/proc/{process_id}/status") as status:
                return "State:\tZ" in status.read()
        except FileNotFoundError:
            return True

    def until(self, happens):
        deadline = time.monotonic() + 20
        while not (value := happens()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        return value

    def child_of(self, process):
        def children():
            found = ""
            for thread in os.listdir(f"/proc/{process.pid}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{process.pid}/task/{thread}/children") as file:
                    found += file.read()
            return found.split()
        return self.until(children)[0]


class Progress(Driven):
    def on_a_terminal(self, *arguments, heard=lambda text: None):
        """Standard error of a run whose standard error is a terminal; `heard` is told all there is each time it grows."""
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
            heard(text.decode(errors="replace"))
        os.close(ours)
        self.assertEqual(process.wait(), 0, text)
        return text.decode()

    def test_is_drawn_on_a_terminal_and_taken_away(self):
        text = self.on_a_terminal(HELLO, "--consumer-ms", "200")
        self.assertRegex(text, r"epoch 1/1 \[[#-]+\] +\d+%  \d+/24")
        self.assertRegex(text, r"samples/s")
        self.assertEqual(re.split(r"\r\x1b\[K", text)[-1], "")

    def test_says_how_far_a_long_listing_is(self):
        listing = self.folder / "listing"
        os.mkfifo(listing)
        graph = self.write("graph.yaml", f"""\
version: 1
nodes:
  files: {{op: source.files, with: {{list: {listing}}}}}
  none:  {{op: flow.filter, from: files, with: {{field: label, in: [7]}}}}
  batch: {{op: batch.stack, from: none, with: {{size: 8}}}}
outputs:
  out: {{from: batch}}
""")
        seen = threading.Event()

        def feed():
            with open(listing, "w") as lines:
                while not seen.wait(0.01):
                    lines.write("cat.jpg 1\n" * 1000)
                    lines.flush()

        feeder = threading.Thread(target=feed)
        feeder.start()
        self.addCleanup(feeder.join)
        self.addCleanup(seen.set)
        told = re.compile(r"opening 'files': \d+ files listed")
        text = self.on_a_terminal(graph, heard=lambda text: told.search(text) and seen.set())
        self.assertRegex(text, told)

    def test_is_not_drawn_elsewhere(self):
        self.assertEqual(self.headrace("run", HELLO, "--consumer-ms", "150").stderr, "")

    def test_a_pretended_step_takes_its_time(self):
        report, _ = self.report(HELLO, "--consumer-ms", "100")
        self.assertGreaterEqual(report["seconds"], 0.3)


if __name__ == "__main__":
    unittest.main()
