# SPDX-License-Identifier: Apache-2.0
"""Every graph in this folder is refused by lint, plan and run alike, with the errors that lie beside it, word for word.

HEADRACE is the built command. Commands run in this folder, so that places begin with the file's name. In the errors,
{here} is this folder and {plugins} that of the bundled plugins.
"""

import os
import pathlib
import subprocess
import unittest

HERE = pathlib.Path(__file__).resolve().parent
GRAPHS = sorted(HERE.glob("*.yaml"))


class BadGraphs(unittest.TestCase):
    maxDiff = None

    def refused(self, command, graph):
        """What is said of the graph, which must be refused: exit code 1 and nothing as a result."""
        environment = {k: v for k, v in os.environ.items() if k != "HEADRACE_PLUGIN_PATH"}
        done = subprocess.run([os.environ["HEADRACE"], command, graph.name], cwd=HERE, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=50)
        self.assertEqual(done.returncode, 1, f"{command} {graph.name}\n{done.stdout}\n{done.stderr}")
        self.assertEqual(done.stdout, "")
        plugins = pathlib.Path(os.environ["HEADRACE"]).resolve().parents[1] / "lib" / "headrace" / "plugins"
        return done.stderr.replace(str(HERE), "{here}").replace(str(plugins), "{plugins}")

    def test_there_are_at_least_twenty(self):
        self.assertGreaterEqual(len(GRAPHS), 20)

    def test_each_has_its_errors_and_no_others_lie_about(self):
        self.assertEqual({graph.stem for graph in GRAPHS}, {text.stem for text in HERE.glob("*.txt")} - {"CMakeLists"})

    def test_lint_says_exactly_what_is_wrong(self):
        for graph in GRAPHS:
            with self.subTest(graph=graph.name):
                self.assertEqual(self.refused("lint", graph), graph.with_suffix(".txt").read_text())

    def test_run_says_what_lint_says(self):
        for graph in GRAPHS:
            with self.subTest(graph=graph.name):
                self.assertEqual(self.refused("run", graph), graph.with_suffix(".txt").read_text())

    def test_plan_says_what_lint_says(self):
        for graph in GRAPHS:
            with self.subTest(graph=graph.name):
                self.assertEqual(self.refused("plan", graph), graph.with_suffix(".txt").read_text())


if __name__ == "__main__":
    unittest.main()
