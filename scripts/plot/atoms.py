"""Atoms as spheres, for scripts/render: what a frame of a trajectory holds, and its picture."""

import numpy as np

from halyard_run import fail
from scene import INK, SIZE, colour_bar, colour_table, light, new_renderer, place_camera, text, write_picture

# As in pictures drawn during the run (io/results/particle_picture.cpp).
ELEMENTS = {"H": (226, 226, 226), "He": (190, 240, 245), "C": (95, 95, 95), "N": (60, 90, 235), "O": (225, 45, 40),
            "F": (120, 205, 80), "Ne": (150, 215, 235), "Na": (160, 95, 225), "Mg": (110, 200, 60), "Al": (180, 158, 158),
            "Si": (222, 184, 140), "P": (240, 130, 20), "S": (235, 205, 50), "Cl": (50, 205, 60), "Ar": (92, 184, 205),
            "K": (143, 64, 212), "Ca": (90, 210, 40), "Ti": (170, 174, 180), "Cr": (125, 145, 195), "Fe": (215, 105, 55),
            "Ni": (90, 190, 95), "Cu": (205, 125, 60), "Zn": (125, 128, 176), "Kr": (95, 170, 205), "Zr": (130, 205, 205),
            "Ag": (175, 178, 185), "Xe": (75, 145, 175), "Pt": (190, 190, 205), "Au": (235, 195, 50), "Pb": (90, 92, 100)}
OTHERS = ((76, 130, 190), (240, 140, 45), (84, 170, 90), (220, 80, 80), (105, 185, 180),
          (235, 200, 70), (175, 120, 165), (245, 155, 170), (160, 120, 95), (165, 160, 160))


class Atoms:
    """One .vtp frame. `data[name]`: arrays over the atoms, in the order of their ids; `box_origin` and `box_edges` (rows);
    `species`: the types' names; `unit[name]`."""

    def __init__(self, file):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

        reader = vtkXMLPolyDataReader()
        if not file.exists() or not reader.CanReadFile(str(file)):
            fail(f"VTK cannot read '{file}'")
        reader.SetFileName(str(file))
        reader.Update()
        frame = reader.GetOutput()
        self.vtk = frame
        arrays, about = frame.GetPointData(), frame.GetFieldData()
        self.data = {arrays.GetArrayName(n): vtk_to_numpy(arrays.GetArray(n)) for n in range(arrays.GetNumberOfArrays())}
        self.position = vtk_to_numpy(frame.GetPoints().GetData()) if frame.GetNumberOfPoints() else np.zeros((0, 3))
        missing = [name for name in ("box_origin", "box_edges", "species") if about.GetAbstractArray(name) is None]
        if missing:
            fail(f"'{file}' has no {', '.join(missing)}: it is no frame of halyard-md")
        self.box_origin = vtk_to_numpy(about.GetArray("box_origin")).reshape(3)
        self.box_edges = vtk_to_numpy(about.GetArray("box_edges")).reshape(3, 3)
        species = about.GetAbstractArray("species")
        self.species = [species.GetValue(n) for n in range(species.GetNumberOfValues())]
        self.unit = {}
        units = about.GetAbstractArray("units")  # strings "quantity unit"
        for n in range(units.GetNumberOfValues() if units else 0):
            name, _, unit = units.GetValue(n).partition(" ")
            self.unit[name] = "" if unit == "1" else unit

    def quantity(self, name):
        """(values over the atoms, words for them); of vectors the length. Ends with what there is where it is not known."""
        source = "velocity" if name == "speed" else name
        if source not in self.data:
            fail(f"the frames hold no {name}; there are type, speed, {', '.join(n for n in self.data if n not in ('type', 'velocity'))}")
        values = np.asarray(self.data[source], dtype=float)
        unit = self.unit.get(source, "")
        return np.linalg.norm(values, axis=1) if values.ndim > 1 else values, f"{name} [{unit}]" if unit else name

    def spacing(self):
        """The median distance from an atom to the next one, of a sample; the box's size where there is one atom."""
        import vtk

        count = len(self.position)
        if count < 2:
            return 0.2 * float(np.abs(self.box_edges).max())
        locator = vtk.vtkStaticPointLocator()
        locator.SetDataSet(self.vtk)
        locator.BuildLocator()
        found, distances = vtk.vtkIdList(), []
        for atom in range(0, count, max(1, count // 2000)):
            locator.FindClosestNPoints(2, self.position[atom], found)
            distances.append(np.linalg.norm(self.position[found.GetId(1)] - self.position[atom]))
        return float(np.median(distances)) or 0.05 * float(np.abs(self.box_edges).max())


def type_colours(species):
    """One a type, 0 to 255: the element's own, or the next of a palette."""
    return [ELEMENTS.get(name, OTHERS[n % len(OTHERS)]) for n, name in enumerate(species)]


def draw_atoms(run, atoms, time, options, name):
    """Spheres in their box, into pictures/atoms_COLOR_NAME.png."""
    import vtk

    count = len(atoms.position)
    kinds = np.unique(atoms.data["type"]) if count else []
    color = options.color or ("type" if len(kinds) > 1 else "speed")
    radius = options.radius or 0.5 * atoms.spacing()
    if not radius > 0.0:
        fail(f"--radius is {radius}, but must be above 0")
    renderer = new_renderer()
    if color == "type":
        table = np.array(type_colours(atoms.species), dtype=np.uint8)
        colours, legend = table[atoms.data["type"]] if count else np.zeros((0, 3), np.uint8), None
        add_legend(renderer, atoms, table)
    else:
        values, words = atoms.quantity(color)
        low, high = limits(values, options.range)
        legend = colour_table(low, high)
        steps = np.clip((values - low) / (high - low) * 255.0, 0.0, 255.0)
        palette = np.array([[255.0 * part for part in legend.GetTableValue(n)[:3]] for n in range(256)], dtype=np.uint8)
        colours = palette[np.nan_to_num(steps).astype(int)]
        renderer.AddActor2D(colour_bar(legend, words))
    renderer.AddActor(spheres(atoms, colours, radius))
    corners = np.array([atoms.box_origin + n @ atoms.box_edges for n in np.ndindex(2, 2, 2)])
    extents = np.ptp(corners, axis=0)
    renderer.AddActor(box_edges(atoms, 0.0015 * float(extents.max())))
    unit = run.units.get("time", "")
    renderer.AddActor2D(text(run.name, 0.03, 0.945, 34, bold=True))
    renderer.AddActor2D(text(f"{count} atoms,  t = {time:.8g} {'' if unit == '1' else unit}".rstrip(), 0.03, 0.905, 26))
    # Atoms stand out of the box by their radius.
    low, high = corners.min(axis=0) - radius, corners.max(axis=0) + radius
    place_camera(renderer, list(zip(low, high)), high - low, options.view)
    light(renderer)
    return write_picture(renderer, run.folder / "pictures" / f"atoms_{color}_{name}.png", 2.5 * radius)


def limits(values, given):
    """(lowest, highest) of the colours: as asked for, or without the extremes."""
    if given:
        try:
            low, high = (float(number) for number in given.split(","))
        except ValueError:
            low, high = 1.0, 0.0
        if not low < high:
            fail(f"--range is '{given}'; it is written LOW,HIGH with LOW < HIGH")
        return low, high
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, (1.0, 99.0)) if len(finite) else (0.0, 1.0)
    return (float(low), float(high)) if low < high else (float(low) - 0.5, float(low) + 0.5)


def spheres(atoms, colours, radius):
    import vtk
    from vtkmodules.util.numpy_support import numpy_to_vtk

    points = vtk.vtkPolyData()
    points.SetPoints(atoms.vtk.GetPoints())
    points.SetVerts(atoms.vtk.GetVerts())
    array = numpy_to_vtk(np.ascontiguousarray(colours), deep=True, array_type=vtk.VTK_UNSIGNED_CHAR)
    array.SetName("colour")
    points.GetPointData().SetScalars(array)
    mapper = vtk.vtkOpenGLSphereMapper()  # one quad an atom, made a sphere by the shader
    mapper.SetInputData(points)
    mapper.SetRadius(radius)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetAmbient(0.22)
    look.SetDiffuse(0.85)
    look.SetSpecular(0.35)
    look.SetSpecularPower(40)
    return actor


def box_edges(atoms, thickness):
    """The twelve edges of the box, which may be tilted."""
    import vtk

    points, lines = vtk.vtkPoints(), vtk.vtkCellArray()
    for corner in np.ndindex(2, 2, 2):
        points.InsertNextPoint(*(atoms.box_origin + np.array(corner) @ atoms.box_edges))
    for corner in range(8):
        for axis in (1, 2, 4):
            if not corner & axis:
                lines.InsertNextCell(2)
                lines.InsertCellPoint(corner)
                lines.InsertCellPoint(corner | axis)
    edges = vtk.vtkPolyData()
    edges.SetPoints(points)
    edges.SetLines(lines)
    tube = vtk.vtkTubeFilter()
    tube.SetInputData(edges)
    tube.SetRadius(thickness)
    tube.SetNumberOfSides(12)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(tube.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*INK)
    return actor


def add_legend(renderer, atoms, colours):
    """A disc and a name for each type that there are atoms of, on the right."""
    import vtk

    kinds = np.unique(atoms.data["type"]) if len(atoms.position) else []
    for row, kind in enumerate(kinds):
        y = 0.72 - 0.05 * row
        disc = vtk.vtkRegularPolygonSource()
        disc.SetNumberOfSides(48)
        disc.SetRadius(16.0)
        mapper = vtk.vtkPolyDataMapper2D()
        mapper.SetInputConnection(disc.GetOutputPort())
        actor = vtk.vtkActor2D()
        actor.SetMapper(mapper)
        actor.SetPosition(0.895 * SIZE[0], y * SIZE[1] + 11.0)
        actor.GetProperty().SetColor(*(part / 255.0 for part in colours[kind]))
        renderer.AddActor2D(actor)
        renderer.AddActor2D(text(atoms.species[kind], 0.915, y, 26))
