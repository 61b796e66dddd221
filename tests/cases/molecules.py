"""Molecules, same case, same bits: state hash and history of cases with bonded terms, shortened, on several ranks, on 2
threads, and stopped on the way and restarted on another number of ranks.

    molecules.py MPIEXEC PROGRAM CASES FOLDER NAME
"""
import pathlib
import sys

import run

TRICLINIC = """program = "halyard-md"
units = "lj"
[system]
source = "data"
data = "molecules.data"
[velocity]
temperature = 1.2
[pair]
potential = "lj-charmm"
cutoff = 2.0
inner_cutoff = 1.5
mixing = "arithmetic"
special_lj = [0.0, 0.5, 0.8]
[neighbour]
skin = 0.25
[[stage]]
steps = 40
dt = 0.003
[[stage]]
ensemble = "npt"
barostat = "mttk"
coupling = "anisotropic"
temperature = 1.2
temperature_time = 0.1
pressure = 0.5
pressure_time = 0.5
steps = 20
dt = 0.003
"""

# Name: steps, where a run is stopped, ranks, the energies that history.csv must have.
CASES = {
    "polymer-chain": (60, 31, (2, 3, 4, 7), ("pair", "bond")),
    "from-lammps": (30, 14, (2, 3, 4, 7), ("pair", "bond", "angle", "dihedral")),
    "triclinic": (60, 23, (2, 3, 4, 7), ("pair", "bond", "angle", "dihedral", "improper")),
}


def triclinic(folder):
    """Chains of five in a triclinic box, with every kind of term: on the sides, some molecules in other images, ids with
    gaps, terms in no order, styles from the file's comments."""
    lx, ly, lz, xy, xz, yz = 40.0, 10.0, 9.0, 2.5, -2.0, 1.5
    nx, ny, nz, length = 7, 6, 5, 5
    atoms, terms = [], {"Bonds": [], "Angles": [], "Dihedrals": [], "Impropers": []}

    def number(atom):
        return 3 * atom + 2

    for m in range(nx * ny * nz):
        i, j, k = m % nx, m // nx % ny, m // (nx * ny)
        f, g, h = i / nx, j / ny, k / nz + (2 if m % 7 == 0 else 0)
        for n in range(length):
            a = length * m + n
            s = [0.05 * (((a * p) % 101) / 50 - 1) for p in (37, 53, 71)]
            x = f * lx + g * xy + h * xz + n * 0.95 + s[0]
            y = g * ly + h * yz + 0.3 * (n % 2) + s[1]
            z = h * lz + 0.25 * (n // 2 % 2) + s[2]
            atoms.append(f"{number(a)} {m + 1} {1 + n % 2} {x!r} {y!r} {z!r}")
        first = length * m
        for size, kind in ((2, "Bonds"), (3, "Angles"), (4, "Dihedrals")):
            for n in range(length - size + 1):
                ids = [number(first + n + q) for q in range(size)]
                terms[kind].append((1 + n % 2, ids if m % 2 else ids[::-1]))
        terms["Impropers"].append((1, [number(first + q) for q in (1, 0, 2, 3)]))
    counts = "".join(f"{len(terms[kind])} {kind.lower()}\n" for kind in terms)
    sections = {"Masses": ["1 1.0", "2 1.6"], "Pair Coeffs # lj/charmm": ["1 1.0 0.9 0.5 0.8", "2 0.8 0.85 0.4 0.75"],
                "Bond Coeffs # harmonic": ["1 60 1.0", "2 50 1.05"],
                "Angle Coeffs # charmm": ["1 8 150 2 1.9", "2 9 140 0 0"],
                "Dihedral Coeffs # charmm": ["1 0.5 3 0 0.5", "2 0.3 1 180 0.0"],
                "Improper Coeffs # cvff": ["1 0.4 -1 2"], "Atoms # molecular": atoms}
    for kind, lines in terms.items():
        sections[kind] = [" ".join(map(str, [len(lines) - q, t, *ids])) for q, (t, ids) in enumerate(lines)]
    (folder / "molecules.data").write_text(
        f"molecules\n\n{len(atoms)} atoms\n{counts}2 atom types\n2 bond types\n2 angle types\n2 dihedral types\n"
        f"1 improper types\n0 {lx} xlo xhi\n0 {ly} ylo yhi\n0 {lz} zlo zhi\n{xy} {xz} {yz} xy xz yz\n"
        + "".join(f"\n{name}\n\n" + "\n".join(lines) + "\n" for name, lines in sections.items()))
    (folder / "case.toml").write_text(TRICLINIC)
    return folder / "case.toml"


def main():
    mpiexec, program, cases, folder, name = sys.argv[1:]
    launcher = run.Launcher(mpiexec, program, folder)
    steps, stop, rank_counts, terms = CASES[name]
    case = triclinic(launcher.folder) if name == "triclinic" else pathlib.Path(cases) / name / "case.toml"
    options = ["--set", "output.history.every_steps=1", "--steps", str(steps)]
    reference = launcher.run(case, "1x1", *options)
    expected = run.Reference(reference)
    run.expect(len(expected.rows) == steps + 1, f"{len(expected.rows)} rows for {steps} steps")
    for term in terms:
        values = {row[f"{term}_energy"] for row in expected.rows}
        run.expect(len(values) == steps + 1, f"{term}_energy does not change from row to row")

    for ranks in rank_counts:
        expected.compare(launcher.run(case, f"{ranks}x1", *options, ranks=ranks), f"{ranks} ranks")
    expected.compare(launcher.run(case, "1x2", *options, threads=2), "2 threads")
    half = launcher.run(case, "restart", *options[:-1], str(stop), ranks=3)
    launcher.run(case, "restart", *options, "--restart", "required", ranks=2)
    expected.compare(half, f"3 ranks up to step {stop}, then 2")


main()
