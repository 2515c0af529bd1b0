# SPDX-License-Identifier: Apache-2.0
"""headrace run --checkpoint and --resume: whatever ends a run, another one goes on with exactly the rest."""

import collections
import json
import os
import signal
import time
import unittest

from driven import Driven

# 1,003 numbers in a new order each epoch, made far ahead of the consumer.
NUMBERS = """\
version: 1
name: numbers
nodes:
  count: {op: source.range, with: {n: 1003, shuffle: true}}
  batch: {op: batch.stack, from: count, with: {size: 10, last: partial}, tokens: 40}
outputs: {out: {from: batch, prefetch: 30}}
"""
BATCHES = 101  # an epoch's


class Resume(Driven):
    def digest(self, name, graph, *arguments, **options):
        path = self.folder / name
        self.headrace("run", graph, "--digest", path, *arguments, **options)
        return path.read_text().splitlines()

    def killed(self, graph, lines, *arguments):
        """The digest of a run that is killed once it has consumed so many batches; it checkpoints each."""
        path, checkpoint = self.folder / "killed.txt", self.folder / "checkpoint.json"
        path.unlink(missing_ok=True)
        checkpoint.unlink(missing_ok=True)
        with self.start("run", graph, "--digest", path, "--checkpoint", checkpoint, "--every", 1,
                        "--consumer-ms", 2, *arguments) as process:
            end = time.monotonic() + 50
            while process.poll() is None and time.monotonic() < end:
                done = path.read_text().count("\n") if path.exists() else -1
                if done >= lines:
                    break
            process.kill()
            process.communicate()
        return path.read_text().splitlines() if path.exists() else []

    def expect_union(self, graph, whole, before, *arguments):
        """Goes on behind the checkpoint; what both runs consumed must be the whole, once."""
        checkpoint = self.folder / "checkpoint.json"
        after = self.digest("after.txt", graph, *arguments, "--checkpoint", checkpoint, "--resume", checkpoint)
        kept = len(whole) - len(after)
        self.assertEqual(after, whole[kept:])
        self.assertEqual(before, whole[:len(before)])
        # A line is flushed before the checkpoint that covers it.
        self.assertIn(len(before) - kept, (0, 1))

    def test_a_killed_run_goes_on_with_exactly_the_rest(self):
        graph = self.write("graph.yaml", NUMBERS)
        whole = self.digest("whole.txt", graph, "--epochs", 3)
        self.assertEqual(len(whole), 3 * BATCHES)
        for lines in (0, 1, 50, BATCHES - 1, BATCHES, BATCHES + 1, 3 * BATCHES):
            with self.subTest(batches=lines):
                before = self.killed(graph, lines, "--epochs", 3)
                self.expect_union(graph, whole, before, "--epochs", 3)

    def test_pictures_with_failures_are_the_same_too(self):
        root = self.photos()
        (root / "coffee" / "empty.jpg").write_bytes(b"")
        (root / "coffee" / "text.jpg").write_text("no picture")
        graph = self.graph(root, decode=", on_error: skip")
        epochs = ("--epochs", 3, "--set", "runtime.seed=5", "--set", "nodes.files.with.shuffle=true")
        whole = self.digest("whole.txt", graph, *epochs, "--set", "runtime.threads=1", "--set", "runtime.fuse=false")
        for lines in (1, 4, 7, 11):
            with self.subTest(batches=lines):
                before = self.killed(graph, lines, *epochs)
                self.expect_union(graph, whole, before, *epochs)

    def ranks(self, graph, name, world, *arguments):
        """A process a rank, each with a digest of its own."""
        started = []
        for rank in range(world):
            environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world)}
            started.append(self.start("run", graph, "--epochs", 2, "--digest", self.folder / f"{name}.{rank}",
                                      *arguments, env=environment))
        return started

    def lines(self, name, world):
        return [(self.folder / f"{name}.{rank}").read_text().splitlines() for rank in range(world)]

    def test_killed_ranks_go_on_as_fewer_or_more(self):
        # A sample a batch, so that a line of a digest is a sample: of padding the mask makes it another.
        graph = self.write("graph.yaml", NUMBERS.replace("size: 10, last: partial", "size: 1, last: pad"))
        whole = [line.split() for line in self.digest("whole.txt", graph, "--epochs", 2)]
        self.assertEqual(len(whole), 2 * 1003)
        checkpoint, every = self.folder / "checkpoint.json", 25
        killed = self.ranks(graph, "before", 4, "--checkpoint", checkpoint, "--every", every, "--consumer-ms", 20)
        for rank, process in enumerate(killed):
            path = self.folder / f"checkpoint.json.{rank}-of-4"
            while not path.exists():
                self.assertIsNone(process.poll())
            process.kill()
        for process in killed:
            process.communicate()
        before = [lines[:every] for lines in self.lines("before", 4)]
        for world in (4, 2, 8):
            with self.subTest(ranks=world):
                for process in self.ranks(graph, f"after{world}", world, "--resume", checkpoint, "--resume-anyway"):
                    self.assertEqual(process.wait(timeout=50), 0, process.communicate())
                after = self.lines(f"after{world}", world)
                self.assertEqual(len({len(lines) for lines in after}), 1, "ranks made unequal steps")
                given = collections.Counter()
                for line in (line for lines in before + after for line in lines):
                    epoch, _, _, digest = line.split()
                    given[epoch, digest] += 1
                for epoch, _, _, digest in whole:
                    self.assertEqual(given.pop((epoch, digest), 0), 1, "a sample was lost or doubled")
                self.assertLess(sum(given.values()), 2 * world, "more than padding was made up")

    def test_a_missing_rank_is_named(self):
        graph = self.write("graph.yaml", NUMBERS)
        checkpoint = self.folder / "checkpoint.json"
        for process in self.ranks(graph, "before", 2, "--checkpoint", checkpoint, "--set", "nodes.batch.with.last=drop"):
            process.communicate(timeout=50)
        (self.folder / "checkpoint.json.0-of-2").unlink()
        (self.folder / "checkpoint.json.0-of-2.previous").unlink(missing_ok=True)
        ran = self.headrace("run", graph, "--resume", checkpoint, "--set", "nodes.batch.with.last=drop", code=1)
        self.assertIn("checkpoint.json.0-of-2: is missing; the other ranks' checkpoints are there", ran.stderr)

    def test_an_interrupted_run_leaves_its_checkpoint(self):
        graph = self.write("graph.yaml", NUMBERS)
        whole = self.digest("whole.txt", graph, "--epochs", 3)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number):
                path, checkpoint = self.folder / "before.txt", self.folder / "checkpoint.json"
                checkpoint.unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                with self.start("run", graph, "--epochs", 3, "--digest", path, "--checkpoint", checkpoint,
                                "--every", 1000000, "--consumer-ms", 2) as process:
                    while not path.exists() or path.read_text().count("\n") < 20:
                        self.assertIsNone(process.poll())
                    process.send_signal(number)
                    process.communicate(timeout=50)
                self.assertEqual(process.returncode, code)
                before = path.read_text().splitlines()
                after = self.digest("after.txt", graph, "--epochs", 3, "--resume", checkpoint)
                self.assertEqual(before + after, whole)

    def test_outputs_that_are_not_equally_far_go_on_each_from_its_own_place(self):
        text = NUMBERS.replace("outputs: {out: {from: batch, prefetch: 30}}",
                               "  seven: {op: batch.stack, from: count, with: {size: 7}}\n"
                               "outputs: {tens: {from: batch}, sevens: {from: seven}}")
        graph = self.write("graph.yaml", text)
        self.headrace("run", graph, "--digest", self.folder / "whole.txt", "--epochs", 2)
        checkpoint = self.folder / "checkpoint.json"
        with self.start("run", graph, "--digest", self.folder / "before.txt", "--checkpoint", checkpoint, "--every", 7,
                        "--consumer-ms", 1, "--epochs", 2) as process:
            while not checkpoint.exists():
                self.assertIsNone(process.poll())
            process.kill()
            process.communicate()
        points = json.loads(checkpoint.read_text())["outputs"]
        self.headrace("run", graph, "--digest", self.folder / "after.txt", "--resume", checkpoint, "--epochs", 2)
        for output in ("tens", "sevens"):
            whole = (self.folder / f"whole.txt.{output}").read_text().splitlines()
            before = (self.folder / f"before.txt.{output}").read_text().splitlines()
            after = (self.folder / f"after.txt.{output}").read_text().splitlines()
            step = points[output]["step"]
            self.assertEqual(points[output]["epoch"], 0)
            self.assertGreaterEqual(len(before), step)
            self.assertEqual(before[:step] + after, whole)

    def test_a_finished_run_has_nothing_left(self):
        graph = self.write("graph.yaml", NUMBERS)
        checkpoint = self.folder / "checkpoint.json"
        self.headrace("run", graph, "--checkpoint", checkpoint)
        self.assertEqual(self.digest("after.txt", graph, "--resume", checkpoint), [])
        whole = self.digest("whole.txt", graph, "--epochs", 2)
        self.assertEqual(self.digest("more.txt", graph, "--resume", checkpoint, "--epochs", 2), whole[BATCHES:])

    def test_what_differs_is_said_and_can_be_overridden(self):
        graph = self.write("graph.yaml", NUMBERS)
        checkpoint = self.folder / "checkpoint.json"
        self.headrace("run", graph, "--checkpoint", checkpoint)
        ran = self.headrace("run", graph, "--resume", checkpoint, "--set", "runtime.seed=3", "--epochs", 2, code=1)
        self.assertIn("runtime.seed was 0 and is 3", ran.stderr)
        self.headrace("run", graph, "--resume", checkpoint, "--set", "runtime.seed=3", "--epochs", 2, "--resume-anyway")

    def test_wrong_uses_are_refused(self):
        graph = self.write("graph.yaml", NUMBERS)
        checkpoint = self.folder / "checkpoint.json"
        self.headrace("run", graph, "--every", 3, code=2)
        self.headrace("run", graph, "--checkpoint", checkpoint, "--every", 0, code=2)
        self.headrace("run", graph, "--resume-anyway", code=2)
        ran = self.headrace("run", graph, "--resume", checkpoint, code=1)
        self.assertIn(f"error: {checkpoint}: there is no checkpoint", ran.stderr)
        ran = self.headrace("run", graph, "--checkpoint", checkpoint, "--resume", checkpoint)
        self.assertIn("is not there yet", ran.stderr)
        text = checkpoint.read_text()
        for damaged in (text[:len(text) // 2], text.replace('"seed":0', '"seed":1'), "", "{}"):
            checkpoint.write_text(damaged)
            ran = self.headrace("run", graph, "--resume", checkpoint, code=1)
            self.assertRegex(ran.stderr, "error: .*no checkpoint that can be used: ")
        for option in ("--resume", "--only-failed"):
            ran = self.headrace("run", graph, option, "/dev/zero", code=1)
            self.assertIn("error: /dev/zero: cannot read: it is no regular file", ran.stderr)
        ran = self.headrace("run", graph, "--checkpoint", "/nowhere/c.json", code=1)
        self.assertIn("error: /nowhere/c.json: cannot write: ", ran.stderr)
        ran = self.headrace("run", graph, "--checkpoint", checkpoint, "--set", "runtime.order=any", code=1)
        self.assertIn("no checkpoint can be taken: ", ran.stderr)


if __name__ == "__main__":
    unittest.main()
