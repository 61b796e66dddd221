"""halyard-md as a process: what it refuses and how, before anything is computed and during a run."""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from programs import ProgramTest

LJ = """program = "halyard-md"
units = "lj"
[system]
cells = [4, 4, 4]
density = 0.8442
[velocity]
temperature = 1.44
[pair]
potential = "lj"
cutoff = 2.5
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.3
[[stage]]
steps = 3
dt = 0.005
"""
EAM = """program = "halyard-md"
units = "metal"
[[type]]
name = "Cu"
mass = 63.55
[system]
cells = [4, 4, 4]
lattice_constant = 3.615
[pair]
potential = "eam"
files = ["CASES/copper-eam/Cu_u3.eam"]
file_format = "funcfl"
[[stage]]
steps = 3
dt = 0.005
""".replace("CASES", os.environ["HALYARD_CASES"])
DATA = """program = "halyard-md"
units = "lj"
[system]
source = "data"
data = "start.data"
[pair]
potential = "lj"
cutoff = 2.5
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.3
[[stage]]
steps = 3
dt = 0.005
"""


class Md(ProgramTest):
    def case(self, text, *replacements):
        for old, new in replacements:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "case.toml").write_text(text)

    def atoms(self, lines, style="atomic", edge=9):
        """start.data with atoms of one type in a cube."""
        (self.folder / "start.data").write_text(
            f"start\n\n{len(lines)} atoms\n1 atom types\n0 {edge} xlo xhi\n0 {edge} ylo yhi\n0 {edge} zlo zhi\n\n"
            "Masses\n\n1 1.0\n" + (f"\nAtoms # {style}\n\n" + "\n".join(lines) + "\n" if lines else ""))

    def refuse(self, message, *arguments, ranks=1):
        """Exit code 2, one message, no folder; the same by --check."""
        for check in ([], ["--check"]):
            result = self.run_program("case.toml", "--output", "run", *arguments, *check, ranks=ranks)
            self.assertEqual(result.code, 2, result.text)
            self.assertFalse((self.folder / "run").exists())
            self.assertIn(message, result.text)
            self.assertIn("nothing was computed", result.last_line)

    def succeed(self, *arguments, **options):
        result = self.run_program("case.toml", *arguments, **options)
        self.assertEqual(result.code, 0, result.text)
        return result


class Refusals(Md):
    def test_a_box_below_two_cutoffs(self):
        self.case(LJ, ("[4, 4, 4]", "[4, 2, 4]"))
        for ranks in (1, 2):
            self.refuse("case.toml:10:10: pair.cutoff makes a cutoff of 2.5, but the box is only 3.35919 wide along y: a "
                        "periodic box must be at least two cutoffs wide.", ranks=ranks)
        self.succeed("--check", "--set", "system.periodic=[true,false,true]")

    def test_a_list_that_reaches_beyond_the_box(self):
        # Pairs with the next image alone are listed: a list of all pairs within 7 of a box 6.7 wide would lack some.
        self.case(LJ)
        self.refuse("neighbour.skin makes lists of pairs up to 7 apart (cutoff and skin), but the box is only 6.71838 wide "
                    "along x: lists must not reach further than a periodic box is wide.", "--set", "neighbour.skin=4.5")
        self.succeed("--check", "--set", "neighbour.skin=4.2")

    def test_more_ranks_than_the_cutoff_admits(self):
        self.case(LJ, ("[4, 4, 4]", "[5, 4, 4]"))
        self.refuse("9 ranks are too many: each must be at least 2.8 wide (cutoff and skin) along every edge that is cut, "
                    "and the box is 8.398 x 6.718 x 6.718. The largest number that fits is 8.", ranks=9)
        self.refuse("parallel.ranks is 4 x 1 x 1: bricks of 2.099 x 6.718 x 6.718, of which those along cut edges must be "
                    "at least 2.8 (cutoff and skin) wide; at most 2 x 2 x 2 fit.", "--set", "parallel.ranks=[4,1,1]",
                    ranks=4)
        self.refuse("parallel.ranks is 2 x 1 x 1 = 2 ranks, but 3 are running.", "--set", "parallel.ranks=[2,1,1]",
                    ranks=3)

    def test_coefficients_that_are_not_there(self):
        self.case(LJ, ("[system]", '[[type]]\nname = "A"\n[[type]]\nname = "B"\n[system]'))
        self.refuse("pair.coefficients lacks types 1 and 2.")
        self.case(LJ, ("sigma = 1.0\n", ""))
        self.refuse("pair.coefficients number 1 lacks sigma, which the potential lj needs.")
        self.case(LJ, ("sigma = 1.0\n", "sigma = 1.0\nr0 = 1.0\n"))
        self.refuse("pair.coefficients number 1 gives r0, which the potential lj does not have.")
        self.case(LJ, ("sigma = 1.0\n", "types = [1, 2]\nsigma = 1.0\n"))
        self.refuse("pair.coefficients number 1 is for types 1 and 2; there are types 1 to 1.")

    def test_embedded_atoms(self):
        self.case(EAM, ('"metal"', '"lj"'))
        self.refuse('pair.potential is "eam", whose files are in eV and A: units must be "metal".')
        self.case(EAM, ('"Cu"', '"Cx"'))
        self.refuse("Cx")
        self.case(EAM, ("Cu_u3.eam", "Cu_u4.eam"))
        self.refuse("pair.files cannot be read: ")
        self.case(EAM, ('"funcfl"', '"setfl"'))
        self.refuse("Cu_u3.eam:")
        self.case(EAM, ("[pair]", "[pair]\ncutoff = 5.0"))
        self.assertIn('note: case.toml:10:10: pair.cutoff has no effect, as pair.potential is "eam".',
                      self.succeed("--check").out)

    def test_walls_that_do_not_fit(self):
        wall = '[[wall]]\nside = "y-high"\nkind = "lj93"\nepsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\n'
        self.case(LJ + wall)
        self.refuse("case.toml:19:1: wall number 1 is at the side y-high, where the box is periodic: system.periodic must be "
                    "false along y.")
        self.case(LJ + wall.replace("sigma = 1.0\n", ""), ("[4, 4, 4]", "[4, 4, 4]\nperiodic = [true, false, true]"))
        self.refuse('wall.sigma is missing, and required as kind is "lj93";')
        self.case(LJ + wall, ("[4, 4, 4]", "[4, 4, 4]\nperiodic = [true, false, true]"),
                  ("dt = 0.005", 'dt = 0.005\nensemble = "npt"\ntemperature = 1.0\ntemperature_time = 0.1\npressure = 1.0\n'
                                 "pressure_time = 0.5\ncompressibility = 0.1"))
        self.refuse('wall number 1 works in stage 1, whose ensemble is "npt": the box would push its walls through the atoms.')
        self.case(LJ + wall.replace("y-high", "y_high"))
        self.refuse('"y-high"')
        tilted = DATA.replace('"start.data"', '"start.data"\nperiodic = [true, false, true]') + wall
        self.case(tilted)
        self.atoms(["1 1 1 1 1"])
        text = (self.folder / "start.data").read_text()
        (self.folder / "start.data").write_text(text.replace("zhi\n", "zhi\n0.0 0.0 0.5 xy xz yz\n"))
        self.refuse("wall number 1 is at the side y-high, which is not perpendicular to y: the box is tilted by (0, 0, 0.5).",
                    ranks=2)

    def test_groups_that_do_not_fit(self):
        group = '[[group]]\nname = "low"\ntypes = [1]\nids = [[1, 40]]\nz = [-2.0, -1.0]\n'
        self.case(LJ + group)
        for ranks in (1, 2):
            self.refuse('case.toml:19:1: group number 1 ("low") is empty: of 256 atoms 256 have its types, 40 of those its '
                        "ids, 0 of those lie in its region, and 0 of those are in no group that it is to be without.",
                        ranks=ranks)
        self.case(LJ + group.replace("types = [1]", "types = [2]"))
        self.refuse('group number 1 ("low") has the type 2; there are 1.')
        self.case(LJ + group + group)
        self.refuse('group number 2 ("low") has the name of another one.')
        self.case(LJ + group.replace("low", "low 2"))
        self.refuse('group number 1 ("low 2") has a name of other characters than letters, digits, _ and -, or without '
                    'letters and digits.')
        self.case(LJ + group.replace("types = [1]", 'without = ["low"]'))
        self.refuse('group number 1 ("low") is to be without "low", which is no group before it.')
        self.case(LJ + group.replace("40", "0"))
        self.refuse('group number 1 ("low") has ids from 1 to 0: the first must not be the larger one.')
        self.case(LJ + group + "sphere_radius = 1.0\n")
        self.refuse("group.sphere_centre is missing, and required as sphere_radius is given;")

    def test_actions_that_do_not_fit(self):
        group = '[[group]]\nname = "a"\nids = [[1, 40]]\n[[group]]\nname = "b"\nids = [[40, 50]]\n'
        thermostat = '[[thermostat]]\ngroup = "GROUP"\ntemperature = 1.0\ntemperature_time = 0.1\n'
        a, b = thermostat.replace("GROUP", "a"), thermostat.replace("GROUP", "b")
        self.case(LJ + group + a + b)
        for ranks in (1, 2):
            self.refuse('thermostat is given for the groups "a" and "b", which have 1 atom(s) in common in stage 1: an atom '
                        "can have one thermostat.", ranks=ranks)
        freeze = '[[freeze]]\ngroup = "a"\n'
        self.case(LJ + group + freeze + a)
        self.refuse('thermostat is given for the group "a", whose atoms are all frozen in stage 1.')
        self.case(LJ + group + freeze + a.replace("0.1", "0.1\nstages = [2]"))
        self.refuse("thermostat number 1 is for stage 2; there are 1.")
        self.case(LJ + group + freeze.replace('"a"', '"c"'))
        self.refuse('freeze number 1 is for the group "c", which no [[group]] defines.')
        npt = ("dt = 0.005", 'dt = 0.005\nensemble = "npt"\ntemperature = 1.0\ntemperature_time = 0.1\npressure = 1.0\n'
                             "pressure_time = 0.5\ncompressibility = 0.1")
        self.case(LJ + group + freeze, npt)
        self.refuse('freeze number 1 works in stage 1, whose ensemble is "npt": the atoms would move with the box; a '
                    "[[spring]] holds them in their places.")
        self.case(LJ + group + '[[spring]]\ngroup = "a"\nk = 1.0\n', npt)
        self.succeed("--check")

    def test_charges_without_coulomb_forces(self):
        self.case(DATA)
        self.atoms(["1 1 0.5 1 1 1", "2 1 -0.5 3 1 1"], style="charge")
        for ranks in (1, 3):
            self.refuse("system.data names a file whose atom 1 has the charge 0.5; this version has no Coulomb forces, so "
                        "all charges must be 0.", ranks=ranks)
        self.atoms(["1 1 0.0 1 1 1", "2 1 0.0 3 1 1"], style="charge")
        self.succeed("--check")

    def test_data_files_that_are_not_there_or_wrong(self):
        self.case(DATA)
        self.refuse("system.data cannot be read: ", ranks=2)
        self.atoms(["1 1 1 1 1", "1 1 3 1 1"])
        self.refuse("start.data:", ranks=2)

    def test_what_a_stage_lacks(self):
        self.case(LJ, ("dt = 0.005", 'dt = 0.005\nensemble = "nvt"'))
        self.refuse("temperature")
        # The thermostat that is taken without a word scales velocities: there must be some.
        self.case(LJ, ("[velocity]\ntemperature = 1.44\n", ""),
                  ("dt = 0.005", 'dt = 0.005\nensemble = "nvt"\ntemperature = 1.0\ntemperature_time = 0.1'))
        self.refuse("the atoms have no velocities, which the thermostat of stage 1 would scale")
        self.case(LJ, ("dt = 0.005", 'dt = 0.005\nensemble = "npt"\ntemperature = 1.0\ntemperature_time = 0.1\n'
                                     'pressure = 1.0\npressure_time = 1.0'))
        self.refuse("compressibility")
        self.case(LJ, ("[[stage]]\nsteps = 3\ndt = 0.005\n", ""))
        self.refuse("stage")


    def test_what_is_given_twice_or_does_nothing(self):
        open_z = ("[4, 4, 4]", "[4, 4, 4]\nperiodic = [true, true, false]")
        wall = '[[wall]]\nside = "z-low"\nkind = "reflecting"\n'
        lj = '[[wall]]\nside = "z-high"\nkind = "lj93"\nepsilon = 1.0\nsigma = 0.3\ncutoff = 1.0\n'
        group = '[[group]]\nname = "low"\nids = [[1, 40]]\n'
        self.case(LJ + group + lj + lj + 'group = "low"\n' + wall, open_z)
        self.succeed("--output", "walls")
        self.assertEqual([name for name in self.history("walls")[0] if name.startswith("wall_z")],
                         ["wall_z-high_force", "wall_z-high_low_force"])
        freeze = '[[freeze]]\ngroup = "low"\n'
        self.case(LJ + group + freeze + "stages = [1, 1]\n")
        self.refuse("freeze number 1 names stage 1 twice.")
        self.case(LJ + group + 'columns = ["force", "force"]\n')
        self.refuse('group number 1 ("low") names a column twice.')
        self.case(LJ + group + "types = [1, 1]\n")
        self.refuse('group number 1 ("low") names the type 1 twice.')
        self.case(LJ + group.replace("low", "-"))
        self.refuse('group number 1 ("-") has a name of other characters than letters, digits, _ and -, or without letters '
                    "and digits.")
        self.case(LJ + group.replace("[1, 40]", "[1, 40], [257, 300]"))
        for ranks in (1, 2):
            self.refuse('group number 1 ("low") has ids from 257 to 300; the last atom has the id 256.', ranks=ranks)
        self.case(LJ + group.replace("[1, 40]", "[256, 256]"))
        self.succeed("--check")
        self.case(LJ)
        self.refuse("output.trajectory.formats names a format twice.", "--set", 'output.trajectory.formats=["xyz","xyz"]')
        many = "".join(f'[[group]]\nname = "g{n}"\n' for n in range(25))
        self.case(LJ + many)
        self.refuse("group is given 25 times; at most 24 groups are possible.")

    def test_numbers_beyond_all_reason_are_told_at_their_key(self):
        self.case(LJ)
        for setting, message in (("pair.cutoff=1e-308", "pair.cutoff"), ("pair.cutoff=1e300", "pair.cutoff"),
                                 ("system.density=1e-300", "system.density makes a box 6.35e+100 long; at most 1e+12 are "
                                                           "possible."),
                                 ("velocity.temperature=1e308", "velocity.temperature is 1e+308; at most 512 epsilon/k are "
                                                                "possible, a k T of 512 epsilon.")):
            self.refuse(message, "--set", setting)
        self.refuse("stage number 1: its temperature_end is 1000; at most 512 epsilon/k are possible", "--set",
                    'stage=[{steps=1,dt=0.01,ensemble="nvt",temperature=1.0,temperature_end=1e3,temperature_time=1.0}]')
        self.refuse("stage number 1 has a longest_move of 7, but the box is only 6.71838 wide along x.", "--set",
                    'stage=[{steps=1,dt=0.01,ensemble="minimise",force=0.1,longest_move=7.0}]')

    def test_more_atoms_than_there_is_room_for(self):
        # 1.08e11 atoms would take some 40 TB.
        self.case(LJ, ("[4, 4, 4]", "[3000, 3000, 3000]"))
        for ranks in (1, 2):
            self.refuse("case.toml:4:9: system.cells asks for more than there is room for: 108000000000 atoms take at least "
                        f"37.8 TB on a node with {ranks} of {ranks} rank(s); ", ranks=ranks)

    def test_atoms_outside_of_the_box_are_told_with_their_line(self):
        self.case(DATA, ('"start.data"', '"start.data"\nperiodic = [true, true, false]'))
        self.atoms(["1 1 1 1 1", "7 1 3 3 9.5", "2 1 -1 12 3"])
        for ranks in (1, 2):
            self.refuse("case.toml:5:8: system.data names a file whose atom 7 is outside of the box, which does not repeat along z: "
                        "it is at (3, 3, 9.5).",
                        ranks=ranks)

    def test_files_of_another_kind(self):
        self.case(DATA, ('"start.data"', '"."'))
        self.refuse("system.data cannot be read: Reading ")
        self.refuse("failed: it is a folder.")
        self.case(DATA)
        self.atoms(["1 1 1 1 1", "2 1 3 1 1"])
        (self.folder / "start.data").write_bytes((self.folder / "start.data").read_bytes().replace(b"\n", b"\r"))
        self.refuse("start.data: ends its lines with carriage returns alone")
        self.case(LJ)
        result = self.run_program("case.toml", "--restart", str(self.folder))
        self.assertEqual(result.code, 2, result.text)
        self.assertIn(f"--restart {self.folder}: there is no checkpoint in this folder.", result.text)

    def test_restarts_of_other_or_damaged_checkpoints(self):
        group = '[[group]]\nname = "low"\nids = [[1, 40]]\n'
        self.case(LJ + group + '[[spring]]\ngroup = "low"\nk = 1.0\n')
        self.succeed("--output", "run", "--steps", "2")
        self.case(LJ + group)
        result = self.run_program("case.toml", "--output", "run")
        self.assertEqual(result.code, 2, result.text)
        self.assertRegex(result.text, "has an array start_position, which this run does not need: the case asks for another state "
                                      "than the one that wrote it. Change it back, or begin anew with --restart never")
        self.case(LJ + group + '[[spring]]\ngroup = "low"\nk = 1.0\n')
        checkpoint = self.folder / "run/checkpoint/step_00000002.h5"
        whole = checkpoint.read_bytes()
        at = len(whole) // 2
        for damaged in (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:], whole[:1000]):
            checkpoint.write_bytes(damaged)
            result = self.run_program("case.toml", "--output", "run")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("is whole; to begin anew give --restart never --overwrite", result.text)
            self.assertIn("nothing was computed", result.last_line)
        checkpoint.write_bytes(whole)
        self.succeed("--output", "run")


class Echo(Md):
    """What is said of units and of values that are hardly meant, at the start and by --check."""

    def said(self, *arguments):
        text = self.succeed("--check", *arguments).out
        self.runs = getattr(self, "runs", 0) + 1
        run = self.succeed("--output", f"run{self.runs}", "--steps", "0", *arguments).out
        self.assertEqual([line for line in run.splitlines() if line.startswith("note: ")],
                         [line for line in text.splitlines() if line.startswith("note: ")])
        return text

    def test_units_and_si(self):
        self.case(EAM, ("lattice_constant = 3.615", "lattice_constant = 3.615\n[velocity]\ntemperature = 300.0"))
        text = self.said()
        self.assertIn("units metal, constants si2019: k = 8.617333262145179e-05 eV/K; 1 g/mol (A/ps)2 = "
                      "0.00010364269656262175 eV; 1 eV/A3 = 1602176.634 bar", text)
        # 256 atoms of 63.55 g/mol in (4 * 3.615 A)^3.
        self.assertIn("in SI: box 1.446e-09 x 1.446e-09 x 1.446e-09 m, density 8935.11 kg/m3, dt 5e-15 s, temperature "
                      "300 K (k T = 4.14195e-21 J)", text)
        self.assertNotIn("note: ", text)
        self.case(LJ)
        text = self.said()
        self.assertIn("units lj: reduced", text)
        self.assertIn("0.8442 atoms/sigma3", text)
        self.assertNotIn("in SI: ", text)
        self.assertNotIn("note: ", text)

    def test_a_dt_that_is_hardly_meant(self):
        self.case(EAM)
        text = self.said("--set", "stage=[{steps=3,dt=1.0},{steps=3,dt=0.5},{steps=3,dt=0.002}]")
        self.assertEqual(text.count("note: "), 1)
        self.assertIn("note: dt = 1 ps of stage 1 is more than 0.02 ps, which is already long in units metal for "
                      "atoms of 63.55 g/mol; likewise of 1 more", text)
        self.case(LJ)
        self.assertIn("note: dt = 0.04 tau of stage 1 is so long that at 1.44 epsilon/k the lightest atoms (mass 1 m) move "
                      "0.048 sigma in one step, with 1.06 sigma between atoms", self.said("--set", "stage=[{steps=1,dt=0.04}]"))

    def test_a_dt_that_is_far_too_short(self):
        self.case(LJ, ("dt = 0.005", "dt = 5e-6"))
        # sqrt(k T / m) = 1.2 sigma/tau.
        self.assertIn("note: dt = 5e-06 tau of stage 1 is so short that the run takes many times the steps that it needs: less than a "
                      "hundredth of 0.05 tau, and at 1.44 epsilon/k the lightest atoms (mass 1 m) move 6e-06 sigma in a step, with "
                      "1.06 sigma between atoms: is it meant in these units?", self.said())
        # What flies fast needs such steps.
        self.assertNotIn("so short", self.said("--set", "velocity.temperature=500.0"))
        self.assertNotIn("so short", self.said("--set", "stage.1.dt=0.001"))

    def test_a_dt_beyond_a_bond(self):
        # k (r - r0)^2 with k = 450 kcal/mol/A2 and 1 g/mol: 2 pi sqrt(1 / (900 * 4.184e-4)) fs = 10.24 fs.
        self.case(DATA.replace('"lj"\n[system]', '"real"\n[system]'), ("dt = 0.005", "dt = 2.0"), ("cutoff = 2.5", "cutoff = 4.0"))
        (self.folder / "start.data").write_text(
            "two\n\n2 atoms\n1 bonds\n1 atom types\n1 bond types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nMasses\n\n1 1.0\n\n"
            "Bond Coeffs # harmonic\n\n1 450 1.0\n\nAtoms # bond\n\n1 1 1 1 1 1\n2 1 1 2 1 1\n\nBonds\n\n1 1 1 2\n")
        self.assertIn("note: dt = 2 fs of stage 1 is more than an eighth of the period of the stiffest bond with the lightest "
                      "atom, 10.24 fs", self.said())
        self.assertNotIn("note: dt", self.said("--set", "stage=[{steps=1,dt=1.0}]"))

    def test_densities_and_temperatures_that_are_hardly_meant(self):
        self.case(LJ)
        self.assertIn("note: the density, 2.5 atoms per sigma3, is beyond that of any crystal: atoms overlap",
                      self.said("--set", "system.density=2.5", "--set", "system.cells=[5,5,5]"))
        text = self.said("--set", "system.density=1e-4", "--set", "velocity.temperature=500.0", "--set",
                         "stage=[{steps=1,dt=0.0001}]")
        self.assertIn("note: the density, 0.0001 atoms per sigma3, is nearly that of a vacuum: an atom has 0.0065 others "
                      "within the cutoff on average, 21.54 sigma apart", text)
        self.assertIn("note: a temperature of 500 epsilon/k is asked for, above 100", text)
        self.assertEqual(text.count("note: "), 2)
        self.case(EAM, ("[4, 4, 4]", "[8, 8, 8]"))
        self.assertIn("g/cm3, is above that of any metal: atoms 1.", self.said("--set", "system.lattice_constant=2.0"))


DUMP = """
import sys, json, glob, numpy as np, h5py
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.util.numpy_support import vtk_to_numpy
found = {"h5md": {}, "vtk": {}}
with h5py.File(glob.glob("run/trajectory/*.h5")[0]) as file:
    def add(name, item):
        if isinstance(item, h5py.Dataset): found["h5md"]["/" + name] = [str(item.dtype), list(item.shape)]
    file.visititems(add)  # an object that several names link to is met once
    for name in ("particles/all/position/step", "particles/all/position/time"):
        add(name, file[name])
    for name in ("velocity", "force", "image", "box/edges"):
        assert (file[f"particles/all/{name}/step"][()] == file["particles/all/position/step"][()]).all()
reader = vtkXMLPolyDataReader()
reader.SetFileName(sorted(glob.glob("run/trajectory/*.vtp"))[-1])
reader.Update()
frame = reader.GetOutput()
arrays = {"Points": frame.GetPoints().GetData()}
for of in (frame.GetPointData(), frame.GetFieldData()):
    for n in range(of.GetNumberOfArrays()):
        array = of.GetAbstractArray(n)
        arrays[array.GetName()] = array
for name, array in arrays.items():
    if array.IsA("vtkStringArray"): found["vtk"][name] = ["text", []]
    else: found["vtk"][name] = [str(vtk_to_numpy(array).dtype), list(vtk_to_numpy(array).shape)]
print(json.dumps(found))
"""


class Results(Md):
    """docs/results.md against what a run leaves."""

    def tables(self, start):
        """{name: (type, shape)} of the table that follows a line that begins so; of several names in a row each."""
        page = (Path(os.environ["HALYARD_DOCS"]) / "results.md").read_text()
        table = page[page.index("\n" + start):].split("\n|---", 1)[1].split("\n\n", 1)[0]
        found = {}
        for line in table.splitlines()[1:]:
            names, types, shapes = (cell.strip() for cell in line.split("|")[1:4])
            names, types = re.findall("`([^`]+)`", names), types.split(", ")
            shapes = [shape for shape in shapes.split(", ") if not shape.startswith("tilted")]
            for n, name in enumerate(names):
                found[name] = (types[min(n, len(types) - 1)], shapes[min(n, len(shapes) - 1)])
        return found

    def test_the_files_of_a_trajectory(self):
        python = "/usr/bin/python3"
        if subprocess.run([python, "-c", "import h5py, vtk"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("h5py or VTK not installed")
        self.case(LJ + '[output.trajectory]\nformats = ["h5md", "vtk", "xyz"]\nevery_steps = 1\nforces = true\n')
        self.succeed("--output", "run")
        found = json.loads(subprocess.run([python, "-c", DUMP], cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout)
        sizes = {"n": 256, "f": 4}
        for form, start in (("h5md", "**H5MD**"), ("vtk", "**VTK**")):
            told, links = self.tables(start), set()
            for name, (kind, shape) in told.items():
                self.assertIn(name, found[form])
                self.assertEqual(found[form][name][0], kind, name)
                if kind != "text":
                    wanted = [int(sizes.get(size, size)) for size in re.findall(r"\[(\w+)\]", shape)]
                    self.assertEqual(found[form][name][1], wanted, name)
            if form == "h5md":
                links = {name for name in found[form] if re.search("/(step|time)$", name)}
            self.assertEqual(set(found[form]) - links - set(told), set(), "in no table of docs/results.md")
        lines = next((self.folder / "run/trajectory").glob("*.xyz")).read_text().splitlines()
        self.assertEqual(len(lines), 4 * 258)
        page = (Path(os.environ["HALYARD_DOCS"]) / "results.md").read_text()
        properties = re.search(r"Properties=[^` ]*", page[page.index("**Extended XYZ**"):])[0]
        self.assertIn(f"{properties}:forces:R:3:id:I:1 pbc=", lines[1])
        self.assertEqual(re.findall(r"(\w+)=", lines[1]), ["Lattice", "Origin", "Properties", "pbc", "Time", "Step"])


class Starts(Md):
    def same_on(self, ranks, *arguments):
        for n in (1, *ranks):
            self.succeed("--output", f"run{n}", "--set", "output.history.every_steps=1", *arguments, ranks=n,
                         timeout=200)  # more ranks than cores
            self.assertEqual(self.summary(f"run{n}")["state_hash"], self.summary("run1")["state_hash"])
            self.assertEqual(self.history(f"run{n}"), self.history("run1"))

    def test_no_atoms_at_all(self):
        self.case(DATA)
        self.atoms([])
        self.same_on((2, 6))

    def test_one_atom_in_all_and_ranks_without_atoms(self):
        self.case(DATA, ("steps = 3", "steps = 90"))
        self.atoms(["1 1 8.99 4 4", "", "Velocities", "", "1 9 1.5 -6"])
        (self.folder / "start.data").write_text((self.folder / "start.data").read_text().replace("5 atoms", "1 atoms"))
        self.same_on((2, 6))

    def test_every_ensemble_with_fewer_atoms_than_ranks(self):
        held = 'temperature = 1.0\ntemperature_time = 0.1\n'
        pressed = 'ensemble = "npt"\npressure = 0.0\npressure_time = 1.0\n' + held
        cell = pressed + 'barostat = "cell_rescaling"\ncompressibility = 0.01\n'
        ensembles = ['ensemble = "nvt"\nthermostat = "langevin"\n' + held,
                     'ensemble = "nvt"\nthermostat = "velocity_rescaling"\n' + held,
                     'ensemble = "nvt"\nthermostat = "nose_hoover"\n' + held, cell, cell + 'coupling = "anisotropic"\n',
                     pressed + 'barostat = "mttk"\n', pressed + 'barostat = "mttk"\ncoupling = "semi_isotropic"\n',
                     'ensemble = "minimise"\nforce = 1e-9\nlongest_move = 0.1\n', ""]
        stages = "".join(f"[[stage]]\nsteps = 6\ndt = 0.004\n{ensemble}" for ensemble in ensembles)
        for atoms in ([], ["1 1 8.99 4 4"], ["1 1 0.3 0.3 0.3", "2 1 8.3 8.4 8.6"]):
            self.case(DATA, ("[[stage]]\nsteps = 3\ndt = 0.005\n", stages), ("[pair]", "[velocity]\ntemperature = 1.0\n[pair]"))
            self.atoms(atoms)
            with self.subTest(atoms=len(atoms)):
                self.same_on((6,), "--overwrite")
                for row in self.history("run1"):
                    # In the minimisation, stage 8, nothing is conserved.
                    self.assertLessEqual(sum(word.strip("-") in ("nan", "inf") for word in row), 2 if row[3] == "8" else 0, row)

    def test_two_atoms_that_meet_over_a_corner(self):
        self.case(DATA, ("steps = 3", "steps = 60"))
        self.atoms(["1 1 0.3 0.3 0.3", "2 1 8.3 8.4 8.6"])
        self.same_on((2, 4, 8))

    def test_atoms_at_the_same_place(self):
        self.case(DATA)
        # On either side of the box, which is a cut between ranks too; the ids are those of the file.
        self.atoms(["11 1 9 0 2", "7 1 0 9 2", "3 1 5 5 5", "4 1 5.1 5 5"])
        for ranks in (1, 2, 4):
            result = self.run_program("case.toml", "--output", f"run{ranks}", ranks=ranks)
            self.assertNotEqual(result.code, 0)
            self.assertIn("atoms 7 and 11, 0 sigma apart, have come so close that their force is beyond 8192 epsilon/sigma;",
                          result.text)

    def test_a_minimisation_takes_overlapping_atoms_apart_or_names_them(self):
        minimise = '[[stage]]\nsteps = 400\ndt = 0.002\nensemble = "minimise"\nforce = 1e-3\nlongest_move = 0.1\n'
        self.case(DATA.replace("[[stage]]", minimise + "[[stage]]"))
        self.atoms(["9 1 2 2 2", "4 1 2.1 2 2", "5 1 0 8.9 5", "6 1 9 0 5"])
        for ranks in (1, 2):
            result = self.succeed("--output", f"run{ranks}", ranks=ranks)
            self.assertRegex(result.text, "step [0-9]+: minimisation ended after ")
        self.assertEqual(self.summary("run1")["state_hash"], self.summary("run2")["state_hash"])
        # Too few steps, then no way at all: ids are those of the file.
        for ranks in (1, 2):
            result = self.run_program("case.toml", "--output", f"short{ranks}", "--set",
                                      'stage=[{steps=2,dt=1e-6,ensemble="minimise",force=1e-3,longest_move=1e-6}]', ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            self.assertRegex(result.text, r"atoms 4 and 9, 0\.1\d* sigma apart, are still too close at the end of the minimisation; "
                                          "more steps, or a larger longest_move, may take them apart")
        self.atoms(["11 1 9 0 2", "7 1 0 9 2", "3 1 5 5 5", "4 1 5.1 5 5"])
        for ranks in (1, 2, 4):
            result = self.run_program("case.toml", "--output", f"equal{ranks}", ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("atoms 7 and 11, 0 sigma apart, are at the same place, where no force takes them apart", result.text)

    def rows(self, run):
        header, *rows = self.history(run)
        return [dict(zip(header, row)) for row in rows]

    def test_a_minimisation_that_does_not_end_says_what_is_left(self):
        self.case(LJ.replace("[[stage]]", '[[stage]]\nsteps = 6\ndt = 0.002\nensemble = "minimise"\nforce = 1e-3\n'
                                          'longest_move = 0.1\n[[stage]]') + "[output.history]\nevery_steps = 1\n",
                  ("density = 0.8442", "density = 0.8442\nperiodic = [true, true, false]"))
        forces = {}
        for ranks in (1, 2):
            result = self.succeed("--output", f"run{ranks}", ranks=ranks)
            forces[ranks] = [row["largest_force"] for row in self.rows(f"run{ranks}")]
        self.assertEqual(forces[1], forces[2])
        self.assertEqual(len(forces[1]), 10)  # a row a step, the start, and both stages
        last = float(forces[1][6])
        self.assertGreater(last, 1e-3)
        self.assertIn(f"warning: step 6: the minimisation of stage 1 has not ended within its 6 steps: the largest force component "
                      f"is {last:.4g} epsilon/sigma, above its target, force = 0.001 epsilon/sigma.", result.text)
        # Stopped and gone on, the column is the same.
        self.succeed("--output", "cut", "--steps", "4")
        result = self.succeed("--output", "cut", "--restart", "required", ranks=2)
        self.assertEqual([row["largest_force"] for row in self.rows("cut")], forces[1])
        self.assertIn("step 4, t = 0 tau: stage 1 of 2 goes on after 4 of its 6 steps: minimise, to forces of 0.001 epsilon/sigma; "
                      "at most 2 steps", result.text)

    def test_stages_and_what_they_hold_are_told(self):
        stages = ('[[stage]]\nname = "melt"\nensemble = "nvt"\ntemperature = 1.5\ntemperature_end = 1.0\n'
                  'temperature_time = 0.5\nsteps = 4\ndt = 0.005\n[[stage]]')
        self.case(LJ, ("[[stage]]", stages))
        result = self.succeed("--output", "run", "--set", "log.every_seconds=1e-9",
                              "--set", "output.history.every_steps=1")
        for line in ("step 0, t = 0 tau: stage 1 of 2 (melt) begins: nvt, velocity_rescaling, 1.5 to 1 epsilon/k, time constant "
                     "0.5 tau; 4 steps of 0.005 tau, to t = 0.02 tau",
                     "step 4, t = 0.02 tau: stage 1 of 2 (melt) ends after 4 steps",
                     "step 4, t = 0.02 tau: stage 2 of 2 begins: nve; 3 steps of 0.005 tau, to t = 0.035 tau",
                     "step 7, t = 0.035 tau: stage 2 of 2 ends after 3 steps"):
            self.assertEqual(result.text.count(line + "\n"), 1, line + "\nis not in\n" + result.text)
        row = self.rows("run")[6]
        shown = [f"  {label} = {float(row[column]):.5g} {unit}\\b" for label, column, unit in
                 (("T", "temperature", "epsilon/k"), ("P", "pressure", "epsilon/sigma3"), ("U", "potential_energy", "epsilon"),
                  ("E", "total_energy", "epsilon"))]
        self.assertRegex(result.text, "step +6 .*" + ".*".join(s.replace("+", r"\+") for s in shown))

    def test_electron_densities_beyond_the_table_are_told_once(self):
        self.case(EAM)
        for ranks in (1, 2):
            run = f"run{ranks}"
            result = self.succeed("--output", run, "--set", "system.lattice_constant=2.4", "--set", "system.cells=[8,5,5]",
                                  "--set", "output.history.every_steps=1", ranks=ranks)
            self.assertEqual(result.text.count("is outside the table"), 1, result.text)
            self.assertRegex(result.text, r"warning: step 0: the electron density of 800 atom\(s\) is outside the table of F, which "
                                          r"goes from 0 to 0\.25: the largest is 0\.\d+\.")
            rows = self.history(run)
            self.assertEqual([row[rows[0].index("densities_outside")] for row in rows[1:]], ["800"] * 4)
        self.succeed("--output", "good")
        rows = self.history("good")
        self.assertEqual([row[rows[0].index("densities_outside")] for row in rows[1:]], ["0"] * 2)

    def test_a_slab_with_vacuum(self):
        # Free surfaces along z: the energy does not depend on how much space there is, nor on whether the box repeats there, as long
        # as no force reaches over it.
        slab = ("--set", "system.periodic=[true,true,false]")
        self.case(LJ)
        edge = (256 / 0.8442) ** (1 / 3)
        for run, gap, more in (("wide", 7.0, slab), ("narrow", 3.0, slab), ("repeats", 1.25, ())):
            self.succeed("--output", run, "--set", f"system.vacuum=[0,0,{gap}]", *more)
            self.assertAlmostEqual(float(self.rows(run)[0]["volume"]), edge**2 * (edge + 2 * gap), delta=1e-9)
        energy = {run: [row["potential_energy"] for row in self.rows(run)] for run in ("wide", "narrow", "repeats")}
        self.assertEqual(energy["narrow"], energy["wide"])
        self.assertEqual(energy["repeats"], energy["wide"])
        # Eight layers of fcc (001); bulk and surfaces by lattice sums over all pairs within the cutoff.
        a = edge / 4
        sites = [(i, j, k) for i in range(-6, 7) for j in range(-6, 7) for k in range(-8, 9) if (i + j + k) % 2 == 0]
        total = 0.0
        for layer in range(8):
            for i, j, k in sites:
                r2 = (i * i + j * j + k * k) * (0.5 * a) ** 2
                if 0 <= layer + k < 8 and 0.0 < r2 < 6.25:
                    total += 0.5 * 32 * 4.0 * (r2**-6 - r2**-3)
        self.assertAlmostEqual(float(energy["wide"][0]), total, delta=1e-7)  # 256 atoms times terms rounded to 2^-30 or so
        for n in (2, 3):
            self.succeed("--output", f"ranks{n}", "--set", "system.vacuum=[0,0,3]", *slab, ranks=n)
            self.assertEqual(self.summary(f"ranks{n}")["state_hash"], self.summary("narrow")["state_hash"])
            self.assertEqual(self.history(f"ranks{n}"), self.history("narrow"))
        self.case(LJ, ("[system]\n", "[system]\nperiodic = [true, true, false]\n"))
        self.assertIn("system.periodic is false along z, where the crystal fills the box: atoms that leave it stop the run.",
                      self.succeed("--check").text)
        self.assertNotIn("fills the box:", self.succeed("--check", "--set", "system.vacuum=[0,0,1]").text)
        self.assertNotIn("fills the box:", self.succeed("--check", "--set", 'wall=[{side="z-low",kind="reflecting"},{side="z-high",kind="reflecting"}]').text)

    def test_a_chain_of_a_group_goes_on_where_it_was(self):
        self.case(LJ, ("[neighbour]", '[[group]]\nname = "low"\nz = [0.0, 3.0]\n[[thermostat]]\ngroup = "low"\nkind = "nose_hoover"\n'
                                      "temperature = 1.0\ntemperature_time = 0.1\n[neighbour]"), ("steps = 3", "steps = 6"))
        self.succeed("--output", "whole")
        self.succeed("--output", "cut", "--steps", "3", ranks=2)
        self.succeed("--output", "cut", "--restart", "required")
        self.assertEqual(self.summary("cut")["state_hash"], self.summary("whole")["state_hash"])
        self.assertEqual(self.history("cut"), self.history("whole"))

    def test_a_restart_under_another_case_names_its_keys(self):
        self.case(LJ, ("[neighbour]", '[[group]]\nname = "low"\nz = [0.0, 3.0]\n[neighbour]'))
        self.succeed("--output", "run")
        for change, told in (("pair.coefficients.1.epsilon=1.5", "pair.coefficients.1.epsilon is 1.0 there and 1.5 here"),
                             ("pair.mixing=arithmetic", 'pair.mixing is "geometric" there and "arithmetic" here'),
                             ("pair.cutoff=2.25", "pair.cutoff is 2.5 there and 2.25 here"),
                             ("units=real", 'units is "lj" there and "real" here'),
                             ("system.periodic=[true,true,false]",
                              "system.periodic is [true, true, true] there and [true, true, false] here"),
                             ("group.low.z=[0.0,2.0]", "group.1.z is [0.0, 3.0] there and [0.0, 2.0] here"),
                             ("analysis.rdf.every_steps=2", "analysis.rdf.every_steps is absent there and 2 here")):
            result = self.run_program("case.toml", "--output", "run", "--restart", "required", "--set", change)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("belongs to another case: ", result.text)
            self.assertIn(told, result.text)
        # What the meaning of a checkpoint does not depend on may change.
        self.succeed("--output", "run", "--restart", "required", "--set", "stage.1.steps=5")

    def test_a_run_that_has_ended_goes_on_where_its_last_stage_is_longer(self):
        first = '[[stage]]\nsteps = 2\ndt = 0.005\n'
        self.case(LJ, ("[[stage]]", first + "[[stage]]"))
        self.succeed("--output", "run", ranks=2)
        result = self.succeed("--output", "run", "--restart", "required")
        self.assertIn("all 2 stage(s) have ended at step 5: nothing is left to run", result.text)
        result = self.succeed("--output", "other", "--steps", "9")
        self.assertIn("the stages end at step 5: the 9 steps that are asked for change nothing", result.text)
        self.succeed("--output", "cut", "--steps", "4")
        self.case(LJ, ("[[stage]]", first + "[[stage]]"), ("steps = 3", "steps = 1"))
        result = self.run_program("case.toml", "--output", "cut", "--restart", "required")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("stage 2 has 1 steps, but the checkpoint comes from its step 2", result.text)
        self.case(LJ, ("[[stage]]", first + "[[stage]]"), ("steps = 3", "steps = 8"))
        self.succeed("--output", "run", "--restart", "required")
        self.succeed("--output", "whole")
        self.assertEqual(self.summary("run")["steps"], 10)
        self.assertEqual(self.summary("run")["state_hash"], self.summary("whole")["state_hash"])

    def test_moves_that_no_box_can_count_end_in_words(self):
        for dt in ("1e12", "1e30", "1e100", "1e307"):
            self.case(LJ, ("dt = 0.005", f"dt = {dt}"), ("steps = 3", "steps = 20"))
            for ranks in (1, 2):
                result = self.run_program("case.toml", "--output", "run", "--overwrite", ranks=ranks)
                self.assertEqual(result.code, 1, result.text)
                self.assertRegex(result.text, r"atom 1 has gone further than can be counted in boxes.*in step 1")
        self.case(DATA)
        self.atoms(["1 1 1 1 1", "2 1 4 4 1e15"])
        result = self.run_program("case.toml", "--output", "run", "--overwrite")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("case.toml:5:8: system.data names a file whose atom 2 has gone further than can be counted in boxes: it is at (4, 4, "
                      "1000000000000000).", result.text)

    def test_write_data(self):
        self.case(LJ)
        self.succeed("--output", "run", "--write-data", "end.data")
        self.assertIn("256 atoms", (self.folder / "run" / "end.data").read_text())
        for name, what in (("a/b.data", 'is "a/b.data"; it must be a name'),
                           ("x" * 247 + ".data", "is a name of 252 bytes; at most 251 are possible")):
            result = self.run_program("case.toml", "--output", "run2", "--write-data", name)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("output.data_file " + what, result.text)
        self.succeed("--output", "run3", "--write-data", "x" * 246 + ".data")

    def test_a_data_file_that_cannot_be_written_is_told_before_anything_is_computed(self):
        self.case(LJ)
        self.succeed("--output", "run", "--steps", "2")
        (self.folder / "run/end.data").mkdir()
        for ranks in (1, 2):
            result = self.run_program("case.toml", "--output", "run", "--write-data", "end.data", ranks=ranks)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("run/end.data cannot be written: it is a folder. (nothing was computed)", result.last_line)
        (self.folder / "run/end.data").rmdir()
        self.succeed("--output", "run", "--write-data", "end.data")
        self.succeed("--output", "whole", "--write-data", "end.data")
        self.assertEqual((self.folder / "run/end.data").read_text(), (self.folder / "whole/end.data").read_text())

    def test_an_atom_too_fast_for_the_sums_is_named_before_a_row_is_written(self):
        self.case(DATA)
        self.atoms(["12 1 1 1 1", "7 1 4 4 4", "9 1 7 7 7"])
        with open(self.folder / "start.data", "a", encoding="utf-8") as data:
            data.write("\nVelocities\n\n12 0 0 0\n7 0 -200 10\n9 0 0 190\n")
        for ranks in (1, 2):
            result = self.run_program("case.toml", "--output", f"run{ranks}", ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("atom 7 has the velocity (0, -200, 10) sigma/tau in step 0: m v2 = 40100 epsilon, while sums of m "
                          "v2 take up to 32768 epsilon an atom; a shorter dt may help", result.text)
            self.assertFalse((self.folder / f"run{ranks}/history.csv").exists())
        # On the way: 25 a step from a force of 5000, so 200 in step 8 (the first half kick is of the step before).
        self.case(DATA + '[[group]]\nname = "fast"\nids = [[7, 7]]\n[[force]]\ngroup = "fast"\nvalue = [5000.0, 0.0, 0.0]\n',
                  ("steps = 3", "steps = 30"))
        self.atoms(["12 1 1 1 1", "7 1 4 4 4", "9 1 7 7 7"])
        for ranks, end in ((1, []), (2, []), (1, ["--steps", "8", "--set", "output.history.every_steps=100"])):
            result = self.run_program("case.toml", "--output", "run", "--overwrite", "--set", "output.history.every_steps=1", *end,
                                      ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("atom 7 has the velocity (200, 0, 0) sigma/tau in step 8: m v2 = 40000 epsilon", result.text)
            self.assertNotIn("nan", (self.folder / "run/history.csv").read_text())
            self.assertNotIn("step 8: checkpoint", result.text)

    def test_atoms_behind_a_lennard_jones_wall_are_named(self):
        wall = '[[wall]]\nside = "z-low"\nkind = "lj93"\nepsilon = 1.0\nsigma = 1.0\ncutoff = 2.5\n'
        self.case(DATA + wall, ('"start.data"', '"start.data"\nperiodic = [true, true, false]'))
        self.atoms(["11 1 1 1 0", "7 1 3 3 0", "3 1 5 5 5", "4 1 7 7 5"])
        for ranks in (1, 2):
            result = self.run_program("case.toml", "--output", f"run{ranks}", ranks=ranks)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("case.toml:18:1: wall does not suit the start: in step 0 atom 7 is at (3, 3, 0) sigma, on or behind "
                          "the lj93 wall at the side z-low, z = 0;", result.text)
            self.assertFalse((self.folder / f"run{ranks}").exists())
        # 1.7 in a step: behind the wall at once, and out of the box.
        self.atoms(["11 1 1 1 3", "7 1 3 3 0.9", "3 1 5 5 5", "4 1 7 7 5"])
        with open(self.folder / "start.data", "a", encoding="utf-8") as data:
            data.write("\nVelocities\n\n11 0 0 0\n7 0 0 -170\n3 0 0 0\n4 0 0 0\n")
        for ranks in (1, 2):
            result = self.run_program("case.toml", "--output", f"fast{ranks}", "--set", "stage=[{steps=3,dt=0.01}]", ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            self.assertRegex(result.text, r"atom 7 has left the box, which does not repeat along z \(a shorter dt may help\): it is at \(3, 3, -0\..* "
                                          r"in step 1")

    def test_a_dt_far_too_long_ends_in_words(self):
        self.case(LJ)
        for ranks in (1, 2):
            result = self.run_program("case.toml", "--output", f"run{ranks}", "--set",
                                      "stage=[{steps=2000,dt=0.2}]", ranks=ranks)
            self.assertEqual(result.code, 1, result.text)
            self.assertRegex(result.text, r"atoms \d+ and \d+, 0\.\d+ sigma apart, have come so close|is (nan|inf|-inf)")

    def test_a_box_that_shrinks_below_two_cutoffs_ends_in_words(self):
        self.case(LJ, ("steps = 3\ndt = 0.005", 'steps = 4000\ndt = 0.005\nensemble = "npt"\ntemperature = 0.8\n'
                       'temperature_time = 0.1\npressure = 60.0\npressure_time = 0.2\ncompressibility = 0.03'))
        result = self.run_program("case.toml", "--output", "run", "--set", "pair.cutoff=3.2")
        self.assertEqual(result.code, 1, result.text)
        self.assertRegex(result.text, r"the box has shrunk to 6\.\d+ along x.*3\.2")
        # Bricks too thin for the cutoff, on two ranks.
        result = self.run_program("case.toml", "--output", "run2", "--set", "neighbour.skin=0.8", ranks=2)
        self.assertEqual(result.code, 1, result.text)
        self.assertRegex(result.text, r"the box has shrunk to \d\.\d+ along z, which is cut in 2: .*thinner than cutoff "
                                      r"and skin, 3\.3")


if __name__ == "__main__":
    unittest.main(verbosity=2)
