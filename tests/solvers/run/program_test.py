"""The programs' frame from the command line to the exit code, with the toy solver (toy.cpp) under it."""
import json
import re
import subprocess
import unittest

from programs import ProgramTest, send

CASE = """program = "halyard-toy"
[time]
end = 0.02
[output.fields]
quantities = ["temperature", "heat_flux"]
every_time = 0.005
[output.history]
every_steps = 3
[checkpoint]
every_time = 0.01
[ring]
cells = 31
"""


class Frame(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write_case(CASE)

    def write_case(self, text):
        (self.folder / "case.toml").write_text(text)

    def succeed(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.code, 0, result.text)
        return result

    def refuse(self, code, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.code, code, result.text)
        self.assertIn("failed", result.last_line)
        return result


class Runs(Frame):
    def test_from_case_to_results_on_any_number_of_ranks(self):
        for ranks in (1, 2, 3):
            run = f"run{ranks}"
            result = self.succeed("case.toml", "--output", run, ranks=ranks)
            summary = self.summary(run)
            self.assertEqual(summary["program"], "halyard-toy")
            self.assertEqual(summary["ranks"], ranks)
            self.assertEqual(summary["end"], "finished")
            self.assertEqual(summary["time"], 0.02)  # the very double
            self.assertEqual(summary["rate"]["unit"], "Mcell/s")
            self.assertEqual(summary["kernels"][0]["name"], "Diffuse")
            self.assertEqual(summary["kernels"][0]["items"], 31 * summary["steps"])  # summed over ranks
            self.assertEqual(summary["kernels"][0]["calls"], summary["steps"])
            self.assertRegex(result.last_line, rf"^finished: {summary['steps']} steps, t = 0.02, .*cell/s, "
                                               rf"state {summary['state_hash']}, {run}$")
            log = (self.folder / run / "log.txt").read_text()
            self.assertIn("\nnew run\n", log)
            self.assertEqual(log.splitlines()[-1], result.last_line)
            self.assertEqual(summary["state_hash"], self.summary("run1")["state_hash"])
            self.assertEqual(self.history(run), self.history("run1"))
            self.assertTrue((self.folder / run / "case.toml").exists())
        times = [float(row[1]) for row in self.history("run1")[1:]]
        self.assertEqual(times[0], 0.0)
        self.assertEqual(times[-1], 0.02)
        snapshots = re.findall(r'timestep="([^"]*)"', (self.folder / "run1/fields/fields.pvd").read_text())
        self.assertEqual([float(t) for t in snapshots], [k * 0.005 for k in range(5)])

    def test_the_resolved_case_gives_the_same_run(self):
        self.succeed("case.toml", "--output", "a", "--set", "ring.diffusivity=0.2")
        self.succeed("a/case.toml", "--output", "b")
        self.assertEqual(self.summary("a")["state_hash"], self.summary("b")["state_hash"])

    def test_an_interrupted_run_is_the_uninterrupted_one(self):
        self.succeed("case.toml", "--output", "whole")
        steps = self.summary("whole")["steps"]
        for stop in (1, 10, steps // 2 + 1, steps - 1):  # 10: no multiple of 3: an end row off schedule
            run = f"stop{stop}"
            self.succeed("case.toml", "--output", run, "--steps", stop, ranks=3)
            self.assertEqual(self.summary(run)["steps"], stop)
            result = self.succeed("case.toml", "--output", run, ranks=2)
            self.assertRegex(result.out, rf"restart from .*step {stop}, t = ")
            self.assertNotIn("new run", result.out)
            self.assertEqual(self.summary(run)["first_step"], stop)
            self.assertEqual(self.summary(run)["state_hash"], self.summary("whole")["state_hash"])
            self.assertEqual(self.history(run), self.history("whole"))
            self.assertEqual((self.folder / run / "fields/fields.pvd").read_text().replace(run, ""),
                             (self.folder / "whole/fields/fields.pvd").read_text().replace("whole", ""))

    def test_a_finished_run_can_be_lengthened(self):
        self.succeed("case.toml", "--output", "short")
        self.succeed("case.toml", "--output", "short", "--set", "time.end=0.03")
        self.succeed("case.toml", "--output", "long", "--set", "time.end=0.03")
        self.assertEqual(self.summary("short")["time"], 0.03)
        # 0.02 is an output time of both, so that the steps before it are the same.
        self.assertEqual(self.summary("short")["state_hash"], self.summary("long")["state_hash"])
        again = self.succeed("case.toml", "--output", "short", "--set", "time.end=0.03")
        self.assertIn(self.summary("long")["state_hash"], again.last_line)  # nothing left to do, and nothing broken
        self.assertEqual(self.history("short"), self.history("long"))

    def test_a_fixed_step(self):
        fixed = ["--set", "time.dt=0.001", "--set", "output.fields.every_time=0.005"]
        result = self.succeed("case.toml", "--output", "a", *fixed)
        self.assertEqual(self.summary("a")["steps"], 20)
        self.assertNotIn("stability", result.out)
        self.succeed("case.toml", "--output", "b", *fixed, "--steps", 7)
        self.succeed("case.toml", "--output", "b", *fixed, ranks=2)
        self.assertEqual(self.summary("a")["state_hash"], self.summary("b")["state_hash"])
        self.assertEqual(self.history("a"), self.history("b"))
        result = self.succeed("case.toml", "--output", "c", "--set", "time.dt=0.005", "--steps", 1)
        self.assertEqual(result.out.count("beyond the stability limit"), 1)

    def test_a_steady_state_ends_the_run(self):
        steady = ["--set", "time.steady=1e-3", "--set", "time.end=1000", "--set", "output.fields.every_time=0.5",
                  "--set", "checkpoint.every_time=1"]
        result = self.succeed("case.toml", "--output", "a", *steady)
        self.assertRegex(result.last_line, "^steady: ")
        self.assertEqual(self.summary("a")["end"], "steady")
        self.assertEqual(self.summary("a")["steps"] % 100, 0)
        stop = self.summary("a")["steps"] - 50  # the next look at the change is the one that ends the run
        self.succeed("case.toml", "--output", "b", *steady, "--steps", stop)
        self.succeed("case.toml", "--output", "b", *steady)
        self.assertEqual(self.summary("a")["state_hash"], self.summary("b")["state_hash"])


class Stops(Frame):
    def test_signals_lead_to_a_checkpoint_and_75(self):
        self.succeed("case.toml", "--output", "whole")
        waiting = self.folder / "waiting"
        for ranks, name, step in ((2, "SIGTERM", 2), (3, "SIGUSR1", 5), (1, "SIGINT", 8)):
            process = self.start_program("case.toml", "--output", "run", "--set", f"toy.wait_at={step}", ranks=ranks)
            self.wait_until(lambda: waiting.exists() and waiting.read_text().endswith("\n"), "the rank that waits")
            send(int(waiting.read_text()), name)  # to one rank only: the others must hear of it
            out, err = process.communicate(timeout=30)
            waiting.unlink()
            self.assertEqual(process.returncode, 75, out + err)
            self.assertEqual(self.summary("run")["end"], "signal")
            self.assertIn(f"{name}: stopping after step {step} with a checkpoint", out)
            self.assertRegex(out.splitlines()[-1], "^stopped by a signal: ")
        self.succeed("case.toml", "--output", "run", ranks=2)
        self.assertEqual(self.summary("run")["state_hash"], self.summary("whole")["state_hash"])
        self.assertEqual(self.history("run"), self.history("whole"))

    def test_the_wall_clock_asks_for_checkpoints(self):
        result = self.succeed("case.toml", "--output", "a", "--set", "checkpoint.every_wall=0.04", "--set",
                              "toy.milliseconds=20", ranks=2)
        # 12 steps that take 20 ms or more: a checkpoint after at least every second one, on any machine.
        self.assertEqual(self.summary("a")["steps"], 12)
        self.assertGreaterEqual(result.out.count(": checkpoint "), 6)
        result = self.succeed("case.toml", "--output", "b", "--set", "checkpoint.every_wall=3600")
        self.assertEqual(result.out.count(": checkpoint "), 2)  # those of every_time
        self.assertEqual(self.summary("a")["state_hash"], self.summary("b")["state_hash"])
        self.assertEqual(len(list((self.folder / "a/checkpoint").glob("*.h5"))), 2)

    def test_a_value_that_is_not_finite_stops_the_run(self):
        for ranks in (1, 3):
            run = f"nan{ranks}"
            result = self.refuse(1, "case.toml", "--output", run, "--set", "toy.nan_at=12", "--set", "health.every_steps=4",
                                 "--set", "checkpoint.every_steps=5", ranks=ranks)
            self.assertEqual(result.text.count("temperature is nan"), 1, result.text)
            for part in ("cell (0, 0, 15)", "after step 12", "CFL", "newest checkpoint is of step 10"):
                self.assertIn(part, result.text)
            self.assertEqual(self.summary(run)["end"], "failed")
            self.assertIn("temperature is nan", (self.folder / run / "log.txt").read_text())
            self.assertFalse(list((self.folder / run / "checkpoint").glob("*12*")))

    def test_no_checkpoint_of_a_spoilt_state(self):
        result = self.refuse(1, "case.toml", "--output", "run", "--set", "toy.nan_at=5", "--set", "checkpoint.every_steps=5")
        self.assertIn("temperature is nan", result.text)
        self.assertFalse(list((self.folder / "run/checkpoint").glob("*.h5")))

    def test_one_rank_ends_all(self):
        result = self.run_program("case.toml", "--output", "run", "--set", "toy.fail_at=3", "--set", "toy.fail_rank=1",
                                  ranks=3)
        self.assertNotEqual(result.code, 0)
        self.assertLess(result.seconds, 10)
        self.assertEqual(result.text.count("the toy fails as told"), 1, result.text)
        self.assertIn("rank 1 of 3", result.text)
        self.assertIn("the toy fails as told", (self.folder / "run/log.txt").read_text())
        self.assertEqual(self.summary("run")["end"], "failed")


class Refusals(Frame):
    def test_a_used_folder(self):
        self.succeed("case.toml", "--output", "run", "--set", "checkpoint.at_end=false", "--steps", 2)
        before = (self.folder / "run/history.csv").read_text()
        result = self.refuse(2, "case.toml", "--output", "run", ranks=2)
        self.assertIn("--overwrite", result.text)
        self.assertEqual((self.folder / "run/history.csv").read_text(), before)
        self.refuse(2, "case.toml", "--output", "run", "--restart", "required")
        self.succeed("case.toml", "--output", "run", "--overwrite")
        self.refuse(2, "case.toml", "--output", "run", "--restart", "never")

    def test_another_case_of_the_same_folder(self):
        self.succeed("case.toml", "--output", "run", "--steps", 2)
        before = {path: path.read_bytes() for path in (self.folder / "run").rglob("*") if path.is_file()}
        result = self.refuse(2, "case.toml", "--output", "run", "--set", "ring.cells=30", ranks=2)
        self.assertIn("cells is 31 there and 30 here", result.text)
        self.assertIn("nothing was computed", result.last_line)
        for path, content in before.items():  # case.toml and summary.json are still those of the run that is there
            if path.name != ".lock":
                self.assertEqual(path.read_bytes(), content, path)

    def test_a_damaged_checkpoint_is_passed_over_and_told_once(self):
        for size, what in ((100, "the file has 100 bytes"), (None, "is damaged")):
            self.succeed("case.toml", "--output", "run", "--overwrite", "--set", "checkpoint.every_steps=5", "--steps", 8)
            newest = self.folder / "run/checkpoint/step_00000008.h5"
            content = bytearray(newest.read_bytes())
            content[len(content) // 2:len(content) // 2 + 64] = bytes(64 * [0xa5])
            newest.write_bytes(content[:size])
            result = self.succeed("case.toml", "--output", "run", "--steps", 9, ranks=2)
            self.assertIn("restart from run/checkpoint/step_00000006.h5", result.out)
            self.assertEqual(result.text.count("is passed over"), 1, result.text)
            self.assertIn(what, result.text)

    def contents(self, run):
        return {path: path.read_bytes() for path in (self.folder / run).rglob("*")
                if path.is_file() and path.name not in (".lock", "log.txt")}

    def test_a_refused_restart_leaves_all_as_it_was(self):
        self.succeed("case.toml", "--output", "run", "--steps", 2)
        self.succeed("case.toml", "--output", "old", "--set", "ring.cells=30", "--steps", 3)
        run, old = self.contents("run"), self.contents("old")
        for wrong in (["--set", "ring.cells=30"], ["--set", "toy.more_state=true"]):
            more = "luck" if "more_state" in wrong[1] else "cells is 31 there and 30 here"
            for output in ("new", "deeper/new"):
                result = self.refuse(2, "case.toml", "--output", output, "--restart", "run", *wrong, ranks=2)
                self.assertIn(more, result.text)
                self.assertIn("nothing was computed", result.last_line)
                self.assertFalse((self.folder / output.split("/")[0]).exists())
        (self.folder / "empty").mkdir()
        self.refuse(2, "case.toml", "--output", "empty", "--restart", "run", "--set", "toy.more_state=true")
        self.assertEqual(list((self.folder / "empty").iterdir()), [])
        self.refuse(2, "case.toml", "--output", "new", "--restart", "required")
        self.assertFalse((self.folder / "new").exists())
        self.refuse(2, "case.toml", "--output", "run", "--set", "toy.more_state=true", ranks=2)  # in the run's own folder
        self.assertEqual(self.contents("run"), run)
        # The checkpoint is looked at before --overwrite takes effect.
        self.refuse(2, "case.toml", "--output", "old", "--restart", "run", "--overwrite", "--set", "ring.cells=30")
        self.assertEqual(self.contents("old"), old)
        self.succeed("case.toml", "--output", "run")  # and it can be carried on

    def test_wrong_keys_are_all_told_once(self):
        self.write_case(CASE.replace("cells = 31", "cels = 31\ndiffusivity = -1").replace('"temperature"', '"temprature"'))
        result = self.refuse(2, "case.toml", "--output", "run", "--set", "time.nd=3", ranks=3)
        for part, times in (("cels", 1), ("ring.diffusivity", 1), ("temprature", 1), ("time.nd", 1)):
            lines = [line for line in result.text.splitlines() if part in line]
            self.assertEqual(len(lines), times, result.text)
        self.assertRegex(result.text, r"case.toml:\d+:\d+: ")
        self.assertIn("nothing was computed", result.last_line)
        self.assertFalse((self.folder / "run").exists())

    def test_the_case_of_another_program(self):
        self.write_case('program = "halyard-md"\n[unknown]\nkey = 1\n')
        result = self.refuse(2, "case.toml", ranks=2)
        self.assertIn("run halyard-md case.toml", result.text)
        self.assertNotIn("unknown", result.text)

    def test_a_case_that_is_not_there(self):
        self.assertIn("nowhere.toml", self.refuse(2, "nowhere.toml", ranks=2).text)

    def test_more_ranks_than_cells(self):
        result = self.refuse(2, "case.toml", "--output", "run", "--set", "ring.cells=2", ranks=3)
        self.assertEqual(result.text.count("allows at most 2 ranks"), 1)
        self.assertFalse((self.folder / "run").exists())

    def test_command_lines(self):
        result = self.refuse(2, ranks=2)
        self.assertEqual(result.text.count("Usage"), 1)
        self.refuse(2, ranks=0)
        self.assertIn("--wrong", self.refuse(2, "case.toml", "--wrong", ranks=2).text)
        self.assertIn("comes later", self.refuse(2, "case.toml", "--check=time").text)
        self.assertIn("cuda", self.refuse(2, "case.toml", "--device", "gpu").text)


class Answers(Frame):
    def files(self):
        return sorted(path.name for path in self.folder.rglob("*"))

    def test_check_computes_and_writes_nothing(self):
        before = self.files()
        result = self.succeed("case.toml", "--check", "--output", "run", ranks=2)
        self.assertEqual(self.files(), before)
        for part in ("cells = 31", "2 along z", "496 B", "5 snapshot(s) of 992 B", "at_end = true"):
            self.assertIn(part, result.out)
        self.assertRegex(result.last_line, "^checked: ")
        self.assertIn("last step: depends on dt", result.out)
        self.assertIn("row(s) of history.csv, how many depends on the run", result.out)
        # A row at 0, 3, ..., 18 of 20 steps and one at the end; snapshots at 0, 0.015 and at the end, 0.02.
        fixed = self.succeed("case.toml", "--check", "--set", "time.dt=0.001", "--set", "output.fields.every_time=0.015",
                             "--set", "checkpoint.every_time=0.01")
        for part in ("last step: 20", "8 row(s) of history.csv", "3 snapshot(s)"):
            self.assertIn(part, fixed.out)
        self.refuse(2, "case.toml", "--check", "--set", "ring.cells=0")

    def test_version(self):
        result = self.succeed("--version", ranks=2)
        for name in ("halyard-toy 0", "MPICH", "HDF5", "FFTW", "toml++", "fmt", "CLI11", "muParser", "VTK", "CUDA",
                     "compiler", "instruction set"):
            self.assertEqual(result.out.count(name), 1, (name, result.out))

    def test_help(self):
        result = self.succeed("--help", ranks=2)
        self.assertEqual(result.out.count("Usage"), 1)

    def test_schema(self):
        schema = json.loads(self.succeed("--schema", ranks=2).out)
        self.assertEqual(schema["type"], "object")
        self.assertIn("cells", schema["properties"]["ring"]["properties"])
        self.assertIn("dt", schema["properties"]["time"]["properties"])

    def test_an_answer_that_cannot_be_written(self):
        for question in ("--schema", "--version", "--help"):
            with open("/dev/full", "w") as full:
                done = subprocess.run(self.command(question, ranks=0), stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output cannot be written: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
