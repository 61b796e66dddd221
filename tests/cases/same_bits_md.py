"""Same case, same bits, of halyard-md: state hash and history on 1, 2, 3, 4 and 7 ranks, on 2 threads, and stopped on the
way and restarted on another number of ranks: within a stage, at the end of one, and just after.

    same_bits_md.py MPIEXEC PROGRAM CASES FOLDER NAME
"""
import pathlib
import random
import sys

import run

# Hot enough that an atom moves half the skin within some five steps: the pair list is renewed several times a stage.
LJ = """program = "halyard-md"
units = "lj"
[system]
lattice = "fcc"
cells = [12, 5, 4]
density = 0.8442
[velocity]
temperature = 1.44
seed = 5
[pair]
potential = "lj"
cutoff = 2.5
[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0
[neighbour]
skin = 0.3
"""
TWO_TYPES = """program = "halyard-md"
units = "lj"
[[type]]
name = "A"
mass = 1.0
[[type]]
name = "B"
mass = 2.5
[system]
lattice = "bcc"
cells = [14, 5, 5]
density = 0.8
composition = [0.7, 0.3]
[velocity]
temperature = 1.3
[pair]
potential = "lj-force-shifted"
cutoff = 2.3
mixing = "sixth_power"
[[pair.coefficients]]
types = [1, 1]
epsilon = 1.0
sigma = 1.0
[[pair.coefficients]]
types = [2, 2]
epsilon = 0.7
sigma = 0.9
cutoff = 2.1
[neighbour]
skin = 0.25
"""
COPPER = """program = "halyard-md"
units = "metal"
[[type]]
name = "Cu"
mass = 63.55
[system]
lattice = "fcc"
cells = [12, 3, 3]
lattice_constant = 3.615
[velocity]
temperature = 2500.0
[pair]
potential = "eam"
files = ["CASES/copper-eam/Cu_u3.eam"]
file_format = "funcfl"
[neighbour]
skin = 0.6
"""

# Of walls(), whose atoms reach both.
WALLS = """[[wall]]
side = "y-low"
kind = "reflecting"
[[wall]]
side = "y-high"
kind = "lj93"
epsilon = 2.0
sigma = 1.0
cutoff = 3.0
"""


def stage(steps, text, dt=0.004):
    return f"[[stage]]\nsteps = {steps}\ndt = {dt}\n{text}\n"


HELD = 'temperature = 1.2\ntemperature_time = 0.1\n'
PRESSED = HELD + 'ensemble = "npt"\npressure = 1.5\npressure_time = 0.4\n'
CELL = PRESSED + 'barostat = "cell_rescaling"\ncompressibility = 0.1\nseed = 3\n'
MTTK = PRESSED + 'barostat = "mttk"\n'
MINIMISE = 'ensemble = "minimise"\nforce = 1e-6\nlongest_move = 0.1\n'
RAMP = HELD + 'ensemble = "nvt"\nthermostat = "nose_hoover"\ntemperature_end = 0.9\n'

# The crystal pulls at first: room for seven ranks when the box has shrunk.
LONGER = LJ.replace("[12, 5, 4]", "[14, 5, 4]")

# Groups: two of them overlap, and what acts on them changes from stage to stage.
GROUPS = LJ + """[[group]]
name = "bottom"
z = [0.0, 1.5]
columns = ["temperature", "force"]
[[group]]
name = "ball"
sphere_centre = [9.0, 4.0, 4.0]
sphere_radius = 2.5
columns = ["temperature", "kinetic_energy", "centre_of_mass", "momentum", "force"]
[[group]]
name = "some"
ids = [[1, 200], [500, 533]]
without = ["ball"]
[[freeze]]
group = "bottom"
stages = [1]
[[freeze]]
group = "bottom"
components = [false, false, true]
stages = [2]
[[force]]
group = "ball"
value = [2.0, 0.0, -1.0]
stages = [1, 2]
[[spring]]
group = "some"
k = 20.0
[[thermostat]]
group = "ball"
kind = "langevin"
temperature = 2.0
temperature_time = 0.2
stages = [1, 2, 4]
[[thermostat]]
group = "some"
temperature = 1.0
temperature_end = 1.2
temperature_time = 0.1
seed = 9
stages = [2]
"""

# Name: the case, and the steps after which a run is stopped.
CASES = {
    "lj": (LJ + stage(60, "", 0.005), [31]),
    "lj_sheared": (None, [20]),
    "lj_open": (None, [20]),  # a slab with free surfaces
    "walls": (None, [20]),    # the same between a reflecting and a Lennard-Jones wall
    "groups": (GROUPS + stage(20, RAMP) + stage(20, HELD + 'ensemble = "nvt"\nthermostat = "langevin"\n') + stage(10, CELL)
               + stage(10, ""), [9, 20, 31, 45, 55]),
    "two_types": (TWO_TYPES + stage(60, ""), [23]),
    "tabulated": (None, [20]),
    "overlaps": (None, [9, 40]),  # random places, taken apart before they move
    "copper": (COPPER + stage(40, ""), [17]),
    "copper_npt": (COPPER + stage(30, 'ensemble = "npt"\nbarostat = "mttk"\ntemperature = 1500.0\ntemperature_time = 0.1\n'
                                      'pressure = 1e4\npressure_time = 0.5\n', 0.003), [14]),
    "nose_hoover": (LJ + stage(30, RAMP + "chain_length = 4\n"), [14]),
    "velocity_rescaling": (LJ + stage(30, HELD + 'ensemble = "nvt"\nthermostat = "velocity_rescaling"\n'), [14]),
    "langevin": (LJ + stage(30, HELD + 'ensemble = "nvt"\nthermostat = "langevin"\nseed = 77\n'), [14]),
    "langevin_two_types": (TWO_TYPES + stage(30, HELD + 'ensemble = "nvt"\nthermostat = "langevin"\n'), [14]),
    "cell_isotropic": (LJ + stage(30, CELL), [14]),
    "cell_semi_isotropic": (LJ + stage(30, CELL + 'coupling = "semi_isotropic"\n'), [14]),
    "cell_anisotropic": (LJ + stage(30, CELL + 'coupling = "anisotropic"\n'), [14]),
    "mttk_isotropic": (LONGER + stage(30, MTTK), [14]),
    "mttk_semi_isotropic": (LONGER + stage(30, MTTK + 'coupling = "semi_isotropic"\nchain_length = 2\n'), [14]),
    "mttk_anisotropic": (TWO_TYPES.replace("[14, 5, 5]", "[17, 5, 5]") + stage(30, MTTK + 'coupling = "anisotropic"\n'), [14]),
    # A minimisation that reaches its end, one that does not, and restarts within, between and after stages.
    "minimise": (TWO_TYPES + stage(40, MINIMISE, 0.002), [17]),
    "stages": (TWO_TYPES + stage(15, MINIMISE, 0.002) + stage(10, RAMP) + stage(12, CELL) + stage(8, MTTK)
               + stage(10, "") + stage(400, MINIMISE.replace("1e-6", "30.0"), 0.002) + stage(6, HELD + 'ensemble = "nvt"\n'
               'thermostat = "langevin"\n'), [7, 15, 16, 30, 45, 53, 57]),
}


def from_data(folder, slab, margins=(15.0, 15.0)):
    """A data file with atoms of two types on a distorted lattice: of a triclinic box, some of them far outside it; or of a
    slab in a box without periodic sides along y, which goes on for `margins` beyond it."""
    lx, ly, lz, xy, xz, yz = (21.0, 9.0, 7.5, 0.0, 0.0, 0.0) if slab else (21.0, 9.0, 7.5, 3.0, -2.0, 2.5)
    below, above = margins if slab else (0.0, 0.0)
    lines = []
    nx, ny, nz = 17, 7, 6
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                n = len(lines)
                # Shifts of up to 0.06 that are not those of any lattice; every tenth atom in another image.
                s = [0.06 * (((n * p) % 101) / 50 - 1) for p in (37, 53, 71)]
                f, g, h = i / nx, j / ny, k / nz + (3 if n % 10 == 0 else 0)
                x = f * lx + g * xy + h * xz + s[0]
                lines.append(f"{7 * n + 5} {1 + n % 2} {x!r} {g * ly + h * yz + s[1]!r} {h * lz + s[2]!r}")
    data = folder / "start.data"
    data.write_text(f"atoms\n\n{len(lines)} atoms\n2 atom types\n0 {lx} xlo xhi\n{-below} {ly + above} ylo yhi\n"
                    f"0 {lz} zlo zhi\n{xy} {xz} {yz} xy xz yz\n\nMasses\n\n1 1.0\n2 2.5\n\nAtoms # atomic\n\n"
                    + "\n".join(lines) + "\n")
    head, tail = TWO_TYPES.split("[system]")
    periodic = "periodic = [true, false, true]\n" if slab else ""
    return (head + f'[system]\nsource = "data"\ndata = "{data}"\n' + periodic + tail[tail.index("[velocity]"):]
            + stage(40, ""))


def walls(folder):
    return from_data(folder, True, (0.3, 0.5)) + WALLS


def tabulated(folder):
    """Two tables of different length and spacing, the cross table even in r^2, for the two types."""
    def section(name, n, low, high, epsilon, sigma, squared):
        lines = [f"{name}", f"N {n} {'RSQ' if squared else 'R'} {low} {high}", ""]
        for i in range(n):
            share = i / (n - 1)
            r = (low**2 + (high**2 - low**2) * share)**0.5 if squared else low + (high - low) * share
            s6 = (sigma / r)**6
            lines.append(f"{i + 1} {r!r} {4 * epsilon * s6 * (s6 - 1)!r} {24 * epsilon * s6 * (2 * s6 - 1) / r!r}")
        return "\n".join(lines) + "\n\n"
    (folder / "pairs.table").write_text("# two kinds of atoms\n\n" + section("AA", 500, 0.6, 2.4, 1.0, 1.0, False)
                                        + section("AB", 3000, 0.6, 2.4, 0.8, 0.95, True)
                                        + section("BB", 301, 0.6, 2.2, 0.7, 0.9, False))
    text = TWO_TYPES[:TWO_TYPES.index("potential = ")]
    pairs = "".join(f'[[pair.coefficients]]\ntypes = [{i}, {j}]\nsection = "{name}"\ncutoff = {cutoff}\n'
                    for i, j, name, cutoff in ((1, 1, "AA", 2.3), (2, 2, "BB", 2.1), (2, 1, "AB", 2.2)))
    return (text + f'potential = "tabulated"\ncutoff = 2.3\nfiles = ["{folder / "pairs.table"}"]\n{pairs}'
            + "[neighbour]\nskin = 0.25\n" + stage(40, ""))


def overlaps(folder):
    """1000 atoms at random places of a box at density 0.5, many far inside one another: minimised, then free."""
    draw = random.Random(7)
    atoms = "\n".join(f"{n + 1} 1 {draw.uniform(0, 20)!r} {draw.uniform(0, 10)!r} {draw.uniform(0, 10)!r}"
                      for n in range(1000))
    (folder / "start.data").write_text(f"random\n\n1000 atoms\n1 atom types\n0 20 xlo xhi\n0 10 ylo yhi\n0 10 zlo zhi\n"
                                       f"\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n{atoms}\n")
    head, tail = LJ.split("[system]")
    return (head + f'[system]\nsource = "data"\ndata = "{folder / "start.data"}"\n' + tail[tail.index("[pair]"):]
            + stage(500, MINIMISE.replace("1e-6", "10.0"), 0.002) + stage(40, "", 0.001))


def main():
    mpiexec, program, cases, folder, name = sys.argv[1:]
    launcher = run.Launcher(mpiexec, program, folder)
    text, stops = CASES[name]
    if text is None:
        made = {"tabulated": tabulated, "overlaps": overlaps, "walls": walls}
        text = made[name](launcher.folder) if name in made else from_data(launcher.folder, slab=name == "lj_open")
    case = launcher.folder / "case.toml"
    case.write_text(text.replace("CASES", str(pathlib.Path(cases).resolve())))
    options = ["--set", "output.history.every_steps=1", "--set", "health.every_steps=5"]

    reference = launcher.run(case, "1x1", *options)
    expected = run.Reference(reference)
    steps = run.summary(reference)["steps"]
    run.expect(len(expected.rows) == steps + 1, f"{len(expected.rows)} rows for {steps} steps")
    run.expect(expected.rows[1] != expected.rows[2], "two steps are the same: nothing was computed")
    # Where rows are seldom, energies are summed seldom; the state must not notice.
    seldom = launcher.run(case, "seldom", "--set", "output.history.every_steps=1000")
    run.expect(run.summary(seldom)["state_hash"] == expected.state_hash, "rows of history.csv change the state")

    for ranks in (2, 3, 4, 7):
        expected.compare(launcher.run(case, f"{ranks}x1", *options, ranks=ranks), f"{ranks} ranks")
    expected.compare(launcher.run(case, "1x2", *options, threads=2), "2 threads")
    expected.compare(launcher.run(case, "2x2", *options, ranks=2, threads=2), "2 ranks of 2 threads")

    pairs = [(3, 2), (1, 4), (2, 1), (7, 3), (4, 7), (1, 1), (2, 2)]
    for stop, (before, after) in zip(stops, pairs):
        half = launcher.run(case, f"restart{stop}", *options, "--steps", str(stop), ranks=before)
        run.expect(run.summary(half)["steps"] == stop, f"stopped at {run.summary(half)['steps']}, not {stop}")
        launcher.run(case, f"restart{stop}", *options, "--restart", "required", ranks=after)
        expected.compare(half, f"{before} ranks to step {stop}, then {after}")


main()
