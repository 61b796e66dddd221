#!/usr/bin/env python3
"""Reads every product of io/results as a user would: VTK's XML readers, h5py, csv, json. The products are written by
sample_products with 1, 2, 3, 4 and 7 ranks, must be the same bytes, and are read from a folder that has been moved.

    read_products.py MPIEXEC SAMPLE_PRODUCTS PICTURES(0|1)
"""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import h5py
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"SKIPPED: results are not read back, since {sys.executable} has no module {missing.name} "
          "(install python3-vtk9 python3-h5py)")
    sys.exit(77)

SAMPLES = {
    "uniform": ((7, 5, 3), (True, True, True)),
    "stretched": ((7, 5, 3), (True, False, True)),
    "prime": ((13, 11, 7), (True, True, False)),
    "flat": ((6, 1, 5), (False, True, True)),
}
QUANTITIES = {"velocity": ("m/s", 3), "pressure": ("m2/s2", 1), "stress": ("m2/s2", 6)}


def faces_of(name):
    cells, uniform = SAMPLES[name]
    faces = []
    for n, is_uniform, origin, spacing in zip(cells, uniform, (-1.0, 0.25, 3.0), (0.5, 0.125, 2.0)):
        i = np.arange(n + 1, dtype=np.float64)
        faces.append(origin + spacing * i if is_uniform else 0.1 * i * (i + 1.0) / 3.0)
    return faces


def values_of(cells, components):
    """[nz, ny, nx, components], the sums in the same order as in sample_products.cpp."""
    k, j, i, c = np.meshgrid(*(np.arange(n, dtype=np.float64) for n in (cells[2], cells[1], cells[0], components)),
                             indexing="ij")
    return (c + 1.0) + 10.0 * i + 1000.0 * j + 1e5 * k + 1.0 / 3.0


def check(condition, *what):
    if not condition:
        print("FAILED:", *what)
        sys.exit(1)


def read_vtk(path, uniform):
    reader = vtk.vtkXMLImageDataReader() if uniform else vtk.vtkXMLRectilinearGridReader()
    check(reader.CanReadFile(path), path, "is not read by", reader.GetClassName())
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.SetFileName(path)
    reader.Update()
    check(not errors, "VTK reports an error in", path)
    return reader.GetOutput()


def check_vtk(folder, name, dtype, step, time):
    cells, uniform = SAMPLES[name]
    all_uniform = all(uniform)
    path = os.path.join(folder, "fields", f"case___{name}_{step:08d}." + ("vti" if all_uniform else "vtr"))
    grid = read_vtk(path, all_uniform)
    check(grid.GetDimensions() == tuple(n + 1 for n in cells), path, "dimensions", grid.GetDimensions())
    faces = faces_of(name)
    check(grid.GetBounds() == tuple(f for axis in faces for f in (axis[0], axis[-1])), path, "bounds", grid.GetBounds())
    if not all_uniform:
        for axis, get in enumerate((grid.GetXCoordinates, grid.GetYCoordinates, grid.GetZCoordinates)):
            check(np.array_equal(vtk_to_numpy(get()), faces[axis]), path, "coordinates of axis", axis)
    field = grid.GetFieldData()
    check(field.GetArray("TimeValue").GetValue(0) == time, path, "TimeValue")
    check(field.GetArray("step").GetValue(0) == step, path, "step")
    units = field.GetAbstractArray("units")
    texts = [units.GetValue(n) for n in range(units.GetNumberOfValues())]
    check(texts == ["coordinates m", "TimeValue s"] + [f"{q} {u}" for q, (u, _) in QUANTITIES.items()], path, texts)
    data = grid.GetCellData()
    check(grid.GetPointData().GetNumberOfArrays() == 0, path, "has point data")
    check([data.GetArrayName(n) for n in range(data.GetNumberOfArrays())] == list(QUANTITIES), path, "arrays")
    check(data.GetVectors().GetName() == "velocity" and data.GetScalars().GetName() == "pressure", path, "active arrays")
    for quantity, (unit, components) in QUANTITIES.items():
        array = data.GetArray(quantity)
        values = vtk_to_numpy(array)
        check(values.dtype == dtype, path, quantity, values.dtype)
        expected = values_of(cells, components).astype(dtype).reshape(-1, components)
        check(np.array_equal(values.reshape(-1, components), expected), path, quantity, "values")
        check(array.GetInformation().Get(vtk.vtkDataArray.UNITS_LABEL()) == unit, path, quantity, "unit")
    # By place: the value of the cell that VTK finds at a point is that of the index there.
    for index in np.ndindex(*cells):
        middle = [0.5 * (faces[a][index[a]] + faces[a][index[a] + 1]) for a in range(3)]
        cell = grid.FindCell(middle, None, 0, 0.0, vtk.mutable(0), [0.0] * 3, [0.0] * 8)
        i, j, k = index
        check(data.GetArray("pressure").GetTuple1(cell) == dtype(1.0 + 10.0 * i + 1000.0 * j + 1e5 * k + 1.0 / 3.0),
              path, "value at", middle)


def check_pvd(folder, expected):
    collection = ElementTree.parse(os.path.join(folder, "fields", "fields.pvd")).getroot()
    check(collection.tag == "VTKFile" and collection.get("type") == "Collection", folder, "pvd type")
    entries = list(collection.find("Collection"))
    check([float(e.get("timestep")) for e in entries] == [time for _, time in expected], folder, "pvd times")
    for entry, (step, _) in zip(entries, expected):
        check(f"_{step:08d}.vt" in entry.get("file"), folder, "pvd file", entry.get("file"))
        check(os.path.exists(os.path.join(folder, "fields", entry.get("file"))), folder, entry.get("file"), "is missing")


def text_of(attribute):
    return attribute.decode() if isinstance(attribute, bytes) else str(attribute)


def check_hdf5(folder, name, dtype, step, time):
    cells, _ = SAMPLES[name]
    path = os.path.join(folder, "fields", f"case___{name}_{step:08d}.h5")
    with h5py.File(path, "r") as file:
        check(file.attrs["time"] == time and file.attrs["step"] == step, path, "time or step")
        check(text_of(file.attrs["time_unit"]) == "s", path, "time unit")
        for axis, faces in zip("xyz", faces_of(name)):
            check(np.array_equal(file[axis][:], faces), path, axis)
            check(np.array_equal(file[axis + "_centre"][:], 0.5 * (faces[:-1] + faces[1:])), path, axis, "centres")
            check(text_of(file[axis].attrs["unit"]) == "m", path, axis, "unit")
        for quantity, (unit, components) in QUANTITIES.items():
            dataset = file[quantity]
            expected = values_of(cells, components).astype(dtype)
            if components == 1:
                expected = expected[..., 0]
            check(dataset.shape == expected.shape and dataset.dtype == dtype, path, quantity, dataset.shape)
            check(np.array_equal(dataset[...], expected), path, quantity, "values")
            check(dataset.chunks is None and dataset.compression is None, path, quantity, "is not contiguous")
            check(text_of(dataset.attrs["unit"]) == unit, path, quantity, "unit")
            check(text_of(dataset.attrs["centring"]) == "cell", path, quantity, "centring")


def numbers(item, folder):
    """The values of an XDMF DataItem, read through its relative path where it is in HDF5."""
    shape = tuple(int(n) for n in item.get("Dimensions").split())
    if item.get("Format") == "XML":
        return np.array([float(n) for n in item.text.split()]).reshape(shape)
    file, path = item.text.strip().split(":")
    check(not os.path.isabs(file), "XDMF path", file, "is absolute")
    with h5py.File(os.path.join(folder, "fields", file), "r") as h5:
        check(h5[path].shape == shape, "XDMF shape", shape, "HDF5 shape", h5[path].shape)
        check(h5[path].dtype.itemsize == int(item.get("Precision")), "XDMF precision of", path)
        return h5[path][...]


def check_xdmf(folder, name, dtype, expected):
    cells, uniform = SAMPLES[name]
    faces = faces_of(name)
    root = ElementTree.parse(os.path.join(folder, "fields", "fields.xdmf")).getroot()
    collection = root.find("Domain/Grid")
    check(collection.get("CollectionType") == "Temporal", folder, "XDMF collection")
    grids = collection.findall("Grid")
    check([float(g.find("Time").get("Value")) for g in grids] == [time for _, time in expected], folder, "XDMF times")
    for grid, (step, _) in zip(grids, expected):
        check(grid.find("Topology").get("Dimensions") == " ".join(str(n + 1) for n in reversed(cells)), folder,
              "XDMF topology")
        items = grid.findall("Geometry/DataItem")
        if all(uniform):
            origin, spacing = (numbers(item, folder) for item in items)
            check(np.array_equal(origin, [f[0] for f in reversed(faces)]), folder, "XDMF origin")
            check(np.array_equal(spacing, [f[1] - f[0] for f in reversed(faces)]), folder, "XDMF spacing")
        else:
            for item, face in zip(items, faces):
                check(np.array_equal(numbers(item, folder), face), folder, "XDMF coordinates")
        attributes = grid.findall("Attribute")
        check([a.get("Name") for a in attributes] == list(QUANTITIES), folder, "XDMF attributes")
        for attribute in attributes:
            unit, components = QUANTITIES[attribute.get("Name")]
            check(attribute.get("Center") == "Cell", folder, "XDMF centring")
            kind = {1: "Scalar", 3: "Vector", 6: "Tensor6"}[components]
            check(attribute.get("AttributeType") == kind, folder, "XDMF attribute type")
            item = attribute.find("DataItem")
            check(f"_{step:08d}.h5:" in item.text, folder, "XDMF file", item.text)
            values = numbers(item, folder).reshape(-1)
            check(np.array_equal(values, values_of(cells, components).astype(dtype).reshape(-1)), folder, "XDMF values")


def read_png(path):
    reader = vtk.vtkPNGReader()
    check(reader.CanReadFile(path), path, "is no PNG")
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1]  # top row first


def plot_area(image, frame=(110, 110, 110)):
    """(x0, x1, y0, y1) inside of the frame: its lines are the longest runs of the frame's colour."""
    mask = np.all(image == frame, axis=2)
    columns, rows = mask.sum(axis=0), mask.sum(axis=1)
    x = np.flatnonzero(columns > 0.9 * columns.max())
    y = np.flatnonzero(rows > 0.9 * rows.max())
    return x[0] + 1, x[1], y[0] + 1, y[1]  # those that follow belong to the colour bar


def check_pictures(folder):
    pictures = os.path.join(folder, "pictures")
    check(sorted(os.listdir(pictures)) ==
          ["pressure_y_00000010.png", "velocity_y_x_00000010.png", "velocity_y_z_00000010.png"],
          "pictures", os.listdir(pictures))
    x, y, z = faces_of("stretched")

    # z = 6 shows x across and y (stretched) up; cell (2, 3, 1) is not a number: its rectangle is magenta.
    image = read_png(os.path.join(pictures, "velocity_y_z_00000010.png"))
    x0, x1, y0, y1 = plot_area(image)
    width, height = x1 - x0, y1 - y0
    check(max(width, height) == 900, "longer side", width, height)
    check(abs(height / width - (y[-1] - y[0]) / (x[-1] - x[0])) < 1.0 / width, "proportions", width, height)
    bad = np.all(image == (255, 0, 255), axis=2)
    columns, rows = np.flatnonzero(bad.any(axis=0)), np.flatnonzero(bad.any(axis=1))
    for found, exact in ((columns[0] - x0, width * (x[2] - x[0]) / (x[-1] - x[0])),
                         (columns[-1] + 1 - x0, width * (x[3] - x[0]) / (x[-1] - x[0])),
                         (rows[0] - y0, height * (y[-1] - y[4]) / (y[-1] - y[0])),
                         (rows[-1] + 1 - y0, height * (y[-1] - y[3]) / (y[-1] - y[0]))):
        check(abs(found - exact) <= 1.0, "the bad cell's edge lies at", found, "not", exact)  # a pixel
    check(bad.sum() == len(columns) * len(rows), "the bad cell is no rectangle")
    # Values rise along x and y: the lowest colour of viridis at the lower left, the highest at the upper right.
    check(tuple(image[y1 - 1, x0]) == (68, 1, 84), "lowest colour", image[y1 - 1, x0])
    check(tuple(image[y0, x1 - 1]) == (253, 231, 37), "highest colour", image[y0, x1 - 1])

    # x = 0.25 shows y across and z up, under a given range symmetric about zero: coolwarm, all values on the warm side.
    image = read_png(os.path.join(pictures, "velocity_y_x_00000010.png"))
    x0, x1, y0, y1 = plot_area(image)
    check(y1 - y0 == 800, "longer side", y1 - y0)
    check(image[y0, x0][0] > image[y0, x0][2], "upper side is not warm", image[y0, x0])
    check(np.all(image[y1 - 1, x0].astype(int) > 200), "lower side is not neutral", image[y1 - 1, x0])
    # y = 0.25 shows x across and z up in magma.
    image = read_png(os.path.join(pictures, "pressure_y_00000010.png"))
    x0, x1, y0, y1 = plot_area(image)
    check(abs((y1 - y0) / (x1 - x0) - (z[-1] - z[0]) / (x[-1] - x[0])) < 0.01, "proportions", x0, x1, y0, y1)
    check(tuple(image[y1 - 1, x0]) == (0, 0, 4) and tuple(image[y0, x1 - 1]) == (252, 253, 191), "ends of magma",
          image[y1 - 1, x0], image[y0, x1 - 1])


def check_summary(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    check(list(summary) == ["program", "version", "device", "ranks", "threads", "steps", "time", "wall_seconds", "rate",
                            "state_hash", "end", "kernels", "ranks_per_axis"], "summary", list(summary))
    check(summary["rate"] == {"value": 2.5, "unit": "Mcell/s"} and summary["time"] == 0.1, "summary", summary)
    check(summary["state_hash"] == "0000000000000abc" and summary["steps"] == 10, "summary", summary)
    check(summary["kernels"] == [{"name": 'pro"ject', "seconds": 0.1, "share": None}], "summary", summary["kernels"])


def same_files(one, other, lists):
    """Every file of `other` is the same in `one`; the lists of snapshots only where all were written."""
    comparison = filecmp.dircmp(one, other)
    check(not comparison.right_only, other, "holds more files:", comparison.right_only)
    files = [f for f in comparison.common_files if lists or f not in ("fields.pvd", "fields.xdmf")]
    _, different, unread = filecmp.cmpfiles(one, other, files, shallow=False)
    check(not different and not unread, other, "differs from one rank in", different + unread)
    compared = len(files)
    for sub in comparison.common_dirs:
        compared += same_files(os.path.join(one, sub), os.path.join(other, sub), lists)
    return compared


def main():
    mpiexec, program, pictures = sys.argv[1], sys.argv[2], sys.argv[3] == "1"
    scratch = tempfile.mkdtemp(prefix="halyard_results_")
    try:
        def write(ranks, folder, mode):
            os.makedirs(folder, exist_ok=True)
            subprocess.run([mpiexec, "-n", str(ranks), program, folder, mode], check=True)

        folder = os.path.join(scratch, "1")
        write(1, folder, "all")
        for ranks, mode, files in ((2, "all", 48 + 16), (3, "few", 8), (4, "few", 8), (7, "few", 8)):
            other = os.path.join(scratch, str(ranks))
            write(ranks, other, mode)
            compared = same_files(folder, other, mode == "all")
            expected = files + 1 + (3 if pictures else 0)  # the summary, the pictures
            check(compared == expected, compared, "files compared, not", expected)
        for phase, snapshots in (("first", [(0, 0.0), (10, 0.1), (123456789, 1.0 / 3.0)]),
                                 ("restart", [(0, 0.0), (10, 0.1), (20, 0.2)])):
            if phase == "restart":
                write(2, folder, "restart")
            moved = os.path.join(scratch, "moved " + phase)
            shutil.move(folder, moved)
            folder = moved
            for name in SAMPLES:
                for bits, dtype in (("64", np.float64), ("32", np.float32)):
                    for step, time in snapshots:
                        check_vtk(os.path.join(folder, f"{name}-vtk{bits}"), name, dtype, step, time)
                        check_hdf5(os.path.join(folder, f"{name}-hdf5{bits}"), name, dtype, step, time)
                    check_pvd(os.path.join(folder, f"{name}-vtk{bits}"), snapshots)
                    check_xdmf(os.path.join(folder, f"{name}-hdf5{bits}"), name, dtype, snapshots)
            leftovers = [f for _, _, files in os.walk(folder) for f in files if f.endswith(".tmp")]
            check(not leftovers, "temporary files are left:", leftovers)
        check_summary(folder)
        if pictures:
            check_pictures(folder)
        # Without being told that the run continues, nothing is overwritten.
        again = subprocess.run([mpiexec, "-n", "2", program, folder, "all"], capture_output=True, text=True)
        check(again.returncode != 0 and "exists already and is not overwritten" in again.stderr, again.stderr)
    finally:
        shutil.rmtree(scratch)
    print("every product read back" + ("" if pictures else "; pictures are off in this build"))


main()
