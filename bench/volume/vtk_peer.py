# SPDX-License-Identifier: Apache-2.0
"""VTK's ray caster on the processor (vtkFixedPointVolumeRayCastMapper), for `compare`. Runs under a Python that has vtk and
numpy. Commands on standard input, one answer line each:

    make N FILE                     writes the orbital of examples/volume as N^3 bytes
    load N FILE COLOURS PIXELS THREADS
    render FRAME FRAMES             answers with the seconds that casting the rays took
    difference FILE.png             of the last picture from another one: mean and largest, of 255, over all channels
"""
import math
import sys
import time

import numpy as np
import vtk
from vtk.util import numpy_support


def make(n, file):
    place = (np.arange(n) - 0.5 * (n - 1)) * (100.0 / n)
    y, x = np.meshgrid(place, place, indexing="ij")
    with open(file, "wb") as out:
        for z in place:
            square = x * x + y * y + z * z
            rho = 0.5 * np.sqrt(square)
            angular = 3 * z * z / np.maximum(square, 1e-30) - 1
            wave = rho * rho * (6 - rho) * np.exp(-0.5 * rho) * angular
            value = 128 + np.copysign(127 * np.minimum(1, np.sqrt(0.1 * np.abs(wave))), wave)
            out.write((value + 0.5).astype(np.uint8).tobytes())


class Peer:
    def __init__(self, n, file, colours, pixels, threads):
        self.n, self.pixels = n, pixels
        self.voxels = np.fromfile(file, np.uint8)
        image = vtk.vtkImageData()
        image.SetDimensions(n, n, n)
        image.GetPointData().SetScalars(numpy_support.numpy_to_vtk(self.voxels, array_type=vtk.VTK_UNSIGNED_CHAR))
        self.mapper = mapper = vtk.vtkFixedPointVolumeRayCastMapper()
        mapper.SetInputData(image)
        mapper.SetNumberOfThreads(threads)
        mapper.AutoAdjustSampleDistancesOff()
        mapper.SetSampleDistance(1.0)
        mapper.SetImageSampleDistance(1.0)
        mapper.IntermixIntersectingGeometryOff()
        rgb, opacity, prop = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction(), vtk.vtkVolumeProperty()
        for line in open(colours):
            value, red, green, blue, part = map(float, line.split())
            rgb.AddRGBPoint(value, red, green, blue)
            opacity.AddPoint(value, part)
        prop.SetColor(rgb)
        prop.SetScalarOpacity(opacity)
        prop.SetScalarOpacityUnitDistance(1.0)
        prop.SetInterpolationTypeToLinear()
        prop.ShadeOff()
        volume = vtk.vtkVolume()
        volume.SetMapper(mapper)
        volume.SetProperty(prop)
        self.renderer = vtk.vtkRenderer()
        self.renderer.AddVolume(volume)
        self.window = vtk.vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetSize(pixels, pixels)
        self.window.AddRenderer(self.renderer)

    def render(self, frame, frames):
        centre, distance = 0.5 * (self.n - 1), 1.2 * math.sqrt(3) * self.n
        azimuth, elevation = 2 * math.pi * frame / frames + 0.6, 0.4
        camera = self.renderer.GetActiveCamera()
        camera.SetFocalPoint(centre, centre, centre)
        camera.SetPosition(centre + distance * math.cos(elevation) * math.cos(azimuth),
                           centre + distance * math.cos(elevation) * math.sin(azimuth), centre + distance * math.sin(elevation))
        camera.SetViewUp(0, 0, 1)
        camera.SetViewAngle(30)
        self.renderer.ResetCameraClippingRange()
        self.window.Render()
        start = time.perf_counter()
        self.mapper.RenderSubVolume()  # the rays alone, without the window
        return time.perf_counter() - start

    def picture(self):
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(self.window)
        grab.ReadFrontBufferOff()
        grab.Update()
        return self.pixels_of(grab.GetOutput())

    def pixels_of(self, image):
        values = numpy_support.vtk_to_numpy(image.GetPointData().GetScalars())
        return values.reshape(self.pixels, self.pixels, -1)[:, :, :3].astype(int)

    def difference(self, file):
        reader = vtk.vtkPNGReader()
        reader.SetFileName(file)
        reader.Update()
        apart = np.abs(self.picture() - self.pixels_of(reader.GetOutput()))
        return f"{apart.mean():.3f} {apart.max()} {self.picture().mean():.1f}"


def main():
    vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_ERROR)
    peer = None
    print("vtk", vtk.vtkVersion().GetVTKVersion(), flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        answer = "done"
        if command == "make":
            make(int(words[0]), words[1])
        elif command == "load":
            peer = None  # its memory first
            peer = Peer(int(words[0]), words[1], words[2], int(words[3]), int(words[4]))
        elif command == "render":
            answer = peer.render(int(words[0]), int(words[1]))
        elif command == "difference":
            answer = peer.difference(words[0])
        print(answer, flush=True)


main()
