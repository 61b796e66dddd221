#!/usr/bin/env python3
"""Writes droplet.data: atoms of an fcc crystal inside a sphere, in the middle of an empty box, as a LAMMPS data file.

    cases/nanodroplet/make_droplet.py [ATOMS [BOX]] > droplet.data

ATOMS is the number wanted (4000), BOX the edge of the cubic box in sigma (40). The crystal has the density of the liquid.
"""

import itertools
import math
import sys

DENSITY = 0.82  # per sigma^3


def main():
    atoms = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    box = float(sys.argv[2]) if len(sys.argv) > 2 else 40.0
    a = (4.0 / DENSITY) ** (1.0 / 3.0)
    reach = math.ceil((3.0 * atoms / (4.0 * math.pi * DENSITY)) ** (1.0 / 3.0) / a) + 1
    sites = []
    for cell in itertools.product(range(-reach, reach + 1), repeat=3):
        for site in ((0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)):
            # Off the crystal's own points of symmetry, so that shells of equal distance fill one by one.
            x = [a * (n + s - o) for n, s, o in zip(cell, site, (0.21, 0.13, 0.37))]
            sites.append((sum(c * c for c in x), x))
    sites.sort()
    chosen = [x for _, x in sites[:atoms]]
    print(f"# fcc sphere of {atoms} atoms in an empty box (make_droplet.py)\n")
    print(f"{atoms} atoms\n1 atom types\n")
    for axis in "xyz":
        print(f"{-box / 2:g} {box / 2:g} {axis}lo {axis}hi")
    print("\nMasses\n\n1 1.0\n\nAtoms # atomic\n")
    for number, x in enumerate(chosen, 1):
        print(number, 1, *(f"{c:.5f}" for c in x))


if __name__ == "__main__":
    main()
