#!/usr/bin/env python3
"""Writes liquid n-butane in the united-atom model OPLS-UA as a LAMMPS data file, in units "real", without charges.

    make_butane.py > butane.data

300 molecules, all trans, on a lattice of the density that butane has at its boiling point (0.602 g/cm3 at 272.65 K).
Lennard-Jones sites CH3 and CH2 and the torsion: Jorgensen, Madura & Swenson 1984, J. Am. Chem. Soc. 106, 6638. Bonds and
angles, rigid there, are springs here: those of Weiner et al. 1984, J. Am. Chem. Soc. 106, 765.
"""
import math

BOND, ANGLE = 1.526, 112.4
NUMBER = (12, 5, 5)
MOLAR_MASS, DENSITY, AVOGADRO = 2 * 15.035 + 2 * 14.027, 0.602, 6.02214076e23


def main():
    half = math.radians(ANGLE) / 2
    along, across = BOND * math.sin(half), BOND * math.cos(half)
    molecule = [(n * along, (n % 2) * across) for n in range(4)]
    molecules = NUMBER[0] * NUMBER[1] * NUMBER[2]
    volume = MOLAR_MASS / (DENSITY * AVOGADRO) * 1e24  # A3, of a molecule
    side = (volume / 1.35) ** (1.0 / 3.0)
    spacing = (1.35 * side, side, side)
    print("n-butane, OPLS-UA, 0.602 g/cm3: cases/from-lammps/make_butane.py\n")
    for count, what in ((4, "atoms"), (3, "bonds"), (2, "angles"), (1, "dihedrals")):
        print(f"{count * molecules} {what}")
    print("\n2 atom types\n2 bond types\n1 angle types\n1 dihedral types\n")
    for axis, n, step in zip("xyz", NUMBER, spacing):
        print(f"0 {n * step:.8f} {axis}lo {axis}hi")
    print("\nMasses\n\n1 15.035  # CH3\n2 14.027  # CH2")
    print("\nPair Coeffs # lj/cut\n\n1 0.175 3.905  # kcal/mol, A\n2 0.118 3.905")
    print("\nBond Coeffs # harmonic\n\n1 260.0 1.526  # CH3-CH2: kcal/mol/A2, A\n2 260.0 1.526  # CH2-CH2")
    print("\nAngle Coeffs # harmonic\n\n1 63.0 112.4  # kcal/mol/rad2, degrees")
    print("\nDihedral Coeffs # opls\n\n1 1.522 -0.315 3.207 0.0  # kcal/mol")
    print("\nAtoms # molecular\n")
    places = [(i, j, k) for k in range(NUMBER[2]) for j in range(NUMBER[1]) for i in range(NUMBER[0])]
    for m, place in enumerate(places):
        # Rows are shifted against one another by half a molecule.
        shift = 0.5 * spacing[0] * ((place[1] + place[2]) % 2)
        for n, (x, y) in enumerate(molecule):
            at = (place[0] * spacing[0] + x + shift, place[1] * spacing[1] + y, place[2] * spacing[2])
            print(4 * m + n + 1, m + 1, 1 if n in (0, 3) else 2, *(f"{c:.6f}" for c in at))
    print("\nBonds\n")
    for m in range(molecules):
        for n in range(3):
            print(3 * m + n + 1, 2 if n == 1 else 1, 4 * m + n + 1, 4 * m + n + 2)
    print("\nAngles\n")
    for m in range(molecules):
        for n in range(2):
            print(2 * m + n + 1, 1, *(4 * m + n + a for a in (1, 2, 3)))
    print("\nDihedrals\n")
    for m in range(molecules):
        print(m + 1, 1, *(4 * m + a for a in (1, 2, 3, 4)))


main()
