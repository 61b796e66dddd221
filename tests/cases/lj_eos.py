"""cases/lj-eos as scripts/run starts it, against NIST: energies and pressures of Lennard-Jones liquids.

    lj_eos.py MPIEXEC PROGRAM CASES FOLDER short|long
"""
import csv
import math
import pathlib
import shutil
import sys

import run

# Standard errors of a measurement of 100 000 steps (500 in time, 500 atoms), from blocks: 0.0008 to 0.0013 and 0.0045 to
# 0.007 were found.
STEPS, ENERGY, PRESSURE = 100000, 0.0012, 0.006


def table(path):
    return list(csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")))


def compare(mpiexec, program, case, folder, line, densities, steps, energy_offset=0.0, pressure_offset=0.0):
    print(run.drive(mpiexec, program, case, folder, f"--line={line}", f"--densities={','.join(densities)}", f"--steps={steps}"))
    known = {float(row["density"]): row for row in table(case / f"reference/{line}.csv")}
    rows = table(folder / "means.csv")
    run.expect(len(rows) == len(densities), f"{len(rows)} means for {len(densities)} densities")
    length = math.sqrt(STEPS / steps)
    for row in rows:
        density = min(known, key=lambda d: abs(d - float(row["density"])))
        run.expect(abs(density / float(row["density"]) - 1) < 1e-7, f"density {row['density']} was not asked for")
        for name, error, offset in (("energy", ENERGY, energy_offset), ("pressure", PRESSURE, pressure_offset)):
            theirs = float(known[density][f"{name}_error"] or 0.0)
            bound = 3.0 * math.hypot(error * length, theirs) + offset
            difference = float(row[name]) - float(known[density][name])
            run.expect(abs(difference) < bound, f"{line}, density {density}: {name} differs by {difference}, bound {bound}")
            # Blocks must not tell of a run much shorter or longer than this one.
            run.expect(0.3 < float(row[f"{name}_error"]) / (error * length) < 3.0, f"error of {name}: {row[f'{name}_error']}")


def main():
    mpiexec, program, cases, folder, length = sys.argv[1:]
    case, folder = pathlib.Path(cases) / "lj-eos", pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if length == "short":
        compare(mpiexec, program, case, folder / "mc", "isotherm_mc", ["0.780"], 10000)
        return
    compare(mpiexec, program, case, folder / "mc", "isotherm_mc", ["0.776", "0.780", "0.820", "0.860", "0.900"], STEPS)
    # Means at fixed volume and chemical potential, in a volume of 512, differ from those at a fixed number of atoms by half the
    # variance of the density, rho chi / 512 with chi = rho k T kappa below 0.12 here, times the second derivative of the
    # energy density, about -13, or of the pressure, up to 80: 0.0015 an atom and 0.007.
    compare(mpiexec, program, case, folder / "coexistence", "coexistence", ["0.82201", "0.79981", "0.77681", "0.75284"], STEPS,
            0.0015, 0.007)


main()
