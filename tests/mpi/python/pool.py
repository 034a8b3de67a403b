# SPDX-License-Identifier: Apache-2.0
"""A pool of workers that mpi4py spawns while the job runs, without any option of marun; and a pool that fails."""

from mpi4py.futures import MPIPoolExecutor


def square(number):
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number * number


def main():
    for workers in (1, 3):
        with MPIPoolExecutor(max_workers=workers) as pool:
            assert sum(pool.map(square, range(200))) == sum(k * k for k in range(200))
            try:
                pool.submit(square, -1).result()
            except ValueError as error:
                print(f"pool of {workers}: {error}")


if __name__ == "__main__":
    main()
