"""Runs failure_sample and mpi_test_main_sample under mpiexec: messages once, exit codes, all ranks gone within 10 s."""
import os
import subprocess
import sys
import time

MPIEXEC, SAMPLE, TEST_SAMPLE = sys.argv[1:4]
failures = []
LAUNCHER_VARIABLES = ("PMI_", "OMPI_", "SLURM_", "HYDI_", "MPI_", "PMIX_")


def clean_environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_VARIABLES)}
    return {**kept, **more}


def run(ranks, *command, env=None):
    launch = [MPIEXEC, "-n", str(ranks)] if ranks else []
    start = time.monotonic()
    done = subprocess.run([*launch, *command], capture_output=True, text=True, timeout=60, env=env or clean_environment())
    return done.returncode, done.stdout + done.stderr, time.monotonic() - start


def expect(name, result, code, *, once=(), never=(), seconds=10.0):
    returned, text, took = result
    wrong = []
    if returned != code:
        wrong.append(f"exit code {returned}, not {code}")
    wrong += [f"{text.count(line)} times {line!r}" for line in once if text.count(line) != 1]
    wrong += [f"printed {line!r}" for line in never if line in text]
    if took > seconds:
        wrong.append(f"took {took:.1f} s")
    print(f"{'FAILED' if wrong else 'ok'}  {name}  ({took:.1f} s)")
    if wrong:
        failures.append(name)
        print("   " + "\n   ".join(wrong) + "\n   output:\n" + text)


PREFIX = "failure_sample: "
for ranks in (1, 2, 3, 7):
    who = "" if ranks == 1 else f"rank {ranks - 1} of {ranks}: "
    expect(f"one of {ranks} throws", run(ranks, SAMPLE, "one"), 1, once=[PREFIX + who + "the one failure\n"],
           never=["Abort(", "BAD TERMINATION"])
expect("others wait inside MPI", run(3, SAMPLE, "blocking"), 1, once=["rank 2 of 3: the one failure\n"])
for ranks in (2, 7):
    expect(f"all of {ranks} throw the same", run(ranks, SAMPLE, "all"), 1, once=["the same failure"])
expect("one thread throws", run(3, SAMPLE, "thread"), 1, once=["rank 2 of 3: failure in a thread\n"])
expect("not a std::exception", run(3, SAMPLE, "unknown"), 1, once=["rank 2 of 3: an exception of unknown type\n"])
expect("one rank's error, thrown collectively", run(3, SAMPLE, "collective"), 2,
       once=[PREFIX + "rank 2 of 3: a shared failure\n"], never=["Abort(", "BAD TERMINATION"])
expect("the same error on all, thrown collectively", run(3, SAMPLE, "collective_same"), 2,
       once=[PREFIX + "a shared failure\n"])
expect("exit code of an early stop", run(3, SAMPLE, "code"), 75, never=["BAD TERMINATION"])

# A rank that dies without a word. mpiexec notices by itself; a launcher that does not is played by a shell
# between them that outlives the rank.
returned, text, took = run(3, SAMPLE, "killed")
expect("one is killed", (int(returned != 0), text, took), 1)
returned, text, took = run(3, "sh", "-c", f"{SAMPLE} killed && true; code=$?; test $code -lt 128 || sleep 20; exit $code")
expect("one is killed, the launcher looks away", (int(returned != 0), text, took), 1,
       once=["of this run has died without a message"])

# Alone under a launcher of another MPI library: both named, told by the first process only.
alone = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"}
expect("another library's launcher", run(0, SAMPLE, "info", env=clean_environment(**alone)), 1,
       once=["OMPI_COMM_WORLD_SIZE=4", "linked with MPICH"])
alone["OMPI_COMM_WORLD_RANK"] = "2"
expect("another library's launcher, third process", run(0, SAMPLE, "info", env=clean_environment(**alone)), 1,
       never=["OMPI_COMM_WORLD_SIZE=4"])
expect("a step of Slurm without PMI",
       run(0, SAMPLE, "info", env=clean_environment(SLURM_STEP_NUM_TASKS="4", SLURM_PROCID="0", SLURM_NTASKS="4")), 1,
       once=["SLURM_STEP_NUM_TASKS=4"])
expect("one process in a batch script of a job of many tasks",
       run(0, SAMPLE, "info", env=clean_environment(SLURM_NTASKS="4", SLURM_PROCID="0")), 0, once=["node rank 0 of 1"])

# Threads: the share of the cores, unless OMP_NUM_THREADS is set.
cores = len(os.sched_getaffinity(0))
no_threads = clean_environment()
no_threads.pop("OMP_NUM_THREADS", None)
expect("threads of one rank", run(1, SAMPLE, "info", env=no_threads), 0, once=[f"{cores} thread(s), oversubscribed 0"])
expect("threads with more ranks than cores", run(cores + 1, SAMPLE, "info", env=no_threads), 0,
       once=[f"rank {cores} of {cores + 1}: node rank {cores} of {cores + 1}, 1 thread(s), oversubscribed 1"])
expect("threads by OMP_NUM_THREADS", run(1, SAMPLE, "info", env=clean_environment(OMP_NUM_THREADS="3")), 0,
       once=["3 thread(s)"])

# The test main itself.
expect("test main: all passes", run(3, TEST_SAMPLE, "--gtest_filter=*Passes"), 0, once=["[  PASSED  ] 1 test."])
expect("test main: failure on another rank", run(3, TEST_SAMPLE, "--gtest_filter=*LastRank"), 1,
       once=["the last rank's own words", "rank 2 of 3: ", "[  FAILED  ] Sample.FailsOnLastRank (", "on 1 other rank(s)"])
expect("test main: exception on another rank", run(3, TEST_SAMPLE, "--gtest_filter=*RankOne"), 1,
       once=["thrown on purpose", "[  FAILED  ] Sample.ThrowsOnRankOne ("])
returned, text, took = run(3, TEST_SAMPLE, "--gtest_filter=*Waiting")
expect("test main: others left waiting", (int(returned != 0), text, took), 1,
       once=["other ranks do not come to its end"], seconds=20.0)

print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
