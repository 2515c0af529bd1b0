# SPDX-License-Identifier: Apache-2.0
"""headrace run --ledger and --only-failed: a thousand pictures of which ten are bad, and what becomes of the file."""

import json
import os
import resource
import shutil
import signal
import time
import unittest

from driven import PHOTOS, Driven

# The read skips what is no file, the decoder what is no picture.
LISTED = """\
version: 1
name: listed
runtime: {{seed: 7}}
nodes:
  files:  {{op: source.files, with: {{list: {list}, labels: false, shuffle: {shuffle}}}}}
  read:   {{op: source.read, from: files, on_error: {read}}}
  decode: {{op: image.decode, from: read, on_error: {decode}}}
  crop:   {{op: image.random_resized_crop, from: decode, with: {{size: 16}}}}
  batch:  {{op: batch.stack, from: crop, with: {{size: 10}}}}
outputs:
  out: {{from: batch, fields: [image, path]}}
"""
EPOCH_KEYS = ["epoch", "complete", "admitted", "delivered", "skipped", "dropped", "rest", "masked", "padded", "failed",
              "in_flight", "not_listed"]
FAILURE_KEYS = ["outcome", "node", "op", "reason", "path", "source", "index", "epoch", "position"]


class Ledger(Driven):
    def setUp(self):
        super().setUp()
        self.pictures = self.folder / "pictures"
        self.pictures.mkdir()
        self.ledger = self.folder / "failures.jsonl"

    def put(self, count, bad):
        """`count` pictures and a list of them; `bad` by number: a function that puts something else there."""
        whole = [self.pictures / f"whole{i}" for i in range(4)]
        for path, photo in zip(whole, sorted((PHOTOS / "cat").iterdir())):
            shutil.copy(photo, path)
        names = [f"pictures/{i:04}.jpg" for i in range(count)]
        for i, name in enumerate(names):
            if i in bad:
                bad[i](self.folder / name)
            else:
                os.link(whole[i % 4], self.folder / name)
        self.list = self.write("list.txt", "".join(name + "\n" for name in names))
        self.bad = {str(self.folder / names[i]) for i in bad}
        return names

    def thousand(self):
        photo = (PHOTOS / "cat" / "0.jpg").read_bytes()
        noise = bytes(i * i * 31 % 251 for i in range(5000))
        self.put(1000, {
            0: lambda p: p.write_bytes(b""),
            13: lambda p: p.write_text("this is no picture\n"),
            200: lambda p: p.write_bytes(photo[:len(photo) // 2]),
            201: lambda p: p.write_bytes(photo[:20]),
            333: lambda p: p.write_bytes(noise),
            500: lambda p: p.mkdir(),
            501: lambda p: p.symlink_to(self.folder / "nowhere.jpg"),
            640: lambda p: p.write_bytes(b"\xff\xd8\xff" + noise),
            871: lambda p: p.write_bytes(b"GIF89a" + noise),
            999: lambda p: p.write_bytes(photo[2:]),
        })

    def listed(self, read="skip", decode="skip", shuffle="true"):
        return self.write("listed.yaml", LISTED.format(list=self.list, read=read, decode=decode, shuffle=shuffle))

    def lines(self):
        return [json.loads(line) for line in self.ledger.read_text().splitlines()]

    def failures(self):
        return [line for line in self.lines() if "outcome" in line]

    def epochs(self):
        return [line for line in self.lines() if "admitted" in line]

    def assert_adds_up(self, epoch):
        self.assertEqual(list(epoch), EPOCH_KEYS)
        self.assertEqual(epoch["admitted"], sum(epoch[key] for key in EPOCH_KEYS[3:-1]))

    def repair(self):
        for path in self.bad:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
            shutil.copy(PHOTOS / "cat" / "1.jpg", path)

    def test_of_a_thousand_pictures_names_the_ten_that_are_bad(self):
        self.thousand()
        report, ran = self.report(self.listed(), "--ledger", self.ledger)
        self.assertEqual((report["delivered"], report["batches"], report["skipped"]), (990, 99, 10))
        header = self.lines()[0]
        self.assertEqual(list(header), ["format", "version", "headrace", "graph", "seed", "sources"])
        self.assertEqual((header["format"], header["version"], header["graph"], header["seed"]), ("headrace-ledger", 1, "listed", 7))
        self.assertEqual(header["sources"]["files"]["length"], 1000)
        self.assertEqual({line["path"] for line in self.failures()}, self.bad)
        for line in self.failures():
            self.assertEqual(list(line), FAILURE_KEYS)
            self.assertEqual((line["outcome"], line["source"], line["epoch"]), ("skipped", "files", 0))
            self.assertEqual(line["path"], str(self.folder / f"pictures/{line['index']:04}.jpg"))
            self.assertEqual(line["node"], "read" if line["index"] in (500, 501) else "decode")
            self.assertEqual(line["op"], "source.read" if line["node"] == "read" else "image.decode")
            self.assertTrue(line["reason"])
        self.assertEqual(len({line["position"] for line in self.failures()}), 10)
        [epoch] = self.epochs()
        self.assert_adds_up(epoch)
        self.assertEqual((epoch["admitted"], epoch["delivered"], epoch["skipped"], epoch["in_flight"], epoch["complete"]), (1000, 990, 10, 0, True))

    def test_of_two_epochs_at_eight_threads_has_each_failure_once_an_epoch(self):
        self.thousand()
        self.headrace("run", self.listed(), "--ledger", self.ledger, "--epochs", "2", "--set", "runtime.threads=8")
        self.assertEqual(sorted((line["epoch"], line["index"]) for line in self.failures()),
                         [(e, i) for e in range(2) for i in (0, 13, 200, 201, 333, 500, 501, 640, 871, 999)])
        for epoch in self.epochs():
            self.assert_adds_up(epoch)

    def test_a_budget_of_five_stops_with_the_list(self):
        self.thousand()
        graph = self.listed(decode="{action: skip, max_count: 5}")
        ran = self.headrace("run", graph, "--ledger", self.ledger, code=1)
        failed = [line for line in self.failures() if line["node"] == "decode"]
        self.assertEqual(len(failed), 6)
        self.assertRegex(ran.stderr, r"(?m)^\S*listed.yaml:7:3: error: node 'decode', sample \d+ of epoch 0 .*; "
                                     r"that is the first of 6 failures, and on_error allows 5 an epoch:$")
        listed = [line for line in ran.stderr.splitlines() if line.startswith("  sample ")]
        self.assertEqual(len(listed), 6)
        for line in failed:
            self.assertIn(f"  sample {line['position']} ({line['path']}): {line['reason']}", listed)
        [epoch] = self.epochs()
        self.assert_adds_up(epoch)
        self.assertFalse(epoch["complete"])
        self.assertRegex(ran.stdout, ", failed\n")

    def test_only_what_failed_is_run_again(self):
        self.thousand()
        graph = self.listed()
        self.headrace("run", graph, "--ledger", self.ledger, "--epochs", "2")
        report, _ = self.report(graph, "--only-failed", self.ledger, "--ledger", self.ledger)
        self.assertEqual((report["delivered"], report["skipped"]), (0, 10))
        self.assertEqual({line["path"] for line in self.failures()}, self.bad)
        self.repair()
        report, ran = self.report(graph, "--only-failed", self.ledger, "--ledger", self.ledger)
        self.assertEqual((report["delivered"], report["skipped"], report["batches"]), (10, 0, 1))
        self.assertEqual(self.failures(), [])
        report, ran = self.report(graph, "--only-failed", self.ledger)
        self.assertEqual(report["samples"], 0)
        self.assertEqual(ran.stderr, f"{self.ledger} lists no sample that failed: there was nothing to run\n")

    def test_a_listing_that_has_changed_since_is_an_error(self):
        names = self.put(30, {4: lambda p: p.write_bytes(b"")})
        graph = self.listed(shuffle="false")
        self.headrace("run", graph, "--ledger", self.ledger)
        os.rename(self.folder / names[4], self.folder / "pictures/renamed.jpg")
        names[4] = "pictures/renamed.jpg"
        self.list.write_text("".join(name + "\n" for name in names))
        ran = self.headrace("run", graph, "--only-failed", self.ledger, code=1)
        self.assertRegex(ran.stderr, r"error: node 'files', sample 4 of epoch 0 \(.*renamed.jpg\): the ledger, line 2, knows it as "
                                     r"'.*0004.jpg': the listing has changed since\n")
        self.list.write_text(names[0] + "\n")
        ran = self.headrace("run", graph, "--only-failed", self.ledger, code=1)
        self.assertIn("error: the ledger, line 2: sample 4 of 'files', which has 1: the listing has changed since\n", ran.stderr)

    def test_what_is_no_ledger_is_refused(self):
        self.put(10, {})
        graph = self.listed()
        ran = self.headrace("run", graph, "--only-failed", self.list, code=1)
        self.assertIn("error: the ledger, line 1: this is no ledger of version 1\n", ran.stderr)
        ran = self.headrace("run", graph, "--only-failed", self.folder / "none.jsonl", code=1)
        self.assertIn(f"error: {self.folder}/none.jsonl: cannot read: No such file or directory\n", ran.stderr)
        self.headrace("run", graph, "--only-failed", self.list, "--epochs", "2", code=2)

    def test_to_standard_output(self):
        self.put(20, {3: lambda p: p.write_bytes(b"")})
        ran = self.headrace("run", self.listed(), "--ledger", "-")
        lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        self.assertEqual([line.get("outcome") for line in lines], [None, "skipped", None])
        self.assertRegex(ran.stdout.splitlines()[3], "^listed: 1 epoch, ")

    def test_replaces_a_former_one_only_once_the_run_has_begun(self):
        self.put(20, {})
        self.ledger.write_text("the former one\n")
        graph = self.listed()
        self.headrace("run", graph, "--ledger", self.ledger, "--set", "nodes.files.with.list=/nowhere", code=1)
        self.assertEqual(self.ledger.read_text(), "the former one\n")
        self.headrace("run", graph, "--ledger", self.ledger)
        self.assertEqual(self.lines()[0]["format"], "headrace-ledger")
        self.assertEqual([p.name for p in self.folder.iterdir() if "partial" in p.name], [])

    def test_that_cannot_be_written_ends_the_run(self):
        self.put(30, {i: lambda p: p.write_bytes(b"") for i in range(10)})
        ran = self.headrace("run", self.listed(), "--ledger", "/nowhere/ledger", code=1)
        self.assertIn("error: /nowhere/ledger: cannot write: No such file or directory\n", ran.stderr)
        self.ledger.write_text("the former one\n")
        ran = self.headrace("run", self.listed(), "--ledger", self.ledger, code=1, restore_signals=False,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)))
        self.assertIn(f"error: {self.ledger}: cannot write: File too large\n", ran.stderr)
        self.assertEqual(self.ledger.read_text(), "the former one\n")

    def until(self, happens):
        deadline = time.monotonic() + 50
        while not happens():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def endless(self, graph):
        """A run without end, once the ledger has a complete epoch."""
        process = self.start("run", graph, "--ledger", self.ledger, "--epochs", "0")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.until(lambda: self.ledger.exists() and self.ledger.read_text().count('"complete":true') > 0)
        return process

    def test_survives_a_kill(self):
        self.put(50, {3: lambda p: p.write_bytes(b""), 7: lambda p: p.write_bytes(b"no")})
        graph = self.listed()
        process = self.endless(graph)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        text = self.ledger.read_text()
        for line in text[:text.rindex("\n")].splitlines():
            json.loads(line)
        report, _ = self.report(graph, "--only-failed", self.ledger)
        self.assertEqual(report["skipped"], 2)

    def test_of_a_run_that_is_interrupted_ends_with_the_epoch_as_it_stands(self):
        self.put(50, {3: lambda p: p.write_bytes(b"")})
        process = self.endless(self.listed())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=50)
        self.assertEqual(process.returncode, 130, err)
        last = self.lines()[-1]
        self.assert_adds_up(last)
        self.assertFalse(last["complete"])
        self.assertIn(", interrupted\n", out)


if __name__ == "__main__":
    unittest.main()
