"""Runs Halyard's programs as a user does, for tests of whole processes. Python's standard library alone."""
import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

WALL_COLUMNS = {"wall_seconds", "rate"}


class Result:
    """How a process ended, and all that it said."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    @property
    def text(self):
        return self.out + self.err

    @property
    def last_line(self):
        """Of the stream that has the verdict: standard error where anything is there."""
        lines = [line for line in (self.err or self.out).splitlines() if line.strip()]
        return lines[-1] if lines else ""


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own. HALYARD_PROGRAM and HALYARD_MPIEXEC say what to run."""

    def setUp(self):
        self.program = os.environ["HALYARD_PROGRAM"]
        self.mpiexec = os.environ["HALYARD_MPIEXEC"]
        self.folder = Path(tempfile.mkdtemp(prefix="halyard-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def command(self, *arguments, ranks=1):
        start = [self.mpiexec, "-n", str(ranks)] if ranks else []
        return start + [self.program] + [str(a) for a in arguments]

    def run_program(self, *arguments, ranks=1, timeout=60):
        """ranks = 0: without mpiexec."""
        start = time.monotonic()
        done = subprocess.run(self.command(*arguments, ranks=ranks), cwd=self.folder, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    def start_program(self, *arguments, ranks=1):
        return subprocess.Popen(self.command(*arguments, ranks=ranks), cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_until(self, condition, what, timeout=30):
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                self.fail(f"waited {timeout} s in vain for {what}")
            time.sleep(0.02)

    def summary(self, run):
        return json.loads((self.folder / run / "summary.json").read_text())

    def history(self, run):
        """Header and rows as text, without the columns that depend on the wall clock."""
        lines = [line for line in (self.folder / run / "history.csv").read_text().splitlines()
                 if not line.startswith("#")]
        rows = list(csv.reader(lines))
        keep = [i for i, name in enumerate(rows[0]) if name not in WALL_COLUMNS]
        return [[row[i] for i in keep] for row in rows]


def send(pid, name):
    os.kill(pid, getattr(signal, name))
