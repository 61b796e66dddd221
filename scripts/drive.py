"""What the `drive` of a case of several runs is made of: cases/copper-elastic, cases/lj-eos.

scripts/run calls `drive CASE OUTPUT LAUNCHER ... -- OPTION ...`. LAUNCHER starts the program on some ranks. Of the options a drive takes
those that it knows, and gives the others to each run.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Drive:
    """`values`: {option: value} of the options named in `own`, as given or as there."""

    def __init__(self, own):
        self.name = Path(sys.argv[0]).resolve().parent.name
        if len(sys.argv) < 4 or "--" not in sys.argv:
            self.fail(f"scripts/run starts this: scripts/run cases/{self.name}")
        at = sys.argv.index("--")
        self.case, self.output, self.launcher = sys.argv[1], Path(sys.argv[2]), sys.argv[3:at]
        self.values, self.options, self.overwrite = dict(own), [], False
        rest = iter(sys.argv[at + 1 :])
        for option in rest:
            name, equals, value = option.partition("=")
            if name in own:
                self.values[name] = value if equals else next(rest, "")
            elif name in ("--restart", "--steps"):
                self.fail(f"{name} means nothing to a case of several runs")
            elif name == "--overwrite":
                self.overwrite = True
            else:
                self.options.append(option)

    def fail(self, message, code=2):
        sys.stdout.flush()
        print(f"{self.name}: {message}", file=sys.stderr)
        sys.exit(code)

    def choose(self, option, allowed):
        """Ends with a sentence where the option's value is not allowed; several may be given with commas between."""
        for word in self.values[option].split(","):
            if word not in allowed:
                self.fail(f"{option} is '{word}'; allowed: {', '.join(allowed)}")
        return self.values[option].split(",")

    def claim_output(self):
        if self.output.exists() and not self.overwrite:
            self.fail(f"'{self.output}' is there already (--overwrite replaces it)")
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir(parents=True)

    def run(self, name, *options):
        """One run into the folder `name` of the output, which is returned. Ends all where it fails."""
        return self.run_all([(name, *options)])[0]

    def run_all(self, runs):
        """Several, side by side while there are cores: of (name, option, ...) each."""

        def start(run):
            folder = self.output / run[0]
            command = [*self.launcher, self.case, "--output", str(folder), *self.options, *run[1:]]
            return folder, subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

        ranks = int(self.launcher[self.launcher.index("-n") + 1])
        threads = int(os.environ.get("OMP_NUM_THREADS") or 1)
        with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // (ranks * threads))) as pool:
            done = list(pool.map(start, runs))
        for folder, process in done:
            if process.returncode:
                print(process.stdout, file=sys.stderr)
                self.fail(f"the run '{folder}' ended with exit code {process.returncode}; its messages are above", process.returncode)
        return [folder for folder, _ in done]
