# SPDX-License-Identifier: Apache-2.0
"""What the pages say works: their commands run, their C program compiles and runs, their plugin is one that is tested.

Beside HEADRACE: HEADRACE_CC, HEADRACE_CFLAGS and HEADRACE_LIB (the folder of libheadrace.so).
"""

import os
import re
import shlex
import shutil
import subprocess
import unittest

from driven import ROOT, Driven


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)


class Docs(Driven):
    def commands(self, page):
        """Runs every line of the page's `sh` blocks that begins with headrace, in a folder where graphs/ is."""
        os.symlink(ROOT / "graphs", self.folder / "graphs")
        bin_folder = os.path.dirname(self.command)
        ran = 0
        for line in "".join(blocks(page, "sh")).splitlines():
            if not line.startswith("headrace "):
                continue
            with self.subTest(line=line):
                process = subprocess.run(
                    shlex.split(line, comments=True), cwd=self.folder, capture_output=True, text=True, timeout=50,
                    env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"})
                self.assertEqual(process.returncode, 0, process.stderr)
                ran += 1
        return ran

    def test_commands_of_the_command_line_page(self):
        self.assertGreater(self.commands("docs/command_line.md"), 10)

    def test_commands_of_the_readme(self):
        self.assertGreater(self.commands("README.md"), 3)

    def test_program_of_the_embedding_page(self):
        (source,) = blocks("docs/embed_c.md", "c")
        file, program = self.write("program.c", source), self.folder / "program"
        library = os.environ["HEADRACE_LIB"]
        subprocess.run([os.environ["HEADRACE_CC"], *shlex.split(os.environ.get("HEADRACE_CFLAGS", "")), "-std=c11", "-Wall", "-Wextra",
                        f"-I{ROOT}/sdk/include", file, f"-L{library}", "-lheadrace", f"-Wl,-rpath,{library}", "-o", program], check=True)
        ran = subprocess.run([program], cwd=ROOT, capture_output=True, text=True, timeout=50)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(ran.stdout, "".join(f"batch {i}: 8 pictures\n" for i in range(3)))

    def test_graph_of_the_format_page(self):
        (text,) = blocks("docs/graph_format.md", "yaml")
        # The page's stranger, and the folder that `graph_dir` would be, are not here.
        text = text.replace("plugins: [acme_aug]\n", "").replace("${graph_dir}", str(ROOT / "graphs"))
        graph = self.write("graph.yaml", text)
        self.headrace("lint", "--data", graph)
        report, _ = self.report(graph, "--profile", "debug")
        self.assertEqual(report["samples"], 24)

    def test_error_of_the_format_page(self):
        (text,) = blocks("docs/graph_format.md", "yaml")
        graph = self.write("graph.yaml", text.replace("scale:", "scael:").replace("plugins: [acme_aug]\n", "\n"))
        ran = self.headrace("lint", graph, code=1)
        (line,) = [line for line in ran.stderr.splitlines() if "scael" in line]
        self.assertIn(f"\n    {line.replace(str(self.folder) + '/', '')}\n", (ROOT / "docs/graph_format.md").read_text())

    def test_plugin_of_the_readme_is_the_one_that_the_package_test_builds(self):
        (source,) = blocks("README.md", "cpp")
        tested = (ROOT / "tests/package/thirdparty/invert.cpp").read_text()
        self.assertIn(source.strip(), tested)
        self.assertLessEqual(len([line for line in source.splitlines() if line.strip()]), 25)

    def test_links_lead_somewhere(self):
        for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
            for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
                if not target.startswith("http"):
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_picture_of_the_readme_is_of_the_graph_as_it_is(self):
        if shutil.which("dot") is None:
            self.skipTest("no Graphviz")
        dot = self.headrace("graph", "graphs/hello.yaml", "-f", "dot").stdout
        svg = (ROOT / "docs/pictures/hello.svg").read_text()
        for label in re.findall(r"<B>(.*?)</B>", dot):
            self.assertIn(f">{label}</text>", svg)


if __name__ == "__main__":
    unittest.main()
