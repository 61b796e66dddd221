#!/usr/bin/env python3
"""The time series of runs of halyard-md, and what they analysed on the fly: pictures/history.png, pictures/rdf.png, ...

Energies are those per atom. The drift of the conserved energy in a stage is the numerical error of the integration.
"""

from halyard_run import Run, arguments, new_figure, save

import numpy as np


def main():
    parser = arguments(__doc__)
    options = parser.parse_args()
    runs = [Run(folder) for folder in options.runs]
    figure = plot_history(runs)
    pictures = runs[0].folder / "pictures"
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
