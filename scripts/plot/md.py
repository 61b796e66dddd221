#!/usr/bin/env python3
"""The time series of runs of halyard-md, and what they analysed on the fly: pictures/history.png, pictures/rdf.png, ...

Energies are those per atom. The drift of the conserved energy in a stage is the numerical error of the integration. Stages are
told apart by dotted lines, with their names. Means are printed for each stage by itself and for what is left of it without the
start, where it still settles: as many rows as make the mean most certain (the standard error least, Chodera 2016, J. Chem. Theory
Comput. 12, 1799), at most half of the stage; --skip SHARE leaves out that share of each stage instead.

--means NAME=EXPRESSION ... draws means over each run's last stage instead (expressions as in means.py), the others over the first,
with the reference's points where a table (csv with columns NAME, NAME_error) is given, and prints them.
"""

from halyard_run import Run, arguments, fail, new_figure, save
from means import series, settled, standard_error

import csv
from pathlib import Path

import numpy as np


def main():
    parser = arguments(__doc__)
    parser.add_argument("--means", nargs="+", metavar="NAME=EXPRESSION", help="draw means of the runs, not their course")
    parser.add_argument("--reference", type=Path, help="table of what the means should be")
    parser.add_argument("--table", type=Path, help="file for the means")
    parser.add_argument("--skip", type=float, metavar="SHARE", help="leave out this share of each stage, 0 to 1, in its means")
    options = parser.parse_args()
    if options.skip is not None and not 0.0 <= options.skip < 1.0:
        fail(f"--skip is {options.skip}, but must be at least 0 and below 1")
    runs = [Run(folder) for folder in options.runs]
    pictures = runs[0].folder / "pictures"
    if options.means:
        save(plot_means(runs, options), options.output or pictures / "means.png")
        return
    figure = plot_history(runs)
    for run in runs:
        print_means(run, options.skip)
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
        # Where one stage follows another: the last row of a stage is of its end.
        ends = np.flatnonzero(np.diff(h["stage"]))
        for row in ends:
            for ax in axes.flat:
                ax.axvline(t[row], color="grey", linewidth=0.8, linestyle=":")
        if number == 0 and len(ends):
            for start, end, stage in zip([t[0], *t[ends]], [*t[ends], t[-1]], h["stage"][[*ends, len(t) - 1]]):
                if end > start:  # not a minimisation, in which no time passes
                    for ax in axes[0]:
                        ax.annotate(stage_name(run, stage), (0.5 * (start + end), 1.0), xycoords=ax.get_xaxis_transform(),
                                    ha="center", va="bottom", fontsize=8, color="grey")
    axes[1, 0].legend(loc="center right")
    if len(runs) > 1:
        axes[0, 0].legend()
    figure.suptitle(runs[0].name)
    return figure


def stage_name(run, stage):
    """The name that the case gives the stage (from 1), or "stage 2"."""
    return run.case["stage"][int(stage) - 1].get("name") or f"stage {int(stage)}"


def print_means(run, skip):
    """Mean temperature, pressure, potential energy and volume of each stage, with standard errors, without its start."""
    h, units = run.history, run.units
    atoms = max(1, int(run.summary.get("items", 1)))
    columns = {name: (h[name], units[name]) for name in ("temperature", "pressure")}
    columns["potential_energy/atom"] = (h["potential_energy"] / atoms, f"{units['potential_energy']}/atom")
    if np.ptp(h["volume"]) > 0.0:
        columns["volume"] = (h["volume"], units["volume"])
    for stage in np.unique(h["stage"]):
        rows = np.flatnonzero(h["stage"] == stage)
        case = run.case["stage"][int(stage) - 1]
        said = f"{run.folder}: stage {int(stage)}" + (f" ({case['name']})" if case.get("name") else "") + f", {case['ensemble']}"
        if case["ensemble"] == "minimise":
            print(f"{said}: no means; at its end the potential energy is {columns['potential_energy/atom'][0][rows[-1]]:.8g} "
                  f"{columns['potential_energy/atom'][1]}")
            continue
        rows = rows[h["step"][rows] > 0]  # the start of the run is of no stage
        if len(rows) == 0:
            continue
        if skip is not None:
            first, why = int(skip * len(rows)), f"as --skip {skip:g} says"
        else:
            first = max(settled(values[rows]) for values, _ in columns.values())
            why = "until then it settles"
        kept = rows[first:]
        print(f"{said}: means from t = {h['time'][kept[0]]:.6g} to {h['time'][kept[-1]]:.6g} {units['time']}, {len(kept)} rows"
              + (f" ({first} rows before are left out, {why})" if first else ""))
        for name, (values, unit) in columns.items():
            error = standard_error(values[kept])
            print(f"  {name:22} {values[kept].mean():14.7g}" + (f" +- {error:<9.2g}" if error > 0.0 else " " * 13) + f" {unit}")


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
