"""A shipped case of halyard-md as a user runs it, cut to a few steps: --check says what it will take, the run ends as asked,
its rows are numbers, and it has the same bits on two ranks.

    md_case.py MPIEXEC PROGRAM CASE FOLDER STEPS
"""
import math
import subprocess
import sys

import run


def main():
    mpiexec, program, case, folder, steps = sys.argv[1:]
    launcher = run.Launcher(mpiexec, program, folder)
    check = subprocess.run([program, case, "--check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           check=False)
    run.expect(check.returncode == 0, f"--check ends with {check.returncode}\n{check.stdout}")
    for part in ("atoms in all", "last step", "rank grid"):
        run.expect(part in check.stdout, f"--check does not tell of \"{part}\":\n{check.stdout}")

    options = ["--steps", steps, "--set", "output.history.every_steps=1"]
    one = launcher.run(case, "one", *options)
    summary, rows = run.summary(one), run.history(one)
    run.expect(summary["steps"] == int(steps), f"{summary['steps']} steps, not {steps}")
    run.expect(len(rows) == int(steps) + 1, f"{len(rows)} rows")
    for row in rows:
        for name, value in row.items():
            run.expect(math.isfinite(float(value)), f"{name} is {value}")
    run.expect(float(rows[-1]["temperature"]) > 0, "nothing moves")
    run.expect(rows[0]["potential_energy"] != rows[-1]["potential_energy"], "nothing has changed")
    two = launcher.run(case, "two", *options, ranks=2)
    run.expect(run.summary(two)["state_hash"] == summary["state_hash"], "two ranks have other bits")
    run.expect(run.history(two) == rows, "two ranks have other rows")
    print(f"{case}: state {summary['state_hash']}")


main()
