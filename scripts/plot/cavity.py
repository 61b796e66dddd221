#!/usr/bin/env python3
"""Velocity on the centrelines of lid-driven cavities against Ghia, Ghia & Shin (1982), from the last fields of each run.

The cavity lies in the plane of the two axes that have more than one cell; the lid is the upper side of the second.
"""

from pathlib import Path

from halyard_run import Field, Run, arguments, fail, new_figure, save

import numpy as np

REFERENCE = Path(__file__).resolve().parents[2] / "cases/lid-driven-cavity/reference"
MISPRINTS = {("u", 3200): 0.4531, ("v", 400): 0.9063}  # values of Ghia that are left out, by position


def main():
    parser = arguments(__doc__)
    parser.add_argument("--lid-speed", type=float, default=1.0, metavar="U", help="speed of the lid (1)")
    options = parser.parse_args()
    tables = {c: np.genfromtxt(REFERENCE / f"ghia1982_{c}.csv", delimiter=",", names=True, skip_header=2) for c in "uv"}
    figure, axes = new_figure()
    right = axes.twiny().twinx()  # v over x; the axes' ranges below put both in one square, as in the paper
    top = figure.axes[1]
    for extra in (top, right):
        extra.grid(False)
        for side in extra.spines.values():
            side.set_visible(True)
    marker = dict(linestyle="none", markersize=4, fillstyle="none")
    print(f"{'run':28} {'Re':>6} {'cells':>12} {'max |u - Ghia|':>15} {'max |v - Ghia|':>15}")
    for number, folder in enumerate(options.runs):
        run = Run(folder)
        snapshots = run.snapshots()
        if not snapshots:
            fail(f"no fields/fields.pvd in '{folder}'")
        field = Field(snapshots[-1][1])
        (y, u), (x, v), size = centrelines(field)
        u, v = u / options.lid_speed, v / options.lid_speed
        reynolds = options.lid_speed * size / run.case["fluid"]["viscosity"]
        nearest = min((100, 400, 1000, 3200), key=lambda re: abs(re - reynolds))
        published = abs(nearest - reynolds) < 1e-6 * reynolds
        colour = f"C{number}"
        axes.plot(u, y, color=colour, label=f"Re {reynolds:g}, {' × '.join(str(n) for n in field.cells if n > 1)} cells")
        right.plot(x, v, color=colour, linestyle="--")
        errors = ["", ""]
        if published:
            for n, (component, along, values) in enumerate((("u", y, u), ("v", x, v))):
                position, reference = tables[component]["yx"[n]], tables[component][f"Re{nearest}"]
                inside = (position > 0.0) & (position < 1.0) & (position != MISPRINTS.get((component, nearest)))
                position, reference = position[inside], reference[inside]
                errors[n] = f"{np.abs(np.interp(position, along, values) - reference).max():.5f}"
                if component == "u":
                    axes.plot(reference, position, marker="o", color=colour, **marker)
                else:
                    right.plot(position, reference, marker="s", color=colour, **marker)
        print(f"{Path(folder).resolve().name[:28]:28} {reynolds:6g} {' x '.join(map(str, field.cells)):>12} {errors[0]:>15} {errors[1]:>15}")
    axes.set(xlabel="$u / U$ on the vertical centreline (solid; circles: Ghia)", ylabel="$y / L$", xlim=(-1, 1), ylim=(0, 1))
    top.set(xlabel="$x / L$", xlim=(0, 1))
    right.set(ylabel="$v / U$ on the horizontal centreline (dashed; squares: Ghia)", ylim=(-1, 1))
    axes.legend(loc="upper left")
    figure.set_size_inches(6.4, 6.0)
    save(figure, options.output or Run(options.runs[0]).folder / "pictures/centrelines.png")


def centrelines(field):
    """(y/L, u on x = L/2), (x/L, v on y = L/2), L: the first from below to the lid, between cell centres linear."""
    plane = [axis for axis in range(3) if field.cells[axis] > 1]
    if len(plane) != 2:
        fail(f"a cavity has one cell in one direction, this run has {' x '.join(map(str, field.cells))}")
    a, b = plane
    thin = ({0, 1, 2} - {a, b}).pop()
    velocity = field.quantity("velocity").squeeze(2 - thin)  # [b, a, component]
    size = field.faces[b][-1] - field.faces[b][0]
    x, y = ((field.centres[n] - field.faces[n][0]) / (field.faces[n][-1] - field.faces[n][0]) for n in plane)
    u = np.array([np.interp(0.5, x, row) for row in velocity[..., a]])
    v = np.array([np.interp(0.5, y, column) for column in velocity[..., b].T])
    return (y, u), (x, v), size


if __name__ == "__main__":
    main()
