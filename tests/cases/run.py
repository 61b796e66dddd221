"""Runs halyard programs for the tests of cases: what a user would type, and reading what the run leaves."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

WALL_COLUMNS = {"wall_seconds", "rate"}  # of history.csv: the only ones that may differ between equal runs


class Launcher:
    def __init__(self, mpiexec, program, folder):
        self.mpiexec, self.program, self.folder = mpiexec, program, pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run(self, case, name, *options, ranks=1, threads=1, code=0):
        """Runs a case into folder/name; returns that folder. Ends the test where the exit code is not `code`."""
        output = self.folder / name
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        command = [self.mpiexec, "-n", str(ranks), self.program, str(case), "--output", str(output), *options]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != code:
            sys.exit(f"exit code {done.returncode}, expected {code}: {' '.join(command)}\n{done.stdout}")
        return output


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def history(folder):
    """The rows of history.csv as dictionaries of text, wall-clock columns left out."""
    lines = [line for line in (folder / "history.csv").read_text().splitlines() if not line.startswith("#")]
    rows = csv.DictReader(lines)
    return [{name: value for name, value in row.items() if name not in WALL_COLUMNS} for row in rows]


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


class Reference:
    """What a run left: state hash and rows of history, which every other run of the case must have too."""

    def __init__(self, folder):
        self.state_hash, self.rows = summary(folder)["state_hash"], history(folder)

    def compare(self, folder, what):
        found = Reference(folder)
        expect(found.state_hash == self.state_hash, f"{what}: state hash {found.state_hash}, on one rank {self.state_hash}")
        for mine, theirs in zip(found.rows, self.rows, strict=True):
            expect(mine == theirs, f"{what}: history differs\n{mine}\n{theirs}")
        print(f"{what}: state {found.state_hash}, {len(found.rows)} rows equal")


def drive(mpiexec, program, case, folder, *options, code=0):
    """Starts the drive of a case of several runs as scripts/run does; returns what it said."""
    command = [str(case / "drive"), str(case / "case.toml"), str(folder), mpiexec, "-n", "1", program, "--", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=dict(os.environ, OMP_NUM_THREADS="1"))
    expect(done.returncode == code, f"exit code {done.returncode}, expected {code}: {' '.join(command)}\n{done.stdout}")
    return done.stdout
