# SPDX-License-Identifier: Apache-2.0
"""Usage, versions and what is the same for every subcommand."""

import json
import os
import shutil
import unittest

from driven import GRAPHS, Driven

HELLO = GRAPHS / "hello.yaml"


class Usage(Driven):
    def test_wrong_usage_ends_with_2(self):
        for arguments in (
                [], ["fly"], ["run"], ["run", HELLO, "--epochs", "many"], ["run", HELLO, "--epochs", "-1"],
                ["run", HELLO, "extra"], ["lint", HELLO, "--no-such-option"], ["graph", HELLO, "-f", "gif"],
                ["peek", HELLO, "-o", "sheet.bmp"], ["run", HELLO, "--log-level", "loud"],
                ["plugins", "check"], ["run", HELLO, "--consumer-ms", "-5"]):
            with self.subTest(arguments=arguments):
                ran = self.headrace(*arguments, code=2)
                self.assertEqual(ran.stdout, "")
                self.assertNotEqual(ran.stderr, "")

    def test_names_the_word_at_fault_and_what_it_may_have_been_meant_to_be(self):
        for arguments, said in (
                (["nonsense"], "headrace: there is no subcommand 'nonsense' (there are run, lint, plan, graph, peek, inspect, plugins)"),
                (["inspekt"], "headrace: there is no subcommand 'inspekt' (did you mean 'inspect'?)"),
                (["plugins", "chek", "x.so"], "headrace plugins: there is no subcommand 'chek' (did you mean 'check'?)"),
                ([], "headrace: a subcommand is missing (there are run, lint, plan, graph, peek, inspect, plugins)"),
                (["run", "--epoch", "2", HELLO], "headrace run: unknown option '--epoch' (did you mean '--epochs'?)"),
                (["run", "--epoch=2", HELLO], "headrace run: unknown option '--epoch' (did you mean '--epochs'?)"),
                (["run", "--frobnicate"], "headrace run: unknown option '--frobnicate'"),
                (["--verson"], "headrace: unknown option '--verson' (did you mean '--version'?)"),
                (["lint", HELLO, "extra"], "headrace lint: unexpected word 'extra'"),
                (["run", HELLO, "--epochs"], "headrace run: --epochs needs a value"),
                (["run", HELLO, "--set="], "headrace run: --set needs a value"),
                (["run"], "headrace run: graph is required")):
            with self.subTest(arguments=arguments):
                ran = self.headrace(*arguments, code=2)
                name = said.split(":")[0]
                self.assertEqual(ran.stderr, f"error: {said}; '{name} --help' says more\n")

    def test_numbers_are_decimal_and_within_bounds_that_are_named(self):
        for option, wrong, bounds in (
                ("run --epochs", ["-1", "1.5", "0x10", "1e3", " 1", "nan", "4294967296", "99999999999999999999999"],
                 "a whole number from 0 to 4294967295"),
                ("peek --batch", ["-1", "one", "9223372036854775808", "18446744073709551617"], "a whole number from 0 to 9223372036854775807"),
                ("run --consumer-ms", ["-5", "nan", "inf", "-inf", "1e300", "86400000.5", "5s"], "milliseconds from 0 to 86400000")):
            command, name = option.split()
            for number in wrong:
                with self.subTest(option=option, number=number):
                    ran = self.headrace(command, HELLO, f"{name}={number}", code=2)
                    self.assertEqual(ran.stderr, f"error: headrace {command}: {name} wants {bounds}, not '{number}'; 'headrace {command} --help' says more\n")
        self.headrace("run", HELLO, "--epochs", "010", "--consumer-ms", "0.5", "--log-level", "warning")
        self.assertIn("no batch 9223372036854775807:", self.headrace("peek", HELLO, "--batch", "9223372036854775807", code=1).stderr)

    def test_help_that_cannot_be_written_is_an_error(self):
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["plan", HELLO], ["lint", HELLO], ["inspect"], ["plugins"], ["peek", HELLO]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                ran = self.headrace(*arguments, code=1, stdout=full)
                self.assertEqual(ran.stderr, "error: cannot write to standard output: No space left on device\n")

    def test_help_ends_with_0(self):
        self.assertIn("run", self.headrace("--help").stdout)
        for command in "run lint plan graph peek inspect plugins".split():
            with self.subTest(command=command):
                text = self.headrace(command, "--help").stdout
                self.assertIn("--log-level", text)
                if command != "plugins":
                    self.assertIn("--set", text)
                    self.assertIn("--profile", text)

    def test_version_names_the_abi_and_the_libraries(self):
        lines = self.headrace("--version").stdout.splitlines()
        self.assertRegex(lines[0], r"^headrace \d+\.\d+\.\d+$")
        self.assertRegex(lines[1], r"^ABI \d+\.\d+$")
        for library in "oneTBB yaml-cpp Boost fmt spdlog nlohmann-json".split():
            self.assertRegex("\n".join(lines), rf"(?m)^{library} \d+\.\d+")

    def test_a_graph_that_is_not_there_is_a_fault_of_the_graph(self):
        ran = self.headrace("run", self.folder / "none.yaml", code=1)
        self.assertIn(f"{self.folder}/none.yaml: error: ", ran.stderr)
        self.assertEqual(ran.stdout, "")


class StandardStreams(Driven):
    """Those that are closed, and those whose other end is."""

    def closed(self, *numbers):
        def close():
            for number in numbers:
                os.close(number)
        return close

    def test_closed_ones_do_not_become_files_of_ours(self):
        digest, report = self.folder / "digest.txt", self.folder / "report.json"
        broken = self.photos()
        (broken / "cat" / "1.jpg").write_bytes(b"no picture")  # so that there is something to say
        graph = self.graph(broken, ", on_error: {action: skip}")
        for numbers in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
            with self.subTest(closed=numbers):
                ran = self.headrace("run", graph, "--digest", digest, "--report", report, "-v",
                                    code=1 if 1 in numbers else 0, preexec_fn=self.closed(*numbers))
                for line in digest.read_text().splitlines():
                    self.assertRegex(line, r"^0 \d+ \d+ [0-9a-f]{32}$")
                self.assertEqual(json.loads(report.read_text())["skipped"], 1)
                if 2 not in numbers:
                    self.assertIn("skipped: node 'decode'", ran.stderr)
                    self.assertEqual("error: cannot write to standard output: it is closed\n" in ran.stderr, 1 in numbers)

    def test_a_reader_that_has_enough_is_no_error(self):
        for arguments in (["plan", HELLO], ["--help"], ["inspect", "--json"], ["run", HELLO, "--report", "-"], ["lint", HELLO], ["peek", HELLO]):
            with self.subTest(arguments=arguments):
                reading, writing = os.pipe()
                os.close(reading)
                self.addCleanup(os.close, writing)
                self.assertEqual(self.headrace(*arguments, stdout=writing).stderr, "")

    def test_a_reader_of_messages_that_is_gone_changes_nothing(self):
        reading, writing = os.pipe()
        os.close(reading)
        self.addCleanup(os.close, writing)
        self.headrace("lint", self.folder / "none.yaml", code=1, stderr=writing)
        self.assertEqual(self.headrace("lint", HELLO, "-v", stderr=writing).stdout, f"{HELLO}: ok\n")


class GraphFile(Driven):
    def test_that_is_no_regular_file_is_refused_and_not_waited_for(self):
        pipe = self.folder / "graph.yaml"
        os.mkfifo(pipe)
        including = self.write("including.yaml", f"version: 1\ninclude: {pipe}\n")
        for file in (pipe, "/dev/zero", "/dev/tty", self.folder, including):
            for command in ("run", "lint", "plan", "graph", "peek"):
                with self.subTest(file=file, command=command):
                    ran = self.headrace(command, file, code=1)
                    self.assertRegex(ran.stderr, r"error: cannot .*: it is (no regular file \(write the graph to one first\)|a directory)\n")

    def test_whose_name_is_no_utf8_is_named_in_escapes(self):
        name = os.fsencode(self.folder) + b"/\xff\x1b.yaml"
        for command in ("run", "lint", "plan"):
            ran = self.headrace(command, os.fsdecode(name), code=1)
            self.assertTrue(ran.stderr.startswith(f"{self.folder}/\\xff\\x1b.yaml: error: cannot read the graph"), ran.stderr)
        found = json.loads(self.headrace("lint", "--json", os.fsdecode(name), code=1).stdout)
        self.assertEqual(len(found), 1)
        shutil.copy(HELLO, name)
        root = f"vars.root={GRAPHS / 'photos'}"
        self.headrace("run", os.fsdecode(name), "--set", root, "--report", self.folder / "report.json")
        json.loads((self.folder / "report.json").read_text())
        json.loads(self.headrace("plan", "--json", os.fsdecode(name), "--set", root).stdout)
        self.headrace("graph", os.fsdecode(name), "--set", root)


class Lint(Driven):
    def test_says_ok(self):
        self.assertEqual(self.headrace("lint", HELLO).stdout, f"{HELLO}: ok\n")

    def test_shows_every_error_at_its_place(self):
        graph = self.write("bad.yaml", HELLO.read_text().replace("size: 128", "sise: 128").replace("op: source.read", "op: source.reed"))
        ran = self.headrace("lint", graph, code=1)
        self.assertEqual(ran.stdout, "")
        self.assertRegex(ran.stderr, r"(?m)^\S+bad\.yaml:\d+:\d+: error: .*source\.reed.*did you mean 'source\.read'")
        self.assertRegex(ran.stderr, r"(?m)^\S+bad\.yaml:\d+:\d+: error: .*'sise'.*did you mean 'size'")

    def test_json_is_for_programs(self):
        graph = self.write("bad.yaml", HELLO.read_text().replace("size: 128", "sise: 128"))
        ran = self.headrace("lint", graph, "--json", code=1)
        found = json.loads(ran.stdout)
        self.assertEqual(ran.stderr, "")
        typo = [d for d in found if "'sise'" in d["text"]]
        self.assertEqual(len(typo), 1)
        self.assertEqual(set(typo[0]), {"file", "line", "column", "severity", "text"})
        self.assertEqual(typo[0]["file"], str(graph))
        self.assertEqual(graph.read_text().splitlines()[typo[0]["line"] - 1][typo[0]["column"] - 1:][:4], "sise")
        self.assertEqual(json.loads(self.headrace("lint", HELLO, "--json").stdout), [])

    def test_every_command_refuses_what_lint_refuses(self):
        graph = self.write("bad.yaml", HELLO.read_text().replace("size: 128", "sise: 128"))
        verdict = self.headrace("lint", graph, code=1).stderr
        for arguments in (["run"], ["plan"], ["graph"], ["peek"], ["plan", "--json"]):
            ran = self.headrace(arguments[0], graph, *arguments[1:], code=1)
            self.assertEqual(ran.stderr, verdict)
            self.assertEqual(ran.stdout, "")

    def test_data_is_looked_at_when_asked(self):
        graph = self.graph(self.folder / "nowhere")
        self.headrace("lint", graph)
        ran = self.headrace("lint", "--data", graph, code=1)
        self.assertRegex(ran.stderr, r"(?m)^\S+graph\.yaml:5:3: error: node 'files': .*nowhere")
        self.assertEqual(self.headrace("lint", "--data", HELLO).stdout, f"{HELLO}: ok\n")


class PlanAndGraph(Driven):
    def test_plan_says_what_is_fused_and_that_nothing_is_copied(self):
        text = self.headrace("plan", HELLO).stdout
        for word in ("fused", "zero-copy", "decode", "norm"):
            self.assertIn(word, text)
        plan = json.loads(self.headrace("plan", HELLO, "--json").stdout)
        self.assertEqual(plan["name"], "hello")
        self.assertEqual([n["name"] for n in plan["nodes"]], ["files", "read", "decode", "crop", "flip", "norm", "batch"])

    def test_set_and_profile_reach_the_graph(self):
        graph = GRAPHS / "imagenet_train.yaml"
        self.assertIn("batch.stack, 8 records a batch", self.headrace("plan", graph, "--profile", "debug").stdout)
        text = self.headrace("plan", graph, "--set", "vars.batch=5", "--set", "vars.size=64").stdout
        self.assertIn("batch.stack, 5 records a batch", text)
        self.assertIn("float32[3, 64, 64]", text)
        self.assertIn("debug", self.headrace("plan", graph, "--profile", "debgu", code=1).stderr)

    def test_graph_writes_text_and_a_picture(self):
        dot = self.headrace("graph", HELLO).stdout
        self.assertTrue(dot.startswith("digraph"))
        self.assertIn("<B>decode</B>", dot)
        self.assertIn("zero-copy", dot)
        picture = self.folder / "hello.svg"
        self.headrace("graph", HELLO, "-o", picture)
        svg = picture.read_text()
        self.assertIn("<svg", svg)
        self.assertIn("prefers-color-scheme: dark", svg)
        self.assertIn("image.decode", svg)

    def test_without_graphviz_says_what_to_install(self):
        ran = self.headrace("graph", HELLO, "-f", "svg", code=1, env={"HEADRACE": "", "PATH": "/nowhere"})
        self.assertIn("apt-get install graphviz", ran.stderr)


class Inspect(Driven):
    def test_lists_the_ops(self):
        text = self.headrace("inspect").stdout
        for op in ("source.files", "image.decode", "batch.stack", "flow.zip"):
            self.assertRegex(text, rf"(?m)^{op}\s")
        ops = json.loads(self.headrace("inspect", "--json").stdout)["ops"]
        self.assertIn("image.decode", [op["name"] for op in ops])

    def test_shows_an_op_in_full(self):
        text = self.headrace("inspect", "image.random_resized_crop").stdout
        self.assertRegex(text, r"(?m)^scale\s.*\[0\.08, 1\.0\]")
        op = json.loads(self.headrace("inspect", "image.random_resized_crop", "--json").stdout)
        scale = [p for p in op["params"] if p["name"] == "scale"][0]
        self.assertEqual((scale["type"], scale["list"], scale["default"]), ("float", True, "[0.08, 1.0]"))

    def test_lists_the_ops_that_an_op_is_made_of(self):
        text = self.headrace("inspect", "image.random_apply").stdout
        self.assertRegex(text, "transforms +list of op +required")
        self.assertIn("\nops for transforms\n  image.invert\n", text)
        self.assertIn("reads    image: uint8", text)

    def test_names_the_nearest_op(self):
        ran = self.headrace("inspect", "image.decod", code=1)
        self.assertIn("did you mean 'image.decode'?", ran.stderr)


class Plugins(Driven):
    def test_lists_what_was_found(self):
        text = self.headrace("plugins").stdout
        for plugin in ("source", "flow", "image", "batch"):
            self.assertRegex(text, rf"(?m)^{plugin}\s+\d+\.\d+\.\d+\s+1\.\d+\s+\d+\s+ok\s+/")
        listed = json.loads(self.headrace("plugins", "--json").stdout)
        self.assertTrue(all(plugin["ok"] for plugin in listed), listed)

    def test_says_why_one_was_refused(self):
        broken = self.write("plugins/broken.so", b"\x7fELF no library")
        ran = self.headrace("plugins", env={"HEADRACE": "", "PATH": "/usr/bin", "HEADRACE_PLUGIN_PATH": str(broken.parent)})
        self.assertRegex(ran.stdout, r"(?m)^broken\s.*refused")
        self.assertIn(f"{broken}: ", ran.stdout)

    def test_check_tells_sound_from_broken(self):
        sound = [p["path"] for p in json.loads(self.headrace("plugins", "--json").stdout) if p["name"] == "image"][0]
        self.assertIn("sound", self.headrace("plugins", "check", sound).stdout)
        broken = self.write("broken.so", b"no library")
        ran = self.headrace("plugins", "check", broken, code=1)
        self.assertIn(f"{broken}: error: ", ran.stderr)
        self.assertFalse(json.loads(self.headrace("plugins", "check", broken, "--json", code=1).stdout)["ok"])

    def test_a_missing_plugin_is_an_error_at_its_place(self):
        graph = self.write("graph.yaml", HELLO.read_text().replace("name: hello", "name: hello\nplugins: [acme_aug]"))
        ran = self.headrace("run", graph, code=1)
        self.assertRegex(ran.stderr, r"(?m)^\S+graph\.yaml:\d+:\d+: error: .*acme_aug")


if __name__ == "__main__":
    unittest.main()
