"""Reads a run folder of Halyard: history, summary, case, fields. Shared by scripts/render and the figures beside this file.

Import it first: where the Python in use lacks numpy, matplotlib or VTK, it starts the script anew under Debian's own Python,
which has the packages that scripts/setup installs.
"""

import importlib.util
import json
import os
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

DEBIAN_PYTHON = "/usr/bin/python3"


def fail(message):
    """Ends the script with a sentence and exit code 1."""
    raise SystemExit(f"{Path(sys.argv[0]).name}: {message}")


def can_import(*modules):
    """Whether this Python has `modules`; where it has not, the script starts again under Debian's Python first."""
    if all(importlib.util.find_spec(m) for m in modules):
        return True
    if sys.prefix != "/usr" and os.path.exists(DEBIAN_PYTHON):
        sys.stdout.flush()
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
    return False


if not can_import("numpy", "matplotlib"):
    fail("Python lacks numpy or matplotlib; scripts/setup installs them")

import numpy as np  # noqa: E402


class Run:
    """One run folder. `history`: columns by name as arrays, `units` of these columns; `summary` and `case`: dictionaries."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            fail(f"no run folder '{folder}'")

    @property
    def name(self):
        """The case's title where it has one, or the folder's name."""
        return self.case.get("title") or self.folder.resolve().name

    @property
    def summary(self):
        return json.loads(self._file("summary.json").read_text(encoding="utf-8"))

    @property
    def case(self):
        """The case as resolved (defaults included), as nested dictionaries."""
        try:
            import tomllib
        except ImportError:
            fail(f"Python 3.11 or newer is needed to read {self.folder}/case.toml")
        return tomllib.loads(self._file("case.toml").read_text(encoding="utf-8"))

    @property
    def cells(self):
        """Cells along x, y, z."""
        return [int(n) for n in self.case["domain"]["cells"]]

    @property
    def history(self):
        """{column: array over the rows of history.csv}; what is no number is NaN."""
        names, rows = self._history_table()
        table = np.array(rows).reshape(len(rows), len(names))
        return {name: table[:, i] for i, name in enumerate(names)}

    @property
    def units(self):
        """{column of the history: unit}, "" where the file names none."""
        names, _ = self._history_table()
        for line in self._file("history.csv").read_text(encoding="utf-8").splitlines():
            if line.startswith("# units:"):
                units = [u.strip() for u in line.removeprefix("# units:").split(",")]
                return dict(zip(names, units)) if len(units) == len(names) else dict.fromkeys(names, "")
        return dict.fromkeys(names, "")

    def _history_table(self):
        lines = [line for line in self._file("history.csv").read_text(encoding="utf-8").splitlines() if line]
        lines = [line.split(",") for line in lines if not line.startswith("#")]  # the '#' line holds the units
        if not lines:
            fail(f"{self.folder}/history.csv has no header line")
        names = [name.strip() for name in lines[0]]
        # A killed run may leave the last line incomplete: such a row is left out.
        return names, [[_number(x) for x in row] for row in lines[1:] if len(row) == len(names)]

    def snapshots(self, collection="fields/fields.pvd"):
        """[(time, file)] of a ParaView collection, in the order of time; [] when the run wrote none."""
        pvd = self.folder / collection
        if not pvd.exists():
            return []
        sets = xml.parse(pvd).getroot().iter("DataSet")
        return sorted((float(d.get("timestep")), pvd.parent / d.get("file")) for d in sets)

    def _file(self, name):
        path = self.folder / name
        if not path.exists():
            fail(f"no {name} in '{self.folder}'; is it a run folder?")
        return path


class Field:
    """One snapshot (.vti or .vtr). `data[name]` is an array over the cells, indexed [k, j, i] (z, y, x; components last).

    `faces[axis]` and `centres[axis]` are coordinates, axis 0 = x; `unit[name]` is "" where the file names none. `vtk` is VTK's
    data set, for its filters.
    """

    def __init__(self, file):
        if not can_import("vtk"):
            fail("Python lacks VTK; scripts/setup (without --minimal) installs it")
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLRectilinearGridReader

        uniform = str(file).endswith(".vti")
        reader = vtkXMLImageDataReader() if uniform else vtkXMLRectilinearGridReader()
        if not Path(file).exists() or not reader.CanReadFile(str(file)):
            fail(f"VTK cannot read '{file}'")
        reader.SetFileName(str(file))
        reader.Update()
        self.vtk = reader.GetOutput()
        self.cells = [n - 1 for n in self.vtk.GetDimensions()]
        if uniform:
            first, origin, spacing = self.vtk.GetExtent()[::2], self.vtk.GetOrigin(), self.vtk.GetSpacing()
            self.faces = [origin[a] + spacing[a] * (first[a] + np.arange(self.cells[a] + 1)) for a in range(3)]
        else:
            grid = self.vtk
            coordinates = grid.GetXCoordinates(), grid.GetYCoordinates(), grid.GetZCoordinates()
            self.faces = [np.array(vtk_to_numpy(c), dtype=float) for c in coordinates]
        self.centres = [0.5 * (f[1:] + f[:-1]) for f in self.faces]
        self.data = {}
        arrays = self.vtk.GetCellData()
        for array in (arrays.GetArray(n) for n in range(arrays.GetNumberOfArrays())):
            components = array.GetNumberOfComponents()
            shape = self.cells[::-1] + ([components] if components > 1 else [])
            self.data[array.GetName()] = vtk_to_numpy(array).reshape(shape)
        self.unit = dict.fromkeys(self.data, "")
        units = self.vtk.GetFieldData().GetAbstractArray("units")  # strings "quantity unit"
        for n in range(units.GetNumberOfValues() if units else 0):
            name, _, unit = units.GetValue(n).partition(" ")
            self.unit[name] = unit

    def quantity(self, name):
        """The array over the cells called `name`; ends with what there is when the run did not write it."""
        if name not in self.data:
            fail(f"the run wrote no {name}; it has: {', '.join(self.data) or 'nothing'}")
        return self.data[name]


def new_figure(width=6.4, height=4.4):
    """A figure and its axes in one look for all figures, without a display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "font.size": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "legend.frameon": False,
            "savefig.dpi": 200,
        }
    )
    return plt.subplots(figsize=(width, height), layout="constrained")


def save(figure, file):
    """Writes `figure` as PNG, PDF or SVG by the file's ending, and says where."""
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)
    print(f"{Path(sys.argv[0]).name}: {file}")


def arguments(description, several_runs=True):
    """The command line that all figures share: RUN..., --output FILE."""
    import argparse

    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", metavar="RUN", nargs="+" if several_runs else 1, help="run folder")
    parser.add_argument("--output", metavar="FILE", help="picture to write; default: in pictures/ of the first run")
    return parser


def _number(text):
    try:
        return float(text)
    except ValueError:
        return float("nan")
