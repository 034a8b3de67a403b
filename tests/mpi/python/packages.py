# SPDX-License-Identifier: Apache-2.0
"""packages.py PACKAGE [FOLDER]: a small real use of a package, whose result is one line. Every rank computes the same, so the
line is that of the plain interpreter. FOLDER: where pictures stay. Exit code 77: there is no such package."""

import hashlib
import importlib.util
import io
import os
import sys
import tempfile


def digits(*numbers):
    return " ".join(f"{float(number):.9g}" for number in numbers)


def numpy(_):
    """Systems of equations, eigenvalues, transforms."""
    import numpy as np
    random = np.random.default_rng(1)
    matrix = random.standard_normal((300, 300)) + 300 * np.eye(300)
    right = random.standard_normal(300)
    solution = np.linalg.solve(matrix, right)
    assert np.allclose(matrix @ solution, right)
    spectrum = np.fft.rfft(right)
    assert np.allclose(np.fft.irfft(spectrum, 300), right)
    symmetric = np.linalg.eigvalsh(matrix + matrix.T)
    return digits(solution.sum(), symmetric[0], symmetric[-1], abs(spectrum).max(), np.sort(right)[10])


def scipy(_):
    """A sparse system, a minimum, an integral, a filter."""
    import numpy as np
    import scipy.integrate
    import scipy.ndimage
    import scipy.optimize
    import scipy.sparse
    import scipy.sparse.linalg
    count = 2000
    laplacian = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (count, count), format="csc")
    solution = scipy.sparse.linalg.spsolve(laplacian, np.ones(count))
    least = scipy.optimize.minimize(scipy.optimize.rosen, [1.3, 0.7, 0.8], method="BFGS")
    integral, _error = scipy.integrate.quad(lambda x: np.exp(-x * x), 0, 3)
    smooth = scipy.ndimage.gaussian_filter(np.eye(64), 3)
    return digits(solution.max(), round(float(least.x.sum()), 4), integral, smooth[30, 30])


def pandas(_):
    """Groups, a join, a file of comma-separated values there and back."""
    import numpy as np
    import pandas as pd
    random = np.random.default_rng(2)
    places = [f"place {i}" for i in range(40)]
    table = pd.DataFrame({"place": random.choice(places, 20000), "value": random.standard_normal(20000),
                          "time": pd.date_range("2024-01-01", periods=20000, freq="min")})
    groups = table.groupby("place")["value"].agg(["mean", "count", "max"])
    names = pd.DataFrame({"place": places, "north": range(40)})
    joined = table.merge(names, on="place").sort_values(["north", "time"])
    daily = table.set_index("time")["value"].resample("D").sum()
    text = groups.to_csv()
    again = pd.read_csv(io.StringIO(text), index_col="place")
    assert np.allclose(again["mean"], groups["mean"])
    return digits(groups["mean"].sum(), groups["count"].max(), joined["north"].iloc[12345], daily.iloc[3])


def h5py(_):
    """Every rank writes a file of its own and reads it again."""
    import h5py as h5
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.h5")
        with h5.File(path, "w") as file:
            cells = file.create_dataset("mesh/cells", data=np.arange(60000.0).reshape(300, 200), chunks=(50, 50), compression="gzip")
            cells.attrs["unit"] = "cm"
            file["names"] = np.array([b"uranium", b"water"])
        with h5.File(path) as file:
            part = file["mesh/cells"][10:290:7, 5]
            return digits(part.sum(), len(file["names"]), len(file["mesh"])) + " " + file["mesh/cells"].attrs["unit"]


def matplotlib(folder):
    """A plot, whose pixels are the result."""
    import matplotlib as mpl
    mpl.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    figure, (left, right) = plt.subplots(1, 2, figsize=(6, 3))
    x = np.linspace(0, 10, 300)
    for k in range(1, 5):
        left.plot(x, np.sin(k * x) * np.exp(-x / 5), label=f"k = {k}")
    left.legend(title="damped")
    left.set_xlabel("time in s")
    image = right.imshow(np.add.outer(np.sin(x), np.cos(x)), cmap="viridis", extent=(0, 10, 0, 10))
    figure.colorbar(image)
    right.set_title("sum of waves")
    figure.tight_layout()
    figure.canvas.draw()
    if folder:
        figure.savefig(os.path.join(folder, f"plot{os.environ.get('TAIHU_RANK', '')}.png"))
    pixels = np.asarray(figure.canvas.buffer_rgba())
    return f"{pixels.shape} {hashlib.sha256(pixels.tobytes()).hexdigest()[:16]}"


def PIL(_):
    """Shapes and letters, filtered, as PNG and JPEG there and back."""
    from PIL import Image, ImageDraw, ImageFilter
    picture = Image.new("RGB", (320, 200), "white")
    draw = ImageDraw.Draw(picture)
    draw.ellipse((40, 30, 200, 170), fill=(200, 30, 60), outline="black")
    draw.text((210, 90), "Taihu", fill="navy")
    picture = picture.filter(ImageFilter.GaussianBlur(2)).rotate(17, resample=Image.BICUBIC).resize((200, 125))
    result = []
    for form in ("PNG", "JPEG"):
        file = io.BytesIO()
        picture.save(file, form)
        file.seek(0)
        result.append(hashlib.sha256(Image.open(file).convert("RGB").tobytes()).hexdigest()[:16])
    return " ".join(result)


def torch(_):
    """Steps of a small network's training."""
    import torch as t
    t.manual_seed(3)
    net = t.nn.Sequential(t.nn.Linear(20, 32), t.nn.Tanh(), t.nn.Linear(32, 1))
    inputs = t.randn(256, 20)
    wanted = inputs[:, :3].sum(1, keepdim=True)
    optimizer = t.optim.SGD(net.parameters(), lr=0.05)
    for _step in range(50):
        loss = t.nn.functional.mse_loss(net(inputs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return f"{loss.item():.5f}"


def sklearn(_):
    """Groups of points, and trees in two threads."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.ensemble import RandomForestClassifier
    random = np.random.default_rng(4)
    points = np.concatenate([random.standard_normal((200, 2)) + centre for centre in ((0, 0), (6, 0), (0, 6))])
    groups = KMeans(n_clusters=3, n_init=4, random_state=0).fit(points)
    trees = RandomForestClassifier(20, n_jobs=2, random_state=0).fit(points, groups.labels_)
    return digits(round(groups.inertia_, 6), trees.score(points, groups.labels_), np.sort(groups.cluster_centers_[:, 0])[2])


USES = {"numpy": numpy, "scipy": scipy, "pandas": pandas, "h5py": h5py, "matplotlib": matplotlib, "PIL": PIL, "torch": torch,
        "sklearn": sklearn}


def main():
    name = sys.argv[1]
    if importlib.util.find_spec(name) is None:
        print(f"skipped: {sys.executable} has no {name}", flush=True)
        sys.exit(77)
    result = USES[name](sys.argv[2] if len(sys.argv) > 2 else "")
    print(f"{name} {sys.modules[name].__version__}: {result}", flush=True)


if __name__ == "__main__":
    main()
