"""A shipped case, shortened, on the GPU against the host: history and final state on 1, 2, 3 and 4 ranks; a run begun on
the host goes on on the GPU. On the emulated device of the tests each run has another seed, and two seeds give the same bits.

    device.py MPIEXEC PROGRAM CASE FOLDER CELLS emulated|real [--set KEY=VALUE ...]
"""
import os
import sys

import run

STEPS = 4
# A column differs by the round-off of a few steps, some 100 eps of its largest value; 1e-13 where it is zero but for that.
RELATIVE, ABSOLUTE = 1e-12, 1e-13
ROUND_OFF_ITSELF = {"max_divergence"}


def compare(folder, expected, what):
    rows = run.history(folder)
    worst = 0.0
    for name in expected[0]:
        largest = max(abs(float(row[name])) for row in expected)
        for mine, theirs in zip(rows, expected, strict=True):
            difference = abs(float(mine[name]) - float(theirs[name]))
            bound = 1e-11 if name in ROUND_OFF_ITSELF else RELATIVE * largest + ABSOLUTE
            run.expect(difference <= bound, f"{what}: {name} = {mine[name]}, on the host {theirs[name]}")
            worst = max(worst, difference / bound)
    print(f"{what}: {len(rows)} rows agree, at most {worst:.3f} of the bound")


def main():
    mpiexec, program, case, folder, cells, kind, *more = sys.argv[1:]
    launcher = run.Launcher(mpiexec, program, folder)
    options = ["--set", f"domain.cells={cells}", "--set", "output.fields.quantities=[]", "--set", "output.slice=[]",
               "--set", "output.history.every_steps=1", *more]
    expected = run.history(launcher.run(case, "host", *options, "--steps", str(STEPS), "--device", "host"))

    def on_device(name, ranks, seed, *more):
        os.environ["HALYARD_EMULATED_CUDA"] = f"seed={seed},mpi={'device' if ranks % 2 == 0 else 'host'}"
        return launcher.run(case, name, *options, "--device", "cuda", *more, ranks=ranks)

    hashes = {}
    for ranks, seed in ((1, 0), (1, 1), (1, 2), (2, 3), (2, 4), (3, 5), (4, 1)):
        if kind == "real" and (ranks, seed) in ((1, 2), (2, 4)):
            continue
        done = on_device(f"{ranks}ranks-seed{seed}", ranks, seed, "--steps", str(STEPS))
        compare(done, expected, f"{ranks} ranks, seed {seed}")
        hash = run.summary(done)["state_hash"]
        run.expect(hashes.setdefault(ranks, hash) == hash, f"{ranks} ranks: another state with seed {seed}")

    half = launcher.run(case, "half", *options, "--steps", str(STEPS // 2), "--device", "host")
    half_hash = run.summary(half)["state_hash"]
    on_device("half", 2, 0, "--steps", str(STEPS // 2), "--restart", "required")
    run.expect(run.summary(half)["state_hash"] == half_hash, "a checkpoint changed on its way to the device")
    on_device("half", 2, 0, "--steps", str(STEPS), "--restart", "required")
    compare(half, expected, "begun on the host, ended on the device")


main()
