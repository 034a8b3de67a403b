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
    """Steps of a small network's training, sums in threads, batches from child processes."""
    import torch as t
    t.manual_seed(3)
    t.set_num_threads(2)
    net = t.nn.Sequential(t.nn.Linear(20, 32), t.nn.Tanh(), t.nn.Linear(32, 1))
    inputs = t.randn(256, 20)
    wanted = inputs[:, :3].sum(1, keepdim=True)
    optimizer = t.optim.SGD(net.parameters(), lr=0.05)
    for _step in range(50):
        loss = t.nn.functional.mse_loss(net(inputs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    long_sum = t.arange(300000, dtype=t.float64).sin().sum().item()
    batches = t.utils.data.DataLoader(t.utils.data.TensorDataset(inputs, wanted), batch_size=50, num_workers=2)
    sums = [round(float(part.double().sum()), 4) for part, _wanted in batches]
    return f"{loss.item():.5f} {long_sum:.6f} {len(sums)} {sums[2]}"


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


def numba(_):
    """Loops compiled at run time, also in threads."""
    import numba as nb
    import numpy as np

    @nb.njit
    def collatz(count):
        longest = 0
        for start in range(1, count):
            steps, value = 0, start
            while value != 1:
                value = value // 2 if value % 2 == 0 else 3 * value + 1
                steps += 1
            longest = max(longest, steps)
        return longest

    @nb.njit(parallel=True)
    def in_threads(values):
        result = np.empty_like(values)
        for i in nb.prange(len(values)):
            result[i] = values[i] ** 2
        return result

    return digits(collatz(20000), in_threads(np.arange(1000.0)).sum())


def polars(_):
    """Groups and a join, which its threads compute."""
    import polars as pl
    table = pl.DataFrame({"place": [f"place {i % 7}" for i in range(5000)], "value": range(5000)})
    sums = table.lazy().group_by("place").agg(pl.col("value").sum()).sort("place").collect()
    names = pl.DataFrame({"place": ["place 2", "place 5"], "north": [1, 2]})
    joined = table.join(names, on="place")
    return digits(sums["value"][3], joined["north"].sum(), joined.height)


def pyarrow(_):
    """A table as a Parquet file there and back."""
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet
    table = pa.table({"number": list(range(3000)), "text": [str(i % 11) for i in range(3000)]})
    file = io.BytesIO()
    pa.parquet.write_table(table, file, compression="zstd")
    file.seek(0)
    again = pa.parquet.read_table(file)
    assert again.equals(table)
    return digits(pa.compute.sum(again["number"]).as_py(), len(again.group_by("text").aggregate([("number", "max")])))


def lxml(_):
    """A document, a path in it, a transformation."""
    from lxml import etree
    pins = "".join(f"<pin id='{i}'><power>{i * 1.5}</power></pin>" for i in range(300))
    root = etree.fromstring("<core>" + pins + "</core>")
    style = etree.XSLT(etree.fromstring(
        "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'>"
        "<sum><xsl:value-of select='sum(//power)'/></sum></xsl:template></xsl:stylesheet>"))
    return digits(root.xpath("count(//pin[power > 100])"), float(style(root).getroot().text))


def cryptography(_):
    """A signature and a message in cipher."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    signature = key.sign(b"lake")
    key.public_key().verify(signature, b"lake")
    cipher = AESGCM(bytes(range(16)))
    hidden = cipher.encrypt(bytes(12), b"water", b"lake")
    assert cipher.decrypt(bytes(12), hidden, b"lake") == b"water"
    return signature.hex()[:16] + " " + hidden.hex()[:16]


def requests(_):
    """A server of its own in a thread, and a request to it."""
    import http.server
    import threading
    import requests as rq

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            text = b'{"path": "%s"}' % self.path.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever).start()
        session = rq.Session()
        session.trust_env = False
        address = f"http://127.0.0.1:{server.server_port}/part"
        paths = [session.get(f"{address}/{i}", timeout=60).json()["path"] for i in range(5)]
        server.shutdown()
    return " ".join(paths)


def uvloop(_):
    """Connections, timers and a child in its event loop."""
    import asyncio
    import uvloop as uv

    async def answer(reader, writer):
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    async def ask(port, text):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text + b"\n")
        line = await reader.readline()
        writer.close()
        return line.decode().strip()

    async def work():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        lines = await asyncio.gather(*(ask(port, b"line %d" % i) for i in range(4)), asyncio.sleep(0.01, "slept"))
        child = await asyncio.create_subprocess_exec("/bin/echo", "child", stdout=asyncio.subprocess.PIPE)
        output, _errors = await child.communicate()
        server.close()
        return " ".join(lines) + f" {output.decode().strip()} {child.returncode}"

    loop = uv.new_event_loop()
    try:
        return loop.run_until_complete(work())
    finally:
        loop.close()


def cffi(_):
    """Calls of the C library, and calls back."""
    import cffi as c
    ffi = c.FFI()
    ffi.cdef("size_t strlen(const char *); void qsort(void *, size_t, size_t, int (*)(const void *, const void *));")
    library = ffi.dlopen(None)
    values = ffi.new("int[]", [5, 3, 9, 1])

    @ffi.callback("int(const void *, const void *)")
    def compare(one, other):
        return ffi.cast("int *", one)[0] - ffi.cast("int *", other)[0]

    library.qsort(values, 4, ffi.sizeof("int"), compare)
    return f"{library.strlen(b'lake')} {list(values)}"


def jax(_):
    """A gradient of a compiled function."""
    import jax as j
    import jax.numpy as jnp

    @j.jit
    def loss(weights, inputs):
        return jnp.mean(jnp.tanh(inputs @ weights) ** 2)

    inputs = j.random.normal(j.random.PRNGKey(1), (64, 8))
    weights = jnp.ones(8)
    for _step in range(5):
        weights = weights - 0.1 * j.grad(loss)(weights, inputs)
    return f"{float(loss(weights, inputs)):.5f}"


def tensorflow(_):
    """A gradient, in a graph."""
    import tensorflow as tf
    tf.random.set_seed(4)
    weights = tf.Variable(tf.ones((8, 1)))
    inputs = tf.random.stateless_normal((64, 8), seed=(1, 2))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(inputs @ weights) ** 2)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    for _step in range(5):
        loss = step()
    return f"{float(loss):.5f}"


USES = {"numpy": numpy, "scipy": scipy, "pandas": pandas, "h5py": h5py, "matplotlib": matplotlib, "PIL": PIL,
        "torch": torch, "sklearn": sklearn, "numba": numba, "polars": polars, "pyarrow": pyarrow, "lxml": lxml,
        "cryptography": cryptography, "requests": requests, "uvloop": uvloop, "cffi": cffi, "jax": jax,
        "tensorflow": tensorflow}


def main():
    name = sys.argv[1]
    if importlib.util.find_spec(name) is None:
        print(f"skipped: {sys.executable} has no {name}", flush=True)
        sys.exit(77)
    result = USES[name](sys.argv[2] if len(sys.argv) > 2 else "")
    print(f"{name} {sys.modules[name].__version__}: {result}", flush=True)


if __name__ == "__main__":
    main()
