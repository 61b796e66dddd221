"""Runs halyard-md and Debian's LAMMPS in turn on the same systems and prints how they compare.

scripts/bench md calls it with the program, the launchers of the two MPIs, and a folder for the runs.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = 100
ROUNDS = 3

# LAMMPS' own bench inputs (lj, eam, chain: bench/ of its distribution), written out; one row of totals at start and end.
LAMMPS_INPUTS = {
    "lj": """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
timestep 0.005
""",
    "eam": """
units metal
atom_style atomic
lattice fcc 3.615
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
pair_style eam
pair_coeff 1 1 Cu_u3.eam
velocity all create 1600.0 376847 loop geom
neighbor 1.0 bin
neigh_modify every 1 delay 5 check yes
fix 1 all nve
timestep 0.005
""",
    "chain": """
units lj
atom_style bond
special_bonds fene
read_data chain.data
neighbor 0.4 bin
neigh_modify every 1 delay 1
bond_style fene
bond_coeff 1 30.0 1.5 1.0 1.0
pair_style lj/cut 1.12
pair_modify shift yes
pair_coeff 1 1 1.0 1.0 1.12
fix 1 all nve
fix 2 all langevin 1.0 1.0 10.0 904297
timestep 0.012
""",
}
LAMMPS_TAIL = f"""
thermo_style custom step temp pe
thermo_modify norm no format float %.15g
thermo {STEPS}
run {STEPS}
"""

CHAIN_CASE = """
program = "halyard-md"
title = "FENE chains: the chain bench of LAMMPS"
units = "lj"

[system]
source = "data"
data = "chain.data"

[pair]
potential = "lj-shifted"
cutoff = 1.12
special_lj = [0.0, 1.0, 1.0]

[[pair.coefficients]]
epsilon = 1.0
sigma = 1.0

[bonded]
bond = "fene"

[[bonded.bond_coefficients]]
type = 1
values = [30.0, 1.5, 1.0, 1.0]

[[stage]]
ensemble = "nvt"
thermostat = "langevin"
temperature = 1.0
temperature_time = 10.0
seed = 904297
steps = 100
dt = 0.012
"""
OUTPUTS = f"""
[output.history]
every_steps = {STEPS}

[checkpoint]
at_end = false
"""


def without_outputs(text):
    """A case without its tables [output...], [analysis...] and [checkpoint]: what is timed is steps alone."""
    kept, wanted = [], True
    for line in text.splitlines(keepends=True):
        header = re.match(r"\s*\[\[?\s*([\w.]+)", line)
        if header:
            wanted = header[1].split(".")[0] not in ("output", "analysis", "checkpoint")
        if wanted:
            kept.append(line)
    return "".join(kept)


def read_lammps_log(text):
    """{steps, atoms, ranks, seconds, potential}: of the loop, and the potential energy at its first step."""
    loop = re.search(r"^Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms", text, re.MULTILINE)
    rows = re.search(r"^\s*Step\s+Temp\s+PotEng\s*\n\s*0\s+\S+\s+(\S+)", text, re.MULTILINE)
    if not loop or not rows:
        return None
    return {"seconds": float(loop[1]), "ranks": int(loop[2]), "steps": int(loop[3]), "atoms": int(loop[4]),
            "potential": float(rows[1])}


def read_halyard_run(folder):
    """The same of a run folder; seconds: of the steps alone."""
    summary = json.loads((folder / "summary.json").read_text())
    with open(folder / "history.csv", encoding="utf-8") as file:
        first = next(csv.DictReader(line for line in file if not line.startswith("#")))
    return {"seconds": summary["phases"]["step"], "ranks": summary["ranks"], "steps": summary["steps"],
            "atoms": summary["items"], "potential": float(first["potential_energy"]),
            "resident_bytes": summary["resident_bytes"]}


def rate(run):
    """Atom-steps per second."""
    return run["atoms"] * run["steps"] / run["seconds"]


def compare(runs):
    """The figures of one bench on one number of ranks, from its runs: {"halyard": [...], "plain": [...], "opt": [...]}"""
    ours = max(map(rate, runs["halyard"]))
    theirs = {build: max(map(rate, runs[build])) for build in ("plain", "opt") if runs.get(build)}
    best = max(theirs, key=theirs.get)
    return {"ratio_to_lammps": ours / theirs[best], "atom_steps_per_s": ours, "lammps_atom_steps_per_s": theirs[best],
            "lammps_best": best, "rounds": {name: [rate(run) for run in each] for name, each in runs.items()}}


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1"}

    def run(self, command, what, environment=None):
        done = subprocess.run(command, cwd=self.folder, env=environment or self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"bench: {what} ended with exit code {done.returncode}:\n{done.stdout[-2000:]}")
        return done.stdout

    def halyard(self, name, ranks):
        output = self.folder / f"run_{name}_{ranks}"
        self.run([self.options.mpiexec, "-bind-to", "core:1", "-n", str(ranks), self.options.program, f"{name}.toml",
                  "--output", str(output), "--overwrite"], f"halyard-md on {name}")
        return read_halyard_run(output)

    def lammps(self, name, ranks, build):
        log = self.folder / f"log_{name}_{ranks}_{build}"
        command = [self.options.lammps_mpirun, "--bind-to", "core", "-n", str(ranks), self.options.lammps,
                   "-in", f"{name}.in", "-log", str(log), "-screen", "none"]
        if os.geteuid() == 0:
            command.insert(1, "--allow-run-as-root")
        self.run(command + (["-sf", "opt"] if build == "opt" else []), f"LAMMPS ({build}) on {name}")
        found = read_lammps_log(log.read_text())
        if not found:
            sys.exit(f"bench: no loop time in LAMMPS' log {log}")
        return found

    def prepare(self):
        cases = {name: ROOT / "cases" / folder / "case.toml" for name, folder in (("lj", "lj-melt"), ("eam", "copper-eam"))}
        for name, path in cases.items():
            (self.folder / f"{name}.toml").write_text(without_outputs(path.read_text()) + OUTPUTS)
        (self.folder / "chain.toml").write_text(CHAIN_CASE + OUTPUTS)
        shutil.copy(ROOT / "cases/copper-eam/Cu_u3.eam", self.folder)
        with gzip.open(ROOT / "tests/io/input/data/data.chain.gz") as packed:
            (self.folder / "chain.data").write_bytes(packed.read())
        for name, text in LAMMPS_INPUTS.items():
            (self.folder / f"{name}.in").write_text(text + LAMMPS_TAIL)

    def measure(self, name, ranks):
        runs = {"halyard": [], "plain": [], "opt": []}
        for _ in range(self.options.rounds):
            runs["halyard"].append(self.halyard(name, ranks))
            runs["plain"].append(self.lammps(name, ranks, "plain"))
            runs["opt"].append(self.lammps(name, ranks, "opt"))
        ours, theirs = runs["halyard"][0], runs["plain"][0]
        # On a crystal all pair energies are rounded to fixed point alike: 1.2e-10 of lj's sum.
        if ours["atoms"] != theirs["atoms"] or ours["steps"] != theirs["steps"] or \
                abs(ours["potential"] - theirs["potential"]) > 1e-9 * abs(theirs["potential"]):
            sys.exit(f"bench: {name} is not the same system to both: {ours} and {theirs}")
        figures = compare(runs)
        figures["resident_bytes_per_atom"] = ours["resident_bytes"] / ours["atoms"]
        return figures


def print_figures(figures):
    print(f"{'':6} {'ranks':>5} {'halyard-md':>12} {'LAMMPS':>9} {'':5} {'ratio':>6}    M atom-steps/s, best of the rounds")
    for name, of_ranks in figures.items():
        for ranks, f in of_ranks.items():
            print(f"{name:6} {ranks:>5} {f['atom_steps_per_s'] / 1e6:>12.2f} {f['lammps_atom_steps_per_s'] / 1e6:>9.2f} "
                  f"{f['lammps_best']:5} {f['ratio_to_lammps']:>6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--lammps", default="lmp")
    parser.add_argument("--lammps-mpirun", default="mpirun.openmpi")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", choices=list(LAMMPS_INPUTS), help="one of the benches; repeatable")
    parser.add_argument("--ranks", type=int, action="append", help="1 and 2 without it")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    bench = Bench(options)
    bench.prepare()
    figures = {}
    for name in options.only or LAMMPS_INPUTS:
        figures[name] = {str(ranks): bench.measure(name, ranks) for ranks in options.ranks or (1, 2)}
        print_figures({name: figures[name]})
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
