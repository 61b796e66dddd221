"""What the three-dimensional pictures of scripts/render share: colours, words, camera, light, and the window they are drawn in."""

SIZE = (1600, 1200)
INK = (0.13, 0.15, 0.19)  # text, lines
COLOURS = "viridis"


def new_renderer():
    import vtk

    renderer = vtk.vtkRenderer()
    renderer.SetBackground(0.88, 0.90, 0.93)
    renderer.SetBackground2(1.0, 1.0, 1.0)
    renderer.GradientBackgroundOn()
    return renderer


def write_picture(renderer, picture, depth_over):
    """Draws offscreen and writes a PNG; depth_over: see shade()."""
    import vtk

    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetMultiSamples(0)  # the passes below do the smoothing
    window.SetSize(*SIZE)
    window.AddRenderer(renderer)
    shade(renderer, depth_over)
    window.Render()

    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(picture))
    writer.SetInputConnection(grab.GetOutputPort())
    writer.Write()
    return picture


def round_number(x):
    """The next number above x that divides into five round parts."""
    import math

    if x <= 0.0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(x))
    return next(unit * m for m in (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 10.0) if unit * m >= x * (1 - 1e-12))


def colour_table(low, high, colours=COLOURS):
    import matplotlib
    import vtk

    table = vtk.vtkLookupTable()
    table.SetNumberOfTableValues(256)
    table.SetRange(low, high)
    for n, rgb in enumerate(matplotlib.colormaps[colours]([0.08 + 0.92 * n / 255 for n in range(256)])):
        table.SetTableValue(n, *rgb[:3], 1.0)
    table.Build()
    return table


def text(words, x, y, size, bold=False):
    import vtk

    actor = vtk.vtkTextActor()
    actor.SetInput(words)
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    actor.SetPosition(x, y)
    style(actor.GetTextProperty(), size, bold)
    return actor


def style(text_property, size, bold=False):
    text_property.SetFontFamilyToArial()
    text_property.SetFontSize(size)
    text_property.SetColor(*INK)
    text_property.SetBold(bold)
    text_property.SetItalic(False)
    text_property.SetShadow(False)


def colour_bar(colours, words):
    import vtk

    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(colours)
    bar.SetTitle(words)
    bar.SetOrientationToVertical()
    bar.SetMaximumNumberOfColors(256)
    bar.SetNumberOfLabels(6)
    bar.SetLabelFormat(" %-.3g")
    bar.SetUnconstrainedFontSize(True)
    bar.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    bar.SetPosition(0.90, 0.25)
    bar.SetWidth(0.07)
    bar.SetHeight(0.5)
    bar.SetBarRatio(0.25)
    bar.SetVerticalTitleSeparation(14)
    style(bar.GetTitleTextProperty(), 26)
    style(bar.GetLabelTextProperty(), 24)
    return bar


def place_camera(renderer, faces, extents, view):
    """faces[axis]: coordinates of which the first and the last bound the box. Up is the shortest axis where one is clearly shorter (a channel's walls lie flat), else z; the longest of the others
    runs from left to right. The box fills the space left by title and colour bar. Names the axes at its edges."""
    import numpy as np

    azimuth, elevation = (np.radians(float(angle)) for angle in view.split(","))
    up = int(np.argmin(extents)) if extents.min() < 0.75 * np.median(extents) else 2
    right, away = sorted((axis for axis in range(3) if axis != up), key=lambda axis: (-extents[axis], axis))
    # Right-handed pictures: with `right` to the right and `up` upwards, we look along +away or -away.
    forwards = 1.0 if (right, away, up) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    to_camera = np.zeros(3)
    to_camera[[right, away, up]] = np.array(
        [np.sin(azimuth) * np.cos(elevation), -forwards * np.cos(azimuth) * np.cos(elevation), np.sin(elevation)]
    )
    upwards = np.eye(3)[up]
    x_axis = np.cross(upwards, to_camera)
    x_axis /= np.linalg.norm(x_axis)
    y_axis = np.cross(to_camera, x_axis)

    low = np.array([f[0] for f in faces])
    centre = low + 0.5 * extents
    corners = low + extents * np.array([[n & 1, n >> 1 & 1, n >> 2 & 1] for n in range(8)])
    half_angle = np.radians(11.0)

    def project(points, distance):  # -> window coordinates, the height of the window is -1..1
        relative = points - centre
        depth = distance - relative @ to_camera
        return np.stack([relative @ x_axis, relative @ y_axis], axis=-1) / (depth[..., None] * np.tan(half_angle))

    aspect = SIZE[0] / SIZE[1]
    left, bottom, width, height = 0.05, 0.06, 0.82, 0.82  # the part of the window for the box
    near, far = 0.5 * np.linalg.norm(extents), 100.0 * extents.max()
    for _ in range(60):
        distance = 0.5 * (near + far)
        span = np.ptp(project(corners, distance), axis=0) / [2.0 * aspect, 2.0]
        fits = span[0] <= width and span[1] <= height
        near, far = (near, distance) if fits else (distance, far)
    box = project(corners, far)
    middle = 0.5 * (box.min(axis=0) + box.max(axis=0)) / [aspect, 1.0]
    shift = middle - (2.0 * np.array([left + 0.5 * width, bottom + 0.5 * height]) - 1.0)

    camera = renderer.GetActiveCamera()
    camera.SetViewAngle(2.0 * np.degrees(half_angle))
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(centre + far * to_camera))
    camera.SetViewUp(*upwards)
    camera.SetWindowCenter(*shift)
    renderer.ResetCameraClippingRange(*(bound for n in range(3) for bound in (faces[n][0], faces[n][-1])))

    # Names of the axes, at the middle of an edge of the silhouette: two edges below, one upright on the left.
    below = corners[corners[:, up] == low[up]]
    nearest = below[np.argmax(below @ to_camera)]
    leftmost = corners[np.argmin(box[:, 0])]
    for axis, corner in ((right, nearest), (away, nearest), (up, leftmost)):
        edge = corner.copy()
        edge[axis] = centre[axis]
        outwards = project(edge, far) - project(centre, far)
        place = project(edge, far) + 0.045 * outwards / np.linalg.norm(outwards)
        place = 0.5 * (1.0 + place / [aspect, 1.0] - shift)
        name = text("xyz"[axis], *place, 30)
        name.GetTextProperty().SetJustificationToCentered()
        name.GetTextProperty().SetVerticalJustificationToCentered()
        renderer.AddActor2D(name)


def light(renderer):
    """A key light from the upper left, a cool fill from the right, a rim from behind."""
    import vtk

    renderer.RemoveAllLights()
    renderer.AutomaticLightCreationOff()
    for position, colour, intensity in (
        ((-1.2, 1.6, 2.0), (1.0, 0.98, 0.94), 1.05),
        ((1.8, 0.3, 1.2), (0.86, 0.92, 1.0), 0.55),
        ((0.3, 1.0, -1.5), (1.0, 1.0, 1.0), 0.30),
    ):
        lamp = vtk.vtkLight()
        lamp.SetLightTypeToCameraLight()
        lamp.SetPosition(*position)
        lamp.SetFocalPoint(0.0, 0.0, 0.0)
        lamp.SetColor(*colour)
        lamp.SetIntensity(intensity)
        renderer.AddLight(lamp)


def shade(renderer, depth_over):
    """Ambient occlusion (depth in the hollows) over this length, None for none; then smoothing of edges."""
    import vtk

    steps = vtk.vtkRenderStepsPass()
    if depth_over is not None:
        occlusion = vtk.vtkSSAOPass()
        occlusion.SetRadius(depth_over)
        occlusion.SetBias(depth_over / 30.0)
        occlusion.SetKernelSize(96)
        occlusion.BlurOn()
        occlusion.SetDelegatePass(steps)
        steps = occlusion
    smooth = vtk.vtkOpenGLFXAAPass()
    smooth.SetDelegatePass(steps)
    renderer.SetPass(smooth)
