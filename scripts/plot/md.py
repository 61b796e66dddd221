#!/usr/bin/env python3
"""The time series of runs of halyard-md, and what they analysed on the fly: pictures/history.png, pictures/rdf.png, ...

Energies are those per atom. The drift of the conserved energy in a stage is the numerical error of the integration.

--means NAME=EXPRESSION ... draws means over each run's last stage instead (expressions as in means.py), the others over the first,
with the reference's points where a table (csv with columns NAME, NAME_error) is given, and prints them.
"""

from halyard_run import Run, arguments, fail, new_figure, save
from means import series, standard_error

import csv
from pathlib import Path

import numpy as np


def main():
    parser = arguments(__doc__)
    parser.add_argument("--means", nargs="+", metavar="NAME=EXPRESSION", help="draw means of the runs, not their course")
    parser.add_argument("--reference", type=Path, help="table of what the means should be")
    parser.add_argument("--table", type=Path, help="file for the means")
    options = parser.parse_args()
    runs = [Run(folder) for folder in options.runs]
    pictures = runs[0].folder / "pictures"
    if options.means:
        save(plot_means(runs, options), options.output or pictures / "means.png")
        return
    figure = plot_history(runs)
    save(figure, options.output or pictures / "history.png")
    if options.output:
        return
    for name, draw in ANALYSES.items():
        tables = [(run, read_table(run.folder / "analysis" / f"{name}.csv")) for run in runs]
        tables = [(run, table) for run, table in tables if table]
        if tables:
            save(draw(tables), pictures / f"{name}.png")


def plot_history(runs):
    import matplotlib.pyplot as plt

    new_figure()  # sets the look
    plt.close("all")
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 6.6), layout="constrained", sharex=True)
    for number, run in enumerate(runs):
        h, units = run.history, run.units
        atoms = max(1, int(run.summary.get("items", 1)))
        t, colour = h["time"], f"C{number}"
        label = run.folder.resolve().name if len(runs) > 1 else None
        axes[0, 0].plot(t, h["temperature"], color=colour, label=label)
        axes[0, 0].set_ylabel(with_unit("temperature", units["temperature"]))
        axes[0, 1].plot(t, h["pressure"], color=colour)
        axes[0, 1].set_ylabel(with_unit("pressure", units["pressure"]))
        energy = axes[1, 0]
        for kind, line in (("potential_energy", "-"), ("kinetic_energy", "--"), ("total_energy", ":")):
            values = h[kind] / atoms
            energy.plot(t, values - values[0], line, color=colour, label=kind.split("_")[0] if number == 0 else None)
        energy.set_ylabel(with_unit("energy / atom, change", units["potential_energy"]))
        axes[1, 1].plot(t, h["drift"], color=colour)
        axes[1, 1].set_ylabel(with_unit("drift in the stage", units["drift"]))
        for below in axes[1]:
            below.set_xlabel(with_unit("time", units["time"]))
        # Where one stage follows another.
        for row in np.flatnonzero(np.diff(h["stage"])):
            for ax in axes.flat:
                ax.axvline(0.5 * (t[row] + t[row + 1]), color="grey", linewidth=0.8, linestyle=":")
        print(f"{run.folder}: mean temperature {h['temperature'].mean():.6g} {units['temperature']}, "
              f"mean pressure {h['pressure'].mean():.6g} {units['pressure']}")
    axes[1, 0].legend(loc="center right")
    if len(runs) > 1:
        axes[0, 0].legend()
    figure.suptitle(runs[0].name)
    return figure


def plot_means(runs, options):
    """Means over the first of them, one panel each; printed beside the reference as well."""
    import matplotlib.pyplot as plt

    quantities = dict(text.split("=", 1) for text in options.means if "=" in text)
    if len(quantities) != len(options.means) or len(quantities) < 2:
        fail("--means needs two or more of NAME=EXPRESSION")
    reference = []
    if options.reference:
        with open(options.reference, encoding="utf-8") as file:
            table = csv.DictReader(line for line in file if not line.startswith("#"))
            reference = [{name: float(value) for name, value in row.items() if value} for row in table]
    over, *names = quantities
    rows = []
    for run in runs:
        row = {}
        for name, values in series(run, quantities).items():
            row[name], row[f"{name}_error"] = float(np.mean(values)), standard_error(values)
        rows.append(row)
    rows.sort(key=lambda row: row[over])
    if options.table:
        columns = [over, *(f"{name}{end}" for name in names for end in ("", "_error"))]
        lines = [",".join(columns), *(",".join(f"{row[column]:.8g}" for column in columns) for row in rows)]
        options.table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for row in rows:
        print(f"{over} {row[over]:.6g}")
        for name in names:
            text = f"  {name:14} {row[name]:12.6g} +- {row[f'{name}_error']:<9.2g}"
            for known in (k for k in reference if abs(k[over] - row[over]) <= 1e-6 * abs(row[over]) and name in k):
                text += f" reference {known[name]:g}" + (f" +- {known[f'{name}_error']:g}" if f"{name}_error" in known else "")
            print(text)
    new_figure()
    plt.close("all")
    figure, axes = plt.subplots(1, len(names), figsize=(4.4 * len(names), 3.8), layout="constrained", squeeze=False)
    for panel, name in zip(axes[0], names):
        for points, style in ((reference, {"fmt": "s", "color": "black", "mfc": "none", "label": "reference"}),
                              (rows, {"fmt": "o", "markersize": 4, "label": "halyard-md"})):
            points = [point for point in points if name in point]
            if points:
                panel.errorbar([p[over] for p in points], [p[name] for p in points],
                               [p.get(f"{name}_error", 0.0) for p in points], capsize=3, **style)
        panel.set(xlabel=over, ylabel=name)
    axes[0, 0].legend()
    return figure


def read_table(file):
    """{column: (array, unit)} of a csv in analysis/, {} where there is none; under "" the lines for people."""
    if not file.exists():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    notes = [line[2:] for line in lines if line.startswith("# ")]
    units = next(n for n in notes if n.startswith("units:")).removeprefix("units:").strip().split(",")
    rows = [line.split(",") for line in lines if not line.startswith("#")]
    values = np.array(rows[1:], dtype=float).reshape(len(rows) - 1, len(rows[0]))
    table = {name: (values[:, i], units[i]) for i, name in enumerate(rows[0])}
    table[""] = [n for n in notes if not n.startswith("units:")]
    return table


def with_unit(text, unit):
    return text if unit in ("", "1") else f"{text} [{unit}]"


def draw_columns(tables, x, start, ylabel, labels=None):
    """One curve a column whose name begins so, over the column x."""
    figure, axes = new_figure()
    several = sum(name.startswith(start) for _, t in tables for name in t if name) > 1
    for run, table in tables:
        for name in (n for n in table if n.startswith(start)):
            text = name.removeprefix(start).strip("_") or "all"
            text = f"{run.folder.resolve().name} {text}" if len(tables) > 1 else text
            axes.plot(table[x][0], table[name][0], label=text)
            unit = table[name][1]
    axes.set(xlabel=with_unit(x, tables[0][1][x][1]), ylabel=with_unit(ylabel, unit))
    if several:
        axes.legend()
    return figure, axes


def draw_rdf(tables):
    figure, axes = draw_columns(tables, "r", "g_", "g(r)")
    axes.axhline(1.0, color="grey", linewidth=0.8, linestyle=":")
    axes.set_ylim(bottom=0.0)
    return figure


def draw_msd(tables):
    figure, axes = draw_columns(tables, "time", "msd", "mean squared displacement")
    axes.set_title("\n".join(n.split(":")[0] for n in tables[0][1][""][1:]), fontsize=9)
    return figure


def draw_vacf(tables):
    figure, axes = draw_columns(tables, "time", "vacf", "velocity autocorrelation")
    axes.axhline(0.0, color="grey", linewidth=0.8, linestyle=":")
    axes.set_title("\n".join(n.split(":")[0] for n in tables[0][1][""][1:]), fontsize=9)
    return figure


def draw_profile(tables):
    axis = next(n for n in ("x", "y", "z") if n in tables[0][1])
    figure, axes = draw_columns(tables, axis, "density", "number density")
    axes.set_ylim(bottom=0.0)
    return figure


def draw_pressure(tables):
    figure, axes = draw_columns(tables, "time", "viscosity", "shear viscosity: running integral")
    return figure


ANALYSES = {"rdf": draw_rdf, "msd": draw_msd, "vacf": draw_vacf, "density_profile": draw_profile, "pressure_acf": draw_pressure}


if __name__ == "__main__":
    main()
