#!/usr/bin/env python3
"""Means of history columns over a run's last stage, with standard errors, beside values that they should have.

Each QUANTITY is NAME=EXPRESSION or NAME=EXPRESSION:VALUE; an expression is in the columns of history.csv, `atoms` and numpy's
functions: density=atoms/volume:0.840. Errors come from blocks: the largest over block lengths that leave 16 blocks or more.
"""

from halyard_run import Run, fail

import argparse

import numpy as np


def standard_error(values):
    """Of the mean of a correlated series (Flyvbjerg & Petersen 1989): blocks are joined in pairs while 16 or more are left."""
    largest = 0.0
    while len(values) >= 16:
        largest = max(largest, float(np.std(values, ddof=1) / np.sqrt(len(values))))
        values = 0.5 * (values[0 : len(values) // 2 * 2 : 2] + values[1::2])
    return largest


def settled(values):
    """How many rows at the start of a series to leave out: of every 20th of its first half, the start that leaves the largest
    number of independent values, rows / statistical inefficiency (Chodera 2016, J. Chem. Theory Comput. 12, 1799)."""
    best, most = 0, 0.0
    if len(values) < 20 or np.ptp(values) == 0.0:
        return 0
    for first in sorted({int(share * len(values)) for share in np.arange(0.0, 0.501, 0.05)}):
        rest = values[first:]
        spread, error = float(np.var(rest, ddof=1)), standard_error(rest)
        independent = spread / error**2 if error > 0.0 else float(len(rest))
        if independent > 1.1 * most:  # a little better is chance: keep what there is
            best, most = first, independent
    return best


def series(run, quantities, stage=None):
    """{name: array over the rows of a stage} of {name: expression}; the last stage unless another is given, from 1."""
    history = run.history
    rows = history["stage"] == (stage or int(history["stage"].max()))
    names = {name: values[rows] for name, values in history.items()}
    names["atoms"] = float(run.summary["items"])
    found = {}
    for name, expression in quantities.items():
        try:
            found[name] = np.broadcast_to(np.asarray(eval(expression, {**vars(np), **names}), dtype=float), rows.sum())
        except Exception as error:
            fail(f"'{expression}' of '{name}': {error}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="folder of the run")
    parser.add_argument("quantities", nargs="+", metavar="QUANTITY")
    parser.add_argument("--stage", type=int, help="another stage, from 1")
    options = parser.parse_args()
    run = Run(options.run)
    stage = options.stage or int(run.history["stage"].max())
    words = [(name, *rest.partition(":")[::2]) for name, _, rest in (text.partition("=") for text in options.quantities)]
    found = series(run, {name: expression for name, expression, _ in words}, stage)
    print(f"{options.run}: means over stage {stage}, {len(next(iter(found.values())))} rows")
    print(f"{'':14} {'mean':>12} {'error':>9} {'reference':>12}")
    for name, _, value in words:
        print(f"{name:14} {np.mean(found[name]):12.6g} {standard_error(found[name]):9.2g} {value:>12}")


if __name__ == "__main__":
    main()
