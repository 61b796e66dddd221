"""halyard-flow as a process: what it refuses and how, and docs/results.md against what it writes."""
import json
import os
import re
import unittest
from pathlib import Path

from programs import ProgramTest

CASE = """program = "halyard-flow"
[domain]
cells = [8, 9, 10]
length = [1.0, 1.0, 1.0]
[fluid]
viscosity = 0.01
[initial]
u = "sin(2*pi*y)"
v = "1 / (x > 0.1)"
[time]
steps = 2
[parallel]
ranks = [2, 1]
"""


class Flow(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "case.toml").write_text(CASE)

    def refuse(self, *arguments, ranks=2):
        """Exit code 2, one message, no folder; the same by --check."""
        first = None
        for check in ([], ["--check"]):
            result = self.run_program("case.toml", "--output", "run", *arguments, *check, ranks=ranks)
            self.assertEqual(result.code, 2, result.text)
            self.assertFalse((self.folder / "run").exists())
            self.assertIn("nothing was computed", result.last_line)
            first = first or result.last_line
            self.assertEqual(result.last_line, first)
        return first


class Refusals(Flow):
    def test_a_formula_that_gives_no_velocity(self):
        # Rank 1 alone holds the spoilt cells; every rank must hear of the lowest.
        (self.folder / "case.toml").write_text(CASE.replace("x > 0.1", "y < 0.6"))
        self.assertRegex(self.refuse(), r"case.toml:9:5: initial.v is inf m/s in cell \(0, 5, 0\) at x = 0.0625, y = 0.6666")
        self.assertRegex(self.refuse("--set", "initial.v=0", "--set", "initial.w=1e200*x"),
                         r"--set initial.w=1e200\*x: initial.w is 6.25e\+198 m/s in cell \(0, 0, 0\)")

    def test_a_rank_grid_that_does_not_fit(self):
        self.assertIn("case.toml:13:9: parallel.ranks does not fit: the rank grid py x pz = 2 x 1 is not made of the 3 "
                      "ranks of this run.", self.refuse("--set", "initial.v=0", ranks=3))
        self.assertIn("case.toml:13:9: parallel.ranks does not fit: the rank grid py x pz = 2 x 1 cuts 8 x 1 x 10 cells "
                      "into blocks thinner than their halo of 1",
                      self.refuse("--set", "initial.v=0", "--set", "domain.cells=[8,1,10]"))

    def test_a_number_that_leads_out_of_range(self):
        (self.folder / "case.toml").write_text(CASE.replace("0.01", "1e308"))
        self.assertIn("case.toml:6:13: fluid.viscosity is 1e308, but must be a number of at least 0 and at most 1e+30.",
                      self.refuse("--set", "initial.v=0"))

    def test_a_file_of_faces_that_is_a_folder(self):
        (self.folder / "faces").mkdir()
        line = self.refuse("--set", "initial.v=0", "--set", "domain.stretching.kind=file", "--set",
                           "domain.stretching.file=faces")
        self.assertRegex(line, r"domain.stretching.file /.*/faces: is a folder")


class Results(Flow):
    def keys(self, value, name=""):
        if isinstance(value, dict):
            prefix = name + "." if name else ""
            return set().union(*(self.keys(inner, prefix + key) for key, inner in value.items()))
        if isinstance(value, list):
            return set().union(*(self.keys(inner, name + "[]") for inner in value))
        return {name}

    def test_every_key_of_the_summary_is_documented_and_no_other(self):
        page = (Path(os.environ["HALYARD_DOCS"]) / "results.md").read_text()
        table = page.split("## summary.json", 1)[1].split("\n## ", 1)[0]
        documented = dict(re.findall(r"^\| `([^`]+)` \| (\w+) \|", table, re.MULTILINE))
        # Where the steps take a second or more, the copy is measured too.
        result = self.run_program("case.toml", "--output", "run", "--set", "initial.v=0", "--set",
                                  "domain.cells=[64,64,64]", "--set", "time.steps=40", ranks=2)
        self.assertEqual(result.code, 0, result.text)
        summary = self.summary("run")
        unmeasured = {"kernels[].share_of_copy"} if summary["copy_bytes_per_second"] == 0 else set()
        self.assertEqual(self.keys(summary) | {"reason"} | unmeasured, set(documented))
        kinds = {"text": str, "integer": int, "number": (int, float)}
        for key, kind in documented.items():
            if "[]" not in key and key != "reason":
                value = summary
                for part in key.split("."):
                    value = value[part]
                self.assertIsInstance(value, kinds[kind], key)

    def test_every_key_of_a_failed_run_is_documented(self):
        # A fixed dt far beyond stability.
        result = self.run_program("case.toml", "--output", "run", "--set", "initial.v=0", "--set", "time.dt=1e3", "--set",
                                  "time.steps=100", "--set", "initial.noise_amplitude=1.0", ranks=2)
        self.assertEqual(result.code, 1, result.text)
        summary = json.loads((self.folder / "run/summary.json").read_text())
        self.assertEqual(summary["end"], "failed")
        self.assertIn("grows without bound", summary["reason"])
        page = (Path(os.environ["HALYARD_DOCS"]) / "results.md").read_text()
        for key in self.keys(summary):
            self.assertIn(f"| `{key}` |", page)


if __name__ == "__main__":
    unittest.main(verbosity=2)
