#!/usr/bin/env python3
"""Mean velocity over the wall-normal coordinate, from the last fields of each run, against an exact profile.

The component is the fastest one and the wall-normal axis the one along which it varies most, unless named. Averages run over the
two other axes. The exact profile is an expression in the wall-normal coordinate y (0 at the lower wall), the height h and the
viscosity nu, for example '4*y*(h-y)/h**2'.
"""

from halyard_run import Field, Run, arguments, fail, new_figure, save

import numpy as np


def main():
    parser = arguments(__doc__)
    parser.add_argument("--exact", metavar="EXPRESSION", help="exact velocity; functions of numpy by their names")
    parser.add_argument("--normal", choices=list("xyz"), help="wall-normal axis")
    parser.add_argument("--component", choices=list("uvw"), help="velocity component")
    options = parser.parse_args()
    figure, axes = new_figure()
    print(f"{'run':28} {'cells':>14} {'max error':>10} {'rms error':>10}")
    for number, folder in enumerate(options.runs):
        run = Run(folder)
        snapshots = run.snapshots()
        if not snapshots:
            fail(f"no fields/fields.pvd in '{folder}'")
        field = Field(snapshots[-1][1])
        velocity = field.quantity("velocity")
        component = "uvw".index(options.component) if options.component else int(np.abs(velocity).mean((0, 1, 2)).argmax())
        mean = [velocity[..., component].mean(tuple(2 - a for a in range(3) if a != axis)) for axis in range(3)]
        axis = "xyz".index(options.normal) if options.normal else int(np.argmax([np.ptp(m) for m in mean]))
        y, h = field.centres[axis] - field.faces[axis][0], field.faces[axis][-1] - field.faces[axis][0]
        axes.plot(mean[axis], y, "o", markersize=3.5, fillstyle="none", color=f"C{number}", label=f"{field.cells[axis]} cells")
        errors = ["", ""]
        if options.exact:
            names = {n: getattr(np, n) for n in ("sin", "cos", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "pi")}
            names |= {"h": h, "nu": run.case["fluid"]["viscosity"], "__builtins__": {}}
            def exact(at):
                return eval(options.exact, names | {"y": at}) + 0.0 * at  # noqa: S307 (the user's own command line)
            error = mean[axis] - exact(y)
            errors = [f"{np.abs(error).max():.2e}", f"{np.sqrt(np.average(error**2, weights=np.diff(field.faces[axis]))):.2e}"]
            if number == 0:
                fine = np.linspace(0.0, h, 401)
                axes.plot(exact(fine), fine, color="black", linewidth=1.2, zorder=0, label="exact")
        print(f"{folder[-28:]:28} {' x '.join(map(str, field.cells)):>14} {errors[0]:>10} {errors[1]:>10}")
    unit = field.unit["velocity"]
    axes.set(xlabel=f"${'uvw'[component]}$" + (f" [{unit}]" if unit else ""), ylabel=f"distance from the lower wall, along {'xyz'[axis]}")
    axes.legend()
    save(figure, options.output or Run(options.runs[0]).folder / "pictures/profile.png")


if __name__ == "__main__":
    main()
