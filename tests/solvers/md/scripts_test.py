"""scripts/plot/md.py and scripts/render on runs of halyard-md."""
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from programs import ProgramTest

SCRIPTS = Path(os.environ["HALYARD_SCRIPTS"])
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"  # Debian's has matplotlib and VTK


def can_import(*modules):
    return subprocess.run([PYTHON, "-c", "import " + ",".join(modules)], stderr=subprocess.DEVNULL, check=False).returncode == 0


class Scripts(ProgramTest):
    def script(self, name, *arguments):
        done = subprocess.run([PYTHON, "-B", SCRIPTS / name, *map(str, arguments)], cwd=self.folder, timeout=200,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout


@unittest.skipUnless(can_import("numpy", "matplotlib"), "numpy or matplotlib not installed")
class Plot(Scripts):
    def write_run(self, stages, rows):
        """A run folder with what md.py reads; rows: (stage, step, temperature, pressure, potential energy)."""
        run = self.folder / "run"
        run.mkdir()
        names = ["step", "time", "dt", "stage", "temperature", "pressure", "potential_energy", "kinetic_energy", "total_energy",
                 "conserved_energy", "drift", "volume"]
        lines = ["# units: 1,ps,ps,1,K,bar,eV,eV,eV,eV,eV/atom,A3", ",".join(names)]
        lines += [",".join(map(str, [step, 0.5 * step, 0.5, stage, t, p, u, 1.0, u + 1.0, u, 0.0, 1000.0]))
                  for stage, step, t, p, u in rows]
        (run / "history.csv").write_text("\n".join(lines) + "\n")
        (run / "summary.json").write_text(json.dumps({"items": 10}))
        (run / "case.toml").write_text('title = "test"\n' + "".join(
            f'[[stage]]\nname = "{name}"\nensemble = "{ensemble}"\n' for name, ensemble in stages))

    def means(self, *arguments):
        code, text = self.script("plot/md.py", "run", *arguments)
        self.assertEqual(code, 0, text)
        self.assertTrue((self.folder / "run/pictures/history.png").exists())
        found = {}
        for line in text.splitlines():
            if at := re.match(r"run: stage (\d)", line):
                stage = found.setdefault(int(at[1]), {"": line})
            elif at := re.match(r"  (\S+) +(\S+)", line):
                stage[at[1]] = float(at[2])
        return found

    def test_means_are_those_of_each_stage_without_its_start(self):
        rows = [(1, 0, 999.0, 9.0, 70.0), (1, 5, 500.0, 9.0, 50.0), (1, 10, 0.0, 9.0, -20.0)]
        # The second stage cools for 20 rows, then swings about 300; the third swings about 100 from its first row.
        swing = [4.0, -3.0, 1.0, -2.0]
        rows += [(2, 10 + n, 300.0 + max(0, 20 - n) * 50.0 + swing[n % 4], swing[n % 4], -30.0) for n in range(1, 101)]
        rows += [(3, 110 + n, 100.0 + swing[(n - 1) % 4], 7.0, -40.0) for n in range(1, 101)]
        self.write_run([("relax", "minimise"), ("cool", "nvt"), ("hold", "nve")], rows)
        found = self.means()
        self.assertIn("(relax), minimise: no means; at its end the potential energy is -2 eV/atom", found[1][""])
        self.assertIn("(cool), nvt", found[2][""])
        left_out = int(re.search(r"\((\d+) rows before are left out", found[2][""])[1])
        self.assertGreaterEqual(left_out, 19)  # row 20 has settled
        self.assertLessEqual(left_out, 25)     # the next of the starts that are tried: every 20th of the first half
        self.assertAlmostEqual(found[2]["temperature"], 300.0, delta=0.2)  # a swing cut off within its four rows
        self.assertEqual(found[2]["potential_energy/atom"], -3.0)
        self.assertNotIn("left out", found[3][""])
        self.assertEqual(found[3]["temperature"], 100.0)
        self.assertEqual(found[3]["pressure"], 7.0)

    def test_a_share_that_is_left_out_by_hand(self):
        self.write_run([("a", "nve")], [(1, n, float(n), 0.0, 0.0) for n in range(11)])
        found = self.means("--skip", "0.5")
        self.assertIn("5 rows (5 rows before are left out, as --skip 0.5 says)", found[1][""])
        self.assertEqual(found[1]["temperature"], 8.0)  # of 6 to 10: the row of the start belongs to no stage
        code, text = self.script("plot/md.py", "run", "--skip", "1")
        self.assertEqual(code, 1)
        self.assertIn("--skip is 1.0, but must be at least 0 and below 1", text)


CASE = """program = "halyard-md"
units = "lj"
title = "two kinds"
[[type]]
name = "A"
[[type]]
name = "B"
[system]
cells = [3, 3, 3]
density = 0.8
composition = [0.5, 0.5]
[velocity]
temperature = 1.0
[pair]
potential = "lj"
cutoff = 1.5
[[pair.coefficients]]
types = [1, 1]
epsilon = 1.0
sigma = 1.0
[[pair.coefficients]]
types = [2, 2]
epsilon = 1.0
sigma = 1.0
[[stage]]
steps = 4
dt = 0.005
[output.trajectory]
formats = ["vtk"]
every_steps = 2
"""


@unittest.skipUnless(can_import("numpy", "matplotlib", "vtk") and shutil.which("xvfb-run"), "VTK or Xvfb not installed")
class Render(Scripts):
    def pixels(self, picture):
        """Share of pixels near each of some colours (0 to 255), by a Python that has matplotlib."""
        count = ("import sys, json, numpy as np, matplotlib.image as m; p = m.imread(sys.argv[1])[..., :3] * 255; "
                 "h = p.max(-1) - p.min(-1); "
                 "print(json.dumps([p.shape[:2], float((h > 60).mean()), float(((h > 60) & (p[..., 2] > p[..., 0])).mean()), "
                 "float(((h > 60) & (p[..., 0] > p[..., 2])).mean())]))")
        return json.loads(subprocess.run([PYTHON, "-c", count, self.folder / picture], stdout=subprocess.PIPE, check=True).stdout)

    def test_atoms_by_type_and_by_speed(self):
        (self.folder / "case.toml").write_text(CASE)
        result = self.run_program("case.toml", "--output", "run")
        self.assertEqual(result.code, 0, result.text)
        code, text = self.script("render", "run", "--times", "1")
        self.assertEqual(code, 0, text)
        pictures = [p.name for p in (self.folder / "run/pictures").glob("atoms_*.png")]
        self.assertEqual(len(pictures), 1, pictures)
        self.assertRegex(pictures[0], "^atoms_type_.*_00000004.png$")
        size, coloured, blue, orange = self.pixels("run/pictures/" + pictures[0])
        self.assertEqual(size, [1200, 1600])
        # Types A and B are blue and orange; the slab takes some tenth of the picture, half of it each.
        self.assertGreater(coloured, 0.03)
        self.assertLess(coloured, 0.5)
        self.assertGreater(min(blue, orange), 0.25 * coloured)
        code, text = self.script("render", "run", "--color", "speed", "--times", "2", "--range", "0,3", "--radius", "0.4")
        self.assertEqual(code, 0, text)
        self.assertEqual(sorted(p.name[-12:] for p in (self.folder / "run/pictures").glob("atoms_speed_*.png")),
                         ["00000002.png", "00000004.png"])
        code, text = self.script("render", "run", "--color", "force")
        self.assertEqual(code, 1)
        self.assertIn("the frames hold no force; there are type, speed, id, mass, image", text)
        code, text = self.script("render", "run", "--color", "mass", "--range", "3,1")
        self.assertEqual(code, 1)
        self.assertIn("--range is '3,1'; it is written LOW,HIGH with LOW < HIGH", text)


if __name__ == "__main__":
    unittest.main()
