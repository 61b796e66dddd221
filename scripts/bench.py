"""Puts the two runs of a benchmark together and prints its figures: python3 scripts/bench.py flow RESULTS [--json FILE]"""
import argparse
import json
import pathlib

FLOWS = ("taylor_green_128", "channel_128")


def flow(results):
    runs = {name: json.loads((results / f"{name}.json").read_text()) for name in ("2x1", "1x2")}
    figures = {}
    for case in FLOWS:
        # Ranks sit on one core each, so only the run with two threads can time the pair on two.
        pair = runs["1x2"][case]["fftw_pair_ns_per_cell"]
        runs["2x1"][case]["fftw_pair_ns_per_cell"] = pair
        runs["2x1"][case]["fftw_pair_ns_per_cell_min"] = runs["1x2"][case]["fftw_pair_ns_per_cell_min"]
        runs["2x1"][case]["R"] = runs["2x1"][case]["ns_per_cell_step"] / pair
        best = min(runs, key=lambda name: runs[name][case]["ns_per_cell_step"])
        figures[case] = {"R": runs[best][case]["R"], "best": best}
        for name, run in runs.items():
            figures[case][name] = {key: value for key, value in run[case].items() if key != "kernels"}
    figures["bytes_per_cell_256"] = max(run["bytes_per_cell_256"] for run in runs.values())
    figures["parallel_for_over_hand_written"] = {name: run["parallel_for_over_hand_written"] for name, run in runs.items()}
    figures["copy_gb_per_s"] = {name: run["copy_gb_per_s_per_rank"] * run["ranks"] for name, run in runs.items()}
    figures["kernels"] = {case: runs[figures[case]["best"]][case]["kernels"] for case in FLOWS}

    for case in FLOWS:
        print(f"{case}: R = {figures[case]['R']:.2f} (ranks x threads: {figures[case]['best']})")
        for name in runs:
            raw = figures[case][name]
            print(f"  {name}: R = {raw['R']:.2f}: {raw['ns_per_cell_step']:.1f} ns per cell and step "
                  f"(least {raw['ns_per_cell_step_min']:.1f}), FFTW pair {raw['fftw_pair_ns_per_cell']:.2f} ns per cell "
                  f"(least {raw['fftw_pair_ns_per_cell_min']:.2f}), allocations in steps: {raw['allocations_in_steps']}")
        print(f"  {'kernel':<32} {'calls':>6} {'ns/item':>8} {'GB/s':>7} {'share':>6}")
        kernels = figures["kernels"][case]
        total = sum(row["seconds"] for row in kernels.values())
        for name, row in sorted(kernels.items(), key=lambda item: -item[1]["seconds"]):
            share = 100 * row["seconds"] / total
            if share >= 0.5:
                print(f"  {name:<32} {row['calls']:>6} {row['ns_per_item']:>8.2f} {row['gb_per_s']:>7.1f} {share:>5.1f}%")
    print(f"memory at 256^3: {figures['bytes_per_cell_256']:.1f} bytes per cell")
    print(f"copy bandwidth: {figures['copy_gb_per_s']} GB/s; parallel_for over hand-written: "
          f"{figures['parallel_for_over_hand_written']}")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["flow"])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    figures = flow(arguments.results)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
