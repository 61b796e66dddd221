"""cases/argon-liquid: its g(r) against LAMMPS', which the case ships.

    argon.py MPIEXEC PROGRAM CASES FOLDER short|long
"""
import pathlib
import sys

import run

SIGMA = 3.4  # A
# The reference is at 92.5 K, the case at 94.4 K, which lowers the first peak by 0.02 and makes an rms difference of 0.005 by itself. The
# statistical error at a point falls with the root of the time: rms 0.003 was found for 16 000 steps, twice that for a quarter of them.
ENDS, RMS, PEAK = {"short": 12000, "long": 24000}, {"short": 0.012, "long": 0.009}, {"short": 0.06, "long": 0.04}


def main():
    mpiexec, program, cases, folder, length = sys.argv[1:]
    case = pathlib.Path(cases) / "argon-liquid"
    output = run.Launcher(mpiexec, program, folder).run(case / "case.toml", "run", "--steps", str(ENDS[length]))
    lines = [line.split(",") for line in (output / "analysis/rdf.csv").read_text().splitlines() if not line.startswith("#")]
    column = next(n for n, name in enumerate(lines[0]) if name.startswith("g_"))
    here = [(float(row[0]) / SIGMA, float(row[column])) for row in lines[1:]]
    reference = [tuple(map(float, line.split()[:2])) for line in (case / "reference/rdf.txt").read_text().splitlines()
                 if line and not line.startswith("#")]
    differences, at = [], 0
    for r, g in reference:
        while at + 2 < len(here) and here[at + 1][0] < r:
            at += 1
        (r0, g0), (r1, g1) = here[at], here[at + 1]
        if r0 <= r <= r1:
            differences.append(g0 + (g1 - g0) * (r - r0) / (r1 - r0) - g)
    run.expect(len(differences) > 0.9 * len(reference), f"only {len(differences)} of {len(reference)} points lie within the range")
    rms = (sum(d * d for d in differences) / len(differences)) ** 0.5
    peak, theirs = max(here, key=lambda p: p[1]), max(reference, key=lambda p: p[1])
    print(f"g(r): rms difference {rms:.4f}, largest {max(map(abs, differences)):.3f}; peak {peak[1]:.3f} at {peak[0]:.3f} sigma, reference "
          f"{theirs[1]:.3f} at {theirs[0]:.3f}")
    run.expect(rms < RMS[length], f"rms difference of g(r) {rms}, bound {RMS[length]}")
    run.expect(abs(peak[1] - theirs[1]) < PEAK[length], f"peak of g(r) {peak[1]}, reference {theirs[1]}")
    run.expect(abs(peak[0] - theirs[0]) < 0.03, f"peak of g(r) at {peak[0]} sigma, reference {theirs[0]}")  # two bins


main()
