"""The programs' frame with a solver that has no grid, prescribes dt by stages and ends the run itself
(toy_particles.cpp)."""
import math
import re
import unittest

from programs import ProgramTest

# Speeds of up to 1000 fall below 1 in 10 halvings: steps 1 to 10 pass no time.
CASE = """program = "halyard-toy-particles"
[ring]
points = 5
[[stage]]
steps = 7
dt = 0.1
[[stage]]
steps = 0
dt = 0.3
[[stage]]
steps = 13
dt = 0.003
[[stage]]
steps = 4
dt = 0.1
"""
MINIMISE, STEPS = 10, 34


def time_after(step):
    """As exact as one multiplication a stage: origin + n dt."""
    time, first = 0.0, MINIMISE
    for steps, dt in ((7, 0.1), (13, 0.003), (4, 0.1)):
        n = min(max(step - first, 0), steps)
        time, first = time + n * dt, first + steps
    return time


class Particles(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "case.toml").write_text(CASE)

    def succeed(self, *arguments, **options):
        result = self.run_program("case.toml", *arguments, **options)
        self.assertEqual(result.code, 0, result.text)
        return result

    def frames(self, run):
        name = self.folder.name
        return [line.split() for line in (self.folder / run / f"{name}_frames.txt").read_text().splitlines()]

    def test_stages_end_the_run_on_any_number_of_ranks(self):
        for ranks in (1, 2, 3, 4, 7):  # 7: more ranks than points
            run = f"run{ranks}"
            result = self.succeed("--output", run, "--set", "health.every_steps=1", ranks=ranks,
                                  timeout=200)  # more ranks than cores
            summary = self.summary(run)
            self.assertEqual((summary["end"], summary["steps"]), ("finished", STEPS))
            self.assertEqual(summary["rate"]["unit"], "Matom/s")
            self.assertEqual(summary["state_hash"], self.summary("run1")["state_hash"])
            self.assertEqual(self.history(run), self.history("run1"))
            self.assertEqual(self.frames(run), self.frames("run1"))
            self.assertEqual(result.out.count("step 0: the first frame"), 1)
            self.assertNotIn("stability", result.out)
        header, *rows = self.history("run1")
        steps = [int(row[0]) for row in rows]
        self.assertEqual(steps, list(range(0, STEPS, 3)) + [STEPS])
        columns = {name: [float(row[i]) for row in rows] for i, name in enumerate(header)}
        self.assertEqual(columns["time"], [time_after(step) for step in steps])  # the very doubles
        self.assertEqual(columns["dt"][:4], [0.0] * 4)
        # The row at the start comes without a step before it; all others were announced to the solver.
        self.assertEqual(columns["known"], [0.0] + [1.0] * (len(rows) - 1))
        self.assertEqual(columns["told"], [1.0] * len(rows))
        self.assertIn("ps", (self.folder / "run1/history.csv").read_text().splitlines()[0])
        # Every fourth step, and the end, which is none of these.
        self.assertEqual([int(frame[0]) for frame in self.frames("run1")], list(range(0, STEPS, 4)) + [STEPS])
        # The last point: 1000 / 2^10 nm/ps from x = 4/5 (5 * 4 mod 5 = 0: at 0).
        expected = math.fmod(1000 / 2**10 * time_after(STEPS), 1.0)
        self.assertAlmostEqual(float(self.frames("run1")[-1][-1]), expected, delta=1e-13)  # 34 additions below 1

    def test_a_restart_anywhere_is_the_uninterrupted_run(self):
        self.succeed("--output", "whole")
        for stop, ranks in ((4, 3), (MINIMISE, 1), (17, 2), (22, 7), (STEPS - 1, 2)):
            run = f"stop{stop}"
            self.succeed("--output", run, "--steps", stop, ranks=ranks)
            self.assertEqual(self.summary(run)["steps"], stop)
            result = self.succeed("--output", run, ranks=2 if ranks == 1 else 1)
            self.assertRegex(result.out, rf"restart from .*step {stop}, t = .* ps")
            self.assertEqual(self.summary(run)["state_hash"], self.summary("whole")["state_hash"], stop)
            whole = [row for row in self.history("whole")]
            keep = [i for i, name in enumerate(whole[0]) if name not in ("known", "told")]
            strip = lambda rows: [[row[i] for i in keep] for row in rows]
            self.assertEqual(strip(self.history(run)), strip(whole), stop)
            self.assertEqual(self.frames(run), self.frames("whole"), stop)
        again = self.succeed("--output", "whole")  # finished is finished
        self.assertIn(f"finished: {STEPS} steps", again.last_line)

    def test_the_resolved_case_gives_the_same_run(self):
        self.succeed("--output", "a", "--steps", 12)
        (self.folder / "case.toml").write_text((self.folder / "a/case.toml").read_text())
        self.succeed("--output", "b")
        self.assertEqual(self.summary("a")["state_hash"], self.summary("b")["state_hash"])
        self.assertEqual(self.summary("b")["steps"], 12)

    def test_no_particles_at_all(self):
        for ranks in (1, 3):
            self.succeed("--output", f"none{ranks}", "--set", "ring.points=0", ranks=ranks)
            self.assertEqual(self.summary(f"none{ranks}")["end"], "finished")
            self.succeed("--output", f"stageless{ranks}", "--set", "ring.points=0", "--set", "stage=[]", ranks=ranks)
            self.assertEqual(self.summary(f"stageless{ranks}")["steps"], 1)
        self.assertEqual(self.summary("none1")["state_hash"], self.summary("none3")["state_hash"])

    def test_a_value_that_is_not_finite_names_the_particle(self):
        for ranks in (1, 3):
            result = self.run_program("case.toml", "--output", f"nan{ranks}", "--set", "ring.nan_at=12", "--set",
                                      "health.every_steps=4", "--set", "checkpoint.every_steps=8", ranks=ranks)
            self.assertEqual(result.code, 1)
            self.assertRegex(result.text, r"v is nan for point 2 at (0\.\d+|nan) nm after step 12, t = 0.2 ps, dt = 0.1 ps")
            self.assertIn("newest checkpoint is of step 8", result.text)

    def same_as_whole(self, run):
        self.assertEqual(self.summary(run)["state_hash"], self.summary("whole")["state_hash"])
        keep = [i for i, name in enumerate(self.history("whole")[0]) if name not in ("known", "told")]
        strip = lambda rows: [[row[i] for i in keep] for row in rows]
        self.assertEqual(strip(self.history(run)), strip(self.history("whole")))
        self.assertEqual(self.frames(run), self.frames("whole"))

    def test_what_cannot_be_written_does_not_lose_the_state(self):
        self.succeed("--output", "whole")
        # A frame in the midst, a frame due at the last step, the frame that belongs to every end; likewise the flush.
        for key, at, ranks in (("frame", 12, 3), ("frame", 32, 1), ("frame", STEPS, 2), ("flush", STEPS, 1)):
            run = f"{key}{at}_{ranks}"
            last = ["--steps", 32] if at == 32 else []
            result = self.run_program("case.toml", "--output", run, "--set", f"ring.no_{key}_at={at}", *last, ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            what = "Writing the frame" if key == "frame" else "Flushing the frames"
            self.assertEqual(result.text.count(f"{what} failed."), 1, result.text)
            self.assertIn(f"the state of step {at} is saved, and the same command goes on from there", result.text)
            self.assertEqual(self.summary(run)["end"], "failed")
            result = self.succeed("--output", run, ranks=ranks)
            self.assertIn(f"step {at}, t = ", result.out)
            self.same_as_whole(run)
        # What fails at the start has cost nothing, and the start is no state to keep.
        result = self.run_program("case.toml", "--output", "start", "--set", "ring.no_frame_at=0")
        self.assertEqual(result.code, 1)
        self.assertNotIn("saved", result.text)
        # A checkpoint at the end although the case wants none: the state would be lost.
        result = self.run_program("case.toml", "--output", "unasked", "--set", "checkpoint.at_end=false", "--set",
                                  f"ring.no_frame_at={STEPS}")
        self.assertIn(f"the state of step {STEPS} is saved", result.text)
        self.succeed("--output", "unasked")
        self.same_as_whole("unasked")

    def test_a_state_that_cannot_be_saved_either(self):
        self.succeed("--output", "run", "--steps", 12)
        (self.folder / "run/checkpoint/step_00000016.h5.partial").mkdir()
        (self.folder / "run/checkpoint/step_00000016.h5.partial/in_the_way").touch()
        result = self.run_program("case.toml", "--output", "run", "--set", "ring.no_frame_at=16")
        self.assertEqual(result.code, 1, result.text)
        self.assertIn("Writing the frame failed.", result.text)
        self.assertIn("the state of step 16 could not be saved either: ", result.text)

    def test_other_columns_of_the_history(self):
        self.succeed("--output", "run", "--steps", 12)
        result = self.run_program("case.toml", "--output", "run", "--set", 'ring.extra_column="new"', ranks=2)
        self.assertEqual(result.code, 2, result.text)
        self.assertRegex(result.text, "history.csv lacks the column.s. new, which this run writes: it cannot be continued")
        self.succeed("--output", "run")

    def test_what_belongs_to_grids_and_clocks_is_unknown(self):
        for key in ("time.dt=1", "time.end=1", "time.steady=1", "output.fields.quantities=[]", "output.history.every_time=1",
                    "checkpoint.every_time=1", "parallel.ranks=[1,1]"):
            result = self.run_program("case.toml", "--check", "--set", key)
            self.assertEqual(result.code, 2, key)
            self.assertIn(key.split("=")[0], result.text)
        self.succeed("--check", "--set", "parallel.ranks=[1,1,1]")

    def test_check(self):
        result = self.succeed("--check", "--steps", 6, ranks=2)
        for part in ("5 atoms in all", "ring of 1 nm", "last step: 6", "frame(s) of frames.txt of 40 B, how many depends",
                     "3 row(s) of history.csv", "2 generation(s) of 80 B"):
            self.assertIn(part, result.out)
        self.assertNotIn("no fields", result.out)
        self.assertRegex(self.succeed("--check").out, "last step: depends on the state")


if __name__ == "__main__":
    unittest.main(verbosity=2)
