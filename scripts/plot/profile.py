#!/usr/bin/env python3
"""Mean velocity over the wall-normal coordinate, from the last fields of each run, against an exact profile.

The component is the fastest one and the wall-normal axis the one along which it varies most, unless named. Averages run over the
two other axes. --laminar draws the exact profile of Couette and Poiseuille flow that belongs to the case's walls and body force;
--exact takes an expression in the wall-normal coordinate y (0 at the lower wall), the height h and the viscosity nu, for example
'4*y*(h-y)/h**2'.
"""

from pathlib import Path

from halyard_run import Field, Run, arguments, fail, new_figure, save

import numpy as np


def main():
    parser = arguments(__doc__)
    parser.add_argument("--laminar", action="store_true", help="against u = U0 + (U1 - U0) y/h + f y (h - y)/(2 nu)")
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
        exact = laminar(run.case, "xyz"[axis], component, h) if options.laminar else expression(options.exact, run.case, h)
        if exact:
            error = mean[axis] - exact(y)
            errors = [f"{np.abs(error).max():.2e}", f"{np.sqrt(np.average(error**2, weights=np.diff(field.faces[axis]))):.2e}"]
            if number == 0:
                fine = np.linspace(0.0, h, 401)
                axes.plot(exact(fine), fine, color="black", linewidth=1.2, zorder=0, label="exact")
        print(f"{Path(folder).resolve().name[:28]:28} {' x '.join(map(str, field.cells)):>14} {errors[0]:>10} {errors[1]:>10}")
    unit = field.unit["velocity"]
    axes.set(xlabel=f"${'uvw'[component]}$" + (f" [{unit}]" if unit else ""), ylabel=f"distance from the lower wall, along {'xyz'[axis]}")
    axes.legend()
    save(figure, options.output or Run(options.runs[0]).folder / "pictures/profile.png")


def laminar(case, axis, component, h):
    """u(y) between two plates that move with U0 and U1, driven by the body force f [m/s2]: linear plus parabola."""
    walls = [case["boundary"][f"{axis}_{side}"] for side in ("lower", "upper")]
    if any(wall["type"] != "no_slip" for wall in walls):
        fail(f"--laminar needs no-slip walls across {axis}")
    below, above = (wall.get("velocity", [0.0, 0.0, 0.0])[component] for wall in walls)
    force, nu = case.get("drive", {}).get("body_force", [0.0, 0.0, 0.0])[component], case["fluid"]["viscosity"]
    return lambda y: below + (above - below) * y / h + force * y * (h - y) / (2.0 * nu)


def expression(text, case, h):
    """The user's expression as a function of y; None where there is none."""
    if not text:
        return None
    names = {name: getattr(np, name) for name in ("sin", "cos", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "pi")}
    names |= {"h": h, "nu": case["fluid"]["viscosity"], "__builtins__": {}}
    return lambda y: eval(text, names | {"y": y}) + 0.0 * y


if __name__ == "__main__":
    main()
