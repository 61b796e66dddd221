"""Speed of writing: python3 scripts/bench_io.py --program P --mpiexec M --folder F [--json FILE]

Runs the Taylor-Green case at 128^3 on 1 and 2 ranks for four steps, each with a snapshot of velocity and pressure and a checkpoint, and carries
it on. Rates are the files' bytes over the seconds of the phase in summary.json: those of snapshots include computing the quantities, those of
checkpoints their checksums, syncing and reading back. Beside them the bytes of a checkpoint go into a plain file, synced, and are read
back from the system's memory, where a file just written still is.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

CASE = pathlib.Path(__file__).resolve().parent.parent / "cases" / "taylor-green" / "case.toml"
STEPS = 4


def run(options, ranks, output, form, steps):
    """summary.json of a run with one snapshot and one checkpoint a step."""
    settings = ["output.fields.quantities=['velocity','pressure']", "output.fields.every_steps=1", "output.fields.every_time=1e9",
                f"output.fields.format={form}", "output.slice=[]", "checkpoint.every_steps=1", "output.history.every_time=1e9"]
    command = [options.mpiexec, "-n", str(ranks), options.program, str(CASE), "--output", str(output), "--steps", str(steps)]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(f"bench: the run failed (exit code {done.returncode}):\n{done.stdout[-2000:]}")
    return json.loads((output / "summary.json").read_text())


def measure(options, ranks):
    figures = {}
    for form, suffix in (("vtk", "vti"), ("hdf5", "h5")):
        output = options.folder / f"{form}-{ranks}"
        new = run(options, ranks, output, form, STEPS)
        snapshots = sorted((output / "fields").glob(f"*.{suffix}"))
        checkpoint = max((output / "checkpoint").glob("*.h5"))
        if len(snapshots) != STEPS + 1:
            sys.exit(f"bench: {len(snapshots)} snapshots in {output} instead of {STEPS + 1}")
        figures[f"fields_{form}_gb_per_s"] = 1e-9 * sum(path.stat().st_size for path in snapshots) / new["phases"]["output"]
        figures["checkpoint_bytes"] = checkpoint.stat().st_size
        figures["checkpoint_gb_per_s"] = 1e-9 * STEPS * figures["checkpoint_bytes"] / new["phases"]["checkpoint"]
        figures["setup_new_seconds"] = new["phases"]["setup"]
        figures["setup_restart_seconds"] = run(options, ranks, output, form, STEPS + 1)["phases"]["setup"]
    return figures


def plain(folder, size):
    """One process writes a file and syncs it, then reads it."""
    path, block = folder / "plain", os.urandom(1 << 20)
    start = time.monotonic()
    with open(path, "wb") as file:
        for _ in range(size >> 20):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    written = time.monotonic()
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass
    read = time.monotonic()
    path.unlink()
    return {"write_gb_per_s": 1e-9 * size / (written - start), "read_gb_per_s": 1e-9 * size / (read - written)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    figures = {f"ranks_{ranks}": measure(options, ranks) for ranks in (1, 2)}
    figures["plain_file"] = plain(options.folder, figures["ranks_1"]["checkpoint_bytes"])
    for name, part in figures.items():
        print(f"{name.replace('_', ' ')}:")
        for key, value in part.items():
            print(f"  {key.replace('_', ' '):<24} {value:.4g}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
