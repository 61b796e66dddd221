#!/usr/bin/env python3
"""Reads trajectories as a user would: H5MD by h5py and MDAnalysis, .vtp by VTK, extended XYZ by a parser of its own and
ASE. They are written by sample_trajectory and read from a folder that has been moved.

    read_particles.py MPIEXEC SAMPLE_TRAJECTORY

MDAnalysis and ASE are asked only where this Python has them; it is said loudly where it has not.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

try:
    import h5py
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"SKIPPED: trajectories are not read back, since {sys.executable} has no module {missing.name} "
          "(install python3-vtk9 python3-h5py)")
    sys.exit(77)
try:
    import MDAnalysis
except ImportError:
    MDAnalysis = None
try:
    import ase.io
except ImportError:
    ase = None

COUNTS = {"orthogonal": 13, "triclinic": 5, "one": 1, "none": 0}
TRICLINIC = {"triclinic", "none"}
SPECIES, MASS = ["Cu", "O 2", "H"], np.array([63.546, 15.9994, 1.008])
UNITS = {
    "real": ("Angstrom", "fs", "Angstrom fs-1", "kcal mol-1 Angstrom-1", "u"),
    "metal": ("Angstrom", "ps", "Angstrom ps-1", "eV Angstrom-1", "u"),
    "lj": ("", "", "", "", ""),
}
STEPS = (0, 10, 20, 30, 40)


def check(condition, *what):
    if not condition:
        print("FAILED:", *what)
        sys.exit(1)


class Frame:
    """The values of particle_sample.hpp, by the same sums in the same order."""

    def __init__(self, name, units, step):
        n = COUNTS[name]
        self.step, self.time = step, step / 30.0
        grown = step / 700.0
        self.origin = np.array([-1.0 - grown, 0.25, 1.0 / 3.0])
        lx, ly, lz = 10.0 + grown, 11.0, 12.5 + grown
        self.triclinic = name in TRICLINIC
        self.edges = np.diag([lx, ly, lz])
        self.periodic = (True, True, True)
        if self.triclinic:
            self.edges[1, 0], self.edges[2, 0], self.edges[2, 1] = 1.5 + grown, -2.0, 0.7
            self.periodic = (True, False, True)
        atom = np.arange(n)
        a, k, t = atom[:, None].astype(float), np.arange(3)[None, :].astype(float), float(step)
        self.id, self.type = 3 * atom + 5, atom % 3
        self.mass = MASS[self.type]
        self.image = (atom[:, None] + np.arange(3)[None, :] + step) % 5 - 2
        real = np.float32 if units == "metal" else np.float64
        self.position = ((a + 1.0) * (k + 1.0) / 7.0 + t / 3.0).astype(real)
        self.velocity = ((k - 1.0) * (a + 1.0) / 3.0 + t).astype(real)
        self.force = None if units == "lj" else (1e3 / (a + 2.0 + k) - t).astype(real)


def text_of(attribute):
    check(isinstance(attribute, str), attribute, "is no string of variable length: MDAnalysis would not know it")
    return attribute


def same(found, expected, *what):
    """Equal values of equal shape; expected's type where it is float32."""
    found, expected = np.asarray(found), np.asarray(expected)
    check(found.shape == expected.shape, *what, "shape", found.shape, "not", expected.shape)
    check(found.dtype.kind == expected.dtype.kind and (found.dtype.kind != "f" or found.dtype == expected.dtype), *what,
          "type", found.dtype)
    check(np.array_equal(found, expected), *what, found, "not", expected)


def check_h5md(folder, name, units):
    length, time_unit, velocity, force, mass = UNITS[units]
    steps = []
    for first in (0, 30):
        path = os.path.join(folder, f"run_{first:08d}.h5")
        with h5py.File(path, "r") as file:
            check(list(file["h5md"].attrs["version"]) == [1, 1], path, "version")
            check(text_of(file["h5md/author"].attrs["name"]) == "somebody", path, "author")
            check(text_of(file["h5md/creator"].attrs["name"]) == "halyard-md", path, "creator")
            check(text_of(file["h5md/creator"].attrs["version"]) == "0.1", path, "creator version")
            check(list(file["particles"]) == ["all"], path, "groups of particles")
            atoms = file["particles/all"]
            here = list(atoms["position/step"][:])
            frames = [Frame(name, units, int(step)) for step in here]
            steps += here
            expected = frames[0]
            check(atoms["box"].attrs["dimension"] == 3, path, "dimension")
            check([text_of(b) for b in atoms["box"].attrs["boundary"]]
                  == ["periodic" if p else "none" for p in expected.periodic], path, "boundary")
            same(atoms["id"][:], expected.id, path, "id")
            same(atoms["species"][:], expected.type, path, "species")
            check([text_of(s) for s in atoms["species"].attrs["names"]] == SPECIES, path, "species names")
            same(atoms["mass"][:], expected.mass, path, "mass")
            check(("force" in atoms) == (units != "lj"), path, "force")
            groups = {"position": length, "velocity": velocity, "image": "", "box/edges": length, "box/origin": length}
            if units != "lj":
                groups["force"] = force
            for group, unit in groups.items():
                element = atoms[group]
                check(sorted(element) == ["step", "time", "value"], path, group, sorted(element))
                same(element["step"][:], [f.step for f in frames], path, group, "step")
                same(element["time"][:], [f.time for f in frames], path, group, "time")
                check(text_of(element["time"].attrs.get("unit", "")) == time_unit, path, group, "unit of time")
                for i, frame in enumerate(frames):
                    if group == "box/edges":
                        value = frame.edges if frame.triclinic else np.diag(frame.edges)
                    else:
                        value = getattr(frame, group.split("/")[-1])
                    same(element["value"][i], value, path, group, "frame", i)
                name_of_unit = "unit_text" if group == "force" and units == "metal" else "unit"
                check(text_of(element["value"].attrs.get(name_of_unit, "")) == unit, path, group, "unit")
                check(units != "metal" or group != "force" or "unit" not in element["value"].attrs, path, "unit of force")
    check(steps == list(STEPS), folder, "steps", steps)


def check_mdanalysis(folder, name, units):
    for first, expected_steps in ((0, STEPS[:3]), (30, STEPS[3:])):
        path = os.path.join(folder, f"run_{first:08d}.h5")
        universe = MDAnalysis.Universe.empty(COUNTS[name], trajectory=False)
        universe.load_new(path, format="H5MD", convert_units=units == "real")
        check(len(universe.trajectory) == len(expected_steps), path, "MDAnalysis frames")
        for timestep, step in zip(universe.trajectory, expected_steps):
            frame = Frame(name, units, step)
            factor = {"real": 1e-3, "metal": 1.0, "lj": 1.0}[units]  # fs in ps
            check(abs(timestep.time - frame.time * factor) <= 1e-15 * abs(frame.time), path, "time", timestep.time)
            check(timestep.data["step"] == step, path, "step")
            same(timestep.positions, frame.position.astype(np.float32), path, "MDAnalysis positions")
            velocity = timestep.velocities * (1e-3 if units == "real" else 1.0)  # Angstrom/ps back to Angstrom/fs
            # MDAnalysis keeps float32 and multiplies by its own factor.
            check(np.allclose(velocity, frame.velocity, rtol=3e-7, atol=0), path, "MDAnalysis velocities")
            if frame.force is not None:
                back = 4.184 if units == "real" else 1.0  # kcal in kJ
                check(np.allclose(timestep.forces / back, frame.force, rtol=3e-7, atol=0), path, "MDAnalysis forces")
            box = MDAnalysis.lib.mdamath.triclinic_vectors(timestep.dimensions)
            if frame.triclinic:  # float32 lengths and angles there and back
                check(np.allclose(box, frame.edges, atol=5e-6), path, "MDAnalysis box", box, frame.edges)
            else:
                same(timestep.dimensions, np.append(np.diag(frame.edges), [90, 90, 90]).astype(np.float32), path, "box")


def check_vtk(folder, name, units):
    length, time_unit, velocity, force, mass = UNITS[units]
    entries = list(ElementTree.parse(os.path.join(folder, "run.pvd")).getroot().find("Collection"))
    check([float(e.get("timestep")) for e in entries] == [step / 30.0 for step in STEPS], folder, "pvd times")
    check([e.get("file") for e in entries] == [f"run_{step:08d}.vtp" for step in STEPS], folder, "pvd files")
    for step in STEPS:
        path = os.path.join(folder, f"run_{step:08d}.vtp")
        frame = Frame(name, units, step)
        reader = vtk.vtkXMLPolyDataReader()
        check(reader.CanReadFile(path), path, "is not read by VTK")
        errors = []
        reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
        reader.AddObserver("WarningEvent", lambda *_: errors.append(path))
        reader.SetFileName(path)
        reader.Update()
        check(not errors, "VTK reports an error in", path)
        data = reader.GetOutput()
        n = COUNTS[name]
        check(data.GetNumberOfPoints() == n and data.GetNumberOfVerts() == n, path, "points", data.GetNumberOfPoints())
        field = data.GetFieldData()
        check(field.GetArray("TimeValue").GetValue(0) == frame.time, path, "TimeValue")
        check(field.GetArray("step").GetValue(0) == step, path, "step")
        same(vtk_to_numpy(field.GetArray("box_origin"))[0], frame.origin, path, "box_origin")
        same(vtk_to_numpy(field.GetArray("box_edges")), frame.edges, path, "box_edges")
        strings = {s: [field.GetAbstractArray(s).GetValue(i) for i in range(field.GetAbstractArray(s).GetNumberOfValues())]
                   for s in ("units", "species")}
        check(strings["species"] == SPECIES, path, strings)
        check(strings["units"] == [f"{q} {u or '1'}" for q, u in
                                   (("coordinates", length), ("TimeValue", time_unit), ("velocity", velocity),
                                    ("force", force), ("mass", mass))], path, strings)
        if n == 0:
            continue
        same(vtk_to_numpy(data.GetPoints().GetData()), frame.position, path, "points")
        arrays = {"id": frame.id, "type": frame.type, "mass": frame.mass, "velocity": frame.velocity,
                  "image": frame.image}
        if frame.force is not None:
            arrays["force"] = frame.force
        points = data.GetPointData()
        check({points.GetArrayName(i) for i in range(points.GetNumberOfArrays())} == set(arrays), path, "arrays")
        for quantity, values in arrays.items():
            same(vtk_to_numpy(points.GetArray(quantity)), values, path, quantity)
        unit = points.GetArray("velocity").GetInformation()
        check(units == "lj" or unit.Get(vtk.vtkDataArray.UNITS_LABEL()) == velocity, path, "unit of velocity")
        for i in range(n):
            cell = data.GetCell(i)
            check(cell.GetNumberOfPoints() == 1 and cell.GetPointId(0) == i, path, "vertex", i)


def check_xyz(folder, name, units):
    path = os.path.join(folder, "run.xyz")
    with open(path) as file:
        lines = file.read().split("\n")
    check(lines.pop() == "", path, "has no final newline")
    real = np.float32 if units == "metal" else np.float64
    for step in STEPS:
        frame = Frame(name, units, step)
        n = int(lines.pop(0))
        check(n == COUNTS[name], path, "count", n)
        keys = {m[0]: m[1].strip('"') for m in re.findall(r'(\w+)=("[^"]*"|\S+)', lines.pop(0))}
        same(np.array(keys["Lattice"].split(), float).reshape(3, 3), frame.edges, path, "Lattice")
        same(np.array(keys["Origin"].split(), float), frame.origin, path, "Origin")
        check(keys["pbc"] == " ".join("T" if p else "F" for p in frame.periodic), path, "pbc")
        check(float(keys["Time"]) == frame.time and int(keys["Step"]) == step, path, "Time, Step")
        forces = ":forces:R:3" if units != "lj" else ""
        check(keys["Properties"] == f"species:S:1:pos:R:3:velo:R:3{forces}:id:I:1", path, keys["Properties"])
        rows = [lines.pop(0).split() for _ in range(n)]
        check([row[0] for row in rows] == [SPECIES[t].replace(" ", "_") for t in frame.type], path, "species")
        check([int(row[-1]) for row in rows] == list(frame.id), path, "id")
        numbers = np.array([row[1:-1] for row in rows]).astype(real).reshape(n, 9 if forces else 6)
        blocks = [frame.position, frame.velocity] + ([frame.force] if forces else [])
        same(numbers, np.hstack(blocks), path, "numbers")
    check(not lines, path, "has more lines")


def check_ase(folder, name, units):
    if COUNTS[name] == 0:  # nothing to be read
        return
    with open(os.path.join(folder, "run.xyz")) as file:
        text = file.read().replace("O_2", "O")  # ASE knows elements alone
    path = os.path.join(folder, "elements.xyz")
    with open(path, "w") as file:
        file.write(text)
    frames = ase.io.read(path, index=":", format="extxyz")
    check(len(frames) == len(STEPS), path, "ASE frames", len(frames))
    for atoms, step in zip(frames, STEPS):
        frame = Frame(name, units, step)
        check(np.allclose(atoms.cell.array, frame.edges, rtol=1e-15), path, "ASE cell")
        check(tuple(atoms.pbc) == frame.periodic, path, "ASE pbc", atoms.pbc)
        check(np.allclose(atoms.positions, frame.position, rtol=1e-7), path, "ASE positions")
        check(np.array_equal(atoms.arrays["id"], frame.id), path, "ASE id")
        check(np.allclose(atoms.arrays["velo"], frame.velocity, rtol=1e-7), path, "ASE velo")
        check(atoms.info["Step"] == step, path, "ASE Step")


def check_killed(program, top):
    """What a SIGKILL at any moment leaves: every frame that was told to be written is there, whole, and no other."""
    COUNTS["killed"] = 20000
    for trial, seconds in enumerate((0.03, 0.05, 0.075, 0.11)):
        folder = os.path.join(top, f"killed{trial}")
        process = subprocess.Popen([program, folder, "endless"], stdout=subprocess.PIPE, text=True)
        told = [int(process.stdout.readline()) for _ in range(1 + trial % 3)]
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout.read().split("\n")[:-1]]
        process.wait()
        here = os.path.join(folder, "trajectory")
        steps = []
        for file_name in sorted(f for f in os.listdir(here) if f.endswith(".h5")):
            path = os.path.join(here, file_name)
            with h5py.File(path, "r") as file:
                for i, step in enumerate(file["particles/all/position/step"][:]):
                    frame = Frame("killed", "real", int(step))
                    same(file["particles/all/position/value"][i], frame.position, path, "killed", i)
                    same(file["particles/all/velocity/value"][i], frame.velocity, path, "killed", i)
                    steps.append(int(step))
        check(steps == list(range(0, 10 * len(steps), 10)), here, "steps", steps)
        check(told[-1] <= steps[-1] <= told[-1] + 10, here, "told", told[-1], "there", steps[-1])
        entries = list(ElementTree.parse(os.path.join(here, "run.pvd")).getroot().find("Collection"))
        check(len(told) <= len(entries) <= len(told) + 1, here, "pvd entries", len(entries))
        for entry in entries:
            reader = vtk.vtkXMLPolyDataReader()
            reader.SetFileName(os.path.join(here, entry.get("file")))
            reader.Update()
            frame = Frame("killed", "real", int(round(30.0 * float(entry.get("timestep")))))
            same(vtk_to_numpy(reader.GetOutput().GetPoints().GetData()), frame.position, here, "killed", entry.get("file"))
    del COUNTS["killed"]


def main():
    mpiexec, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as top:
        check_killed(program, top)
        written = os.path.join(top, "written")
        subprocess.run([mpiexec, "-n", "1", program, written], check=True)
        folder = os.path.join(top, "moved")
        os.rename(written, folder)
        for units in UNITS:
            for name in COUNTS:
                here = os.path.join(folder, f"{name}-{units}", "trajectory")
                check_h5md(here, name, units)
                check_vtk(here, name, units)
                check_xyz(here, name, units)
                if MDAnalysis is not None and COUNTS[name] > 0:
                    check_mdanalysis(here, name, units)
                if ase is not None:
                    check_ase(here, name, units)
    for module, what in ((MDAnalysis, "MDAnalysis"), (ase, "ASE")):
        if module is None:
            print(f"NOT CHECKED: {sys.executable} has no {what}; its part of this test did not run")
        else:
            print(f"{what} {module.__version__} read every frame")
    print("trajectories read back: h5py, VTK, extended XYZ")


main()
