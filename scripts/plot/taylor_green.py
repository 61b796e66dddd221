#!/usr/bin/env python3
"""Dissipation of kinetic energy in Taylor-Green runs at Re = 1600 against the published 512^3 spectral curve.

Per run two curves: -dE/dt of the recorded kinetic energy, and the dissipation that the solver computes from the strain rate.
They differ by what the scheme dissipates or produces of its own.
"""

from pathlib import Path

from halyard_run import Run, arguments, new_figure, save

import numpy as np

REFERENCE = Path(__file__).resolve().parents[2] / "cases/taylor-green/reference/spectral_Re1600_512.csv"


def main():
    options = arguments(__doc__).parse_args()
    time, _, published, _ = np.loadtxt(REFERENCE, delimiter=",", skiprows=2, unpack=True)
    figure, axes = new_figure()
    axes.plot(time, published, color="black", linewidth=1.6, label="spectral, 512³ (published)")
    print(f"{'run':28} {'peak -dE/dt':>12} {'at t':>8} {'peak strain':>12} {'at t':>8} {'rms error':>10}")
    peak = np.argmax(published)
    print(f"{'published':28} {published[peak]:12.5f} {time[peak]:8.3f}")
    last = 0.0
    for number, folder in enumerate(options.runs):
        run = Run(folder)
        history = run.history
        t, energy, strain = history["time"], history["kinetic_energy"], history["dissipation"]
        t, rows = np.unique(t, return_index=True)
        energy, strain = energy[rows], strain[rows]
        loss = -np.gradient(energy, t)
        last = max(last, t[-1])
        colour = f"C{number}"
        axes.plot(t, loss, color=colour, label=f"{cells_text(run.cells)}, $-dE/dt$")
        axes.plot(t, strain, color=colour, linestyle="--", label=f"{cells_text(run.cells)}, from strain")
        common = time <= t[-1]
        error = np.sqrt(np.mean((np.interp(time[common], t, loss) - published[common]) ** 2))
        i, j = np.argmax(loss), np.argmax(strain)
        print(f"{Path(folder).resolve().name[:28]:28} {loss[i]:12.5f} {t[i]:8.3f} {strain[j]:12.5f} {t[j]:8.3f} {error:10.2e}")
    axes.set(xlabel="time  $t V_0/L$", ylabel="dissipation  $\\varepsilon L/V_0^3$", title="Taylor-Green vortex, Re = 1600")
    axes.set_xlim(0.0, min(20.0, last))
    axes.set_ylim(bottom=0.0)
    axes.legend()
    save(figure, options.output or Run(options.runs[0]).folder / "pictures/dissipation.png")


def cells_text(cells):
    return f"{cells[0]}³" if len(set(cells)) == 1 else " × ".join(map(str, cells))


if __name__ == "__main__":
    main()
