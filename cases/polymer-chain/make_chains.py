#!/usr/bin/env python3
"""Writes a melt of bead-spring chains for halyard-md or LAMMPS: a serpent through a simple cubic lattice, cut into chains.

    make_chains.py [chains] [beads] > chains.data

Beads sit on a lattice of density 0.85 / sigma^3, neighbours along the serpent are bonded (1.056 sigma), so nothing
overlaps and no bond is stretched: the melt forgets the lattice within some 10 tau at temperature 1.
"""
import sys


def main():
    chains, beads = (int(word) for word in (sys.argv[1:] + ["20", "100"][len(sys.argv) - 1:]))
    count = chains * beads
    # The lattice nearest to twice as long as wide.
    sites = min(((nx, ny, count // (nx * ny)) for nx in range(1, count + 1) if count % nx == 0
                 for ny in range(1, count // nx + 1) if count // nx % ny == 0),
                key=lambda n: abs(n[0] - 2 * n[1]) + abs(n[1] - n[2]))
    spacing = (1.0 / 0.85) ** (1.0 / 3.0)
    print(f"{chains} chains of {beads} beads, density 0.85: cases/polymer-chain/make_chains.py\n")
    print(f"{count} atoms\n{chains * (beads - 1)} bonds\n\n1 atom types\n1 bond types\n")
    for axis, n in zip("xyz", sites):
        print(f"0 {n * spacing:.10f} {axis}lo {axis}hi")
    print("\nMasses\n\n1 1\n\nAtoms # bond\n")
    nx, ny, _ = sites
    for bead in range(count):
        row, i = divmod(bead, nx)
        plane, j = divmod(row, ny)
        i = nx - 1 - i if row % 2 else i
        j = ny - 1 - j if plane % 2 else j
        x, y, z = (f"{(n + 0.5) * spacing:.6f}" for n in (i, j, plane))
        print(f"{bead + 1} {bead // beads + 1} 1 {x} {y} {z}")
    print("\nBonds\n")
    bonds = (bead for bead in range(count) if (bead + 1) % beads)
    for number, bead in enumerate(bonds, start=1):
        print(f"{number} 1 {bead + 1} {bead + 2}")


main()
