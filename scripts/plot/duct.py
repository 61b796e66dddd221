#!/usr/bin/env python3
"""Laminar flow through a rectangular duct against the exact series, from the last fields of each run.

The figure has the row of cells next to the middle of the duct; the table the largest and the rms error
over the cross-section. The flow runs along the axis of its fastest component.
"""

from pathlib import Path

from halyard_run import Field, Run, arguments, fail, new_figure, save

import numpy as np


def main():
    options = arguments(__doc__).parse_args()
    figure, axes = new_figure()
    print(f"{'run':28} {'cells':>14} {'peak':>9} {'max error':>10} {'rms error':>10}")
    for number, folder in enumerate(options.runs):
        run = Run(folder)
        snapshots = run.snapshots()
        if not snapshots:
            fail(f"no fields/fields.pvd in '{folder}'")
        field = Field(snapshots[-1][1])
        velocity = field.quantity("velocity")
        along = int(np.abs(velocity).mean((0, 1, 2)).argmax())
        a, b = (axis for axis in range(3) if axis != along)
        u = velocity[..., along].mean(2 - along)  # [b, a]
        # From the middle of the duct, in half widths.
        middle = [0.5 * (field.faces[axis][0] + field.faces[axis][-1]) for axis in (a, b)]
        half = [0.5 * (field.faces[axis][-1] - field.faces[axis][0]) for axis in (a, b)]
        y, z = (field.centres[axis] - m for axis, m in zip((a, b), middle))
        force = run.case["drive"]["body_force"][along] / run.case["fluid"]["viscosity"]
        exact = force * series(y[None, :], z[:, None], *half)
        area = np.diff(field.faces[b])[:, None] * np.diff(field.faces[a])[None, :]
        error = u - exact
        rms = np.sqrt(np.average(error**2, weights=area))
        print(f"{Path(folder).resolve().name[:28]:28} {' x '.join(map(str, field.cells)):>14} {exact.max():9.6f} {np.abs(error).max():10.2e} {rms:10.2e}")
        row = int(np.abs(z).argmin())  # the row of cells next to the centreline, compared with the series on that row
        if number == 0:
            fine = np.linspace(-half[0], half[0], 401)
            axes.plot(fine / half[0], force * series(fine, z[row], *half), color="black", linewidth=1.2, zorder=0, label="exact series")
        axes.plot(y / half[0], u[row], "o", markersize=3.5, fillstyle="none", color=f"C{number}", label=f"{field.cells[a]} x {field.cells[b]} cells")
    axes.set(xlabel=f"{'xyz'[a]} / half width, next to the centreline", ylabel=f"${'uvw'[along]}$ [{field.unit['velocity']}]")
    axes.legend(loc="lower center")
    save(figure, options.output or Run(options.runs[0]).folder / "pictures/duct.png")


def series(y, z, a, b):
    """nu u / f in |y| < a, |z| < b with u = 0 at the walls (White, Viscous Fluid Flow, eq. 3-48); good to 1e-10."""
    total = 0.0
    for n in range(1, 4000, 2):
        k = n * np.pi / (2.0 * a)
        # cosh(k z) / cosh(k b) without overflow
        ratio = (np.exp(k * (np.abs(z) - b)) + np.exp(-k * (np.abs(z) + b))) / (1.0 + np.exp(-2.0 * k * b))
        total = total + (-1.0) ** ((n - 1) // 2) * (-ratio) * np.cos(k * y) / n**3
    # The part without the ratio sums to the parabola between plates, in closed form.
    return 0.5 * (a * a - y * y) + 16.0 * a * a / np.pi**3 * total


if __name__ == "__main__":
    main()
