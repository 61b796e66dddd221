"""What scripts/bench_md.py reads from a LAMMPS log, a run folder and a case, and the ratio it makes of them."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import bench_md  # noqa: E402

LOG = """\
run 100
Per MPI rank memory allocation (min/avg/max) = 15.83 | 15.83 | 15.83 Mbytes
Step Temp PotEng
       0         1.44   -216747.78
     100   0.75745303   -184272.18
Loop time of 1.25 on 2 procs for 100 steps with 32000 atoms

Performance: 34560.000 tau/day, 80.000 timesteps/s
"""


class BenchMd(unittest.TestCase):
    def test_log(self):
        run = bench_md.read_lammps_log(LOG)
        self.assertEqual(run, {"seconds": 1.25, "ranks": 2, "steps": 100, "atoms": 32000, "potential": -216747.78})
        self.assertEqual(bench_md.rate(run), 2.56e6)
        self.assertIsNone(bench_md.read_lammps_log(LOG.replace("Loop time", "ERROR")))

    def test_run_folder(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "summary.json").write_text(json.dumps(
                {"phases": {"setup": 9.0, "step": 0.5}, "ranks": 1, "steps": 100, "items": 32000, "resident_bytes": 7}))
            (folder / "history.csv").write_text("# units: 1,epsilon\nstep,potential_energy\n0,-2.5\n100,-3\n")
            run = bench_md.read_halyard_run(folder)
        self.assertEqual((run["seconds"], run["potential"]), (0.5, -2.5))
        self.assertEqual(bench_md.rate(run), 6.4e6)

    def test_case_without_outputs(self):
        case = 'program = "halyard-md"\n[pair] # force\ncutoff = 2.5\n[output.history]\nevery_steps = 1\n' \
               '[[output.picture]]\ncolor = "speed"\n[checkpoint]\nkeep = 1\n[[stage]]\nsteps = 100\n'
        self.assertEqual(bench_md.without_outputs(case),
                         'program = "halyard-md"\n[pair] # force\ncutoff = 2.5\n[[stage]]\nsteps = 100\n')

    def test_best_against_best(self):
        def runs(*seconds):
            return [{"atoms": 10, "steps": 100, "seconds": s} for s in seconds]
        figures = bench_md.compare({"halyard": runs(2.0, 1.0), "plain": runs(5.0, 6.0), "opt": runs(4.0, 8.0)})
        self.assertEqual((figures["ratio_to_lammps"], figures["lammps_best"]), (4.0, "opt"))
        self.assertEqual((figures["atom_steps_per_s"], figures["lammps_atom_steps_per_s"]), (1000.0, 250.0))


if __name__ == "__main__":
    unittest.main()
