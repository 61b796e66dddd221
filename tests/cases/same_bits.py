"""Same case, same bits: state hash and history of a shipped case, shortened, on 1, 2, 3, 4 and 7 ranks, on 2 threads, and
stopped half way and restarted on another number of ranks.

    same_bits.py MPIEXEC PROGRAM CASE FOLDER CELLS [--set KEY=VALUE ...]
"""
import sys

import run

STEPS = 6


def main():
    mpiexec, program, case, folder, cells, *more = sys.argv[1:]
    launcher = run.Launcher(mpiexec, program, folder)
    options = ["--set", f"domain.cells={cells}", "--set", "output.fields.quantities=[]", "--set", "output.slice=[]",
               "--set", "output.history.every_steps=1", *more]
    reference = launcher.run(case, "1x1", *options, "--steps", str(STEPS))
    expected = run.Reference(reference)
    run.expect(len(expected.rows) == STEPS + 1, f"{len(expected.rows)} rows in {reference}/history.csv, not {STEPS + 1}")
    run.expect(int(expected.state_hash, 16) != 0, "the state hash is 0")
    run.expect(expected.rows[1] != expected.rows[2], "two steps are the same: nothing was computed")

    for ranks in (2, 3, 4, 7):
        expected.compare(launcher.run(case, f"{ranks}x1", *options, "--steps", str(STEPS), ranks=ranks), f"{ranks} ranks")
    expected.compare(launcher.run(case, "1x2", *options, "--steps", str(STEPS), threads=2), "2 threads")

    half = launcher.run(case, "restart", *options, "--steps", str(STEPS // 2), ranks=3)
    run.expect(run.summary(half)["state_hash"] != expected.state_hash, "the half-way state is the final one")
    launcher.run(case, "restart", *options, "--steps", str(STEPS), "--restart", "required", ranks=2)
    expected.compare(half, "3 ranks to the middle, then 2")


main()
