#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Burns up the depletable materials of a model: rmc finds fluxes and reaction rates, OpenMC's Python package
(openmc.deplete.IndependentOperator) solves for the nuclides, and the next step begins with them.

    deplete.py MODEL.xml --chain chain.xml --power 174 --days 0.5 5 30 -o results

The model needs a continuous-energy library, and materials with depletable="true" and volume="..." (cm3, for a model that is
infinite along z: of 1 cm). --power is in W, of that volume. Each step is a predictor: rates at its beginning hold until its end.
In results/: depletion.csv (days, k, its deviation, atoms/(b cm) of each nuclide), and a folder for each transport run."""
import argparse
import copy
import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys

try:
    import openmc
    import openmc.deplete
except ImportError as error:
    sys.exit(f"deplete.py: OpenMC's Python package is missing ({error}); install it, no OpenMC program is needed")

TRACE = 1e-14  # atoms/(b cm), so that rmc tallies the rates of nuclides that are not there yet


def fail(text):
    sys.exit(f"deplete.py: {text}")


def positive(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def read(what, path, reader):
    """reader(path), whose own errors are told in a line."""
    try:
        return reader(path)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        fail(f"{path}: cannot be read as {what} ({error})")


def nuclides_with_data(model):
    path = model.materials.cross_sections or os.environ.get("OPENMC_CROSS_SECTIONS")
    if path is None:
        fail("the model names no cross_sections, and OPENMC_CROSS_SECTIONS is not set")
    library = read("a library", path, openmc.data.DataLibrary.from_xml)
    return {name for entry in library.libraries if entry["type"] == "neutron" for name in entry["materials"]}


def set_nuclides(material, densities):
    """Densities in atoms/(b cm)."""
    for name in material.get_nuclides():
        material.remove_nuclide(name)
    material.set_density("sum")
    for name, density in densities.items():
        material.add_nuclide(name, density)


def transport_model(model, burnt, known, nuclides, reactions):
    """A copy with the nuclides that have data, traces of those of the chain, and the tallies that depletion needs."""
    here = copy.deepcopy(model)
    ids = {material.id for material in burnt}
    for material in here.materials:
        if material.id in ids:
            there = material.get_nuclide_atom_densities()
            densities = {name: density for name, density in there.items() if name in known}
            set_nuclides(material, densities | {name: TRACE for name in sorted(nuclides - set(densities))})
    materials = openmc.MaterialFilter([material for material in here.materials if material.id in ids])
    flux, rates = openmc.Tally(name="depletion flux"), openmc.Tally(name="depletion rates")
    flux.filters, flux.scores = [materials], ["flux"]
    rates.filters, rates.scores, rates.nuclides = [materials], reactions, sorted(nuclides)
    here.tallies = openmc.Tallies([flux, rates])
    return here


def run_transport(options, model, folder):
    folder.mkdir(parents=True, exist_ok=True)
    model.export_to_model_xml(folder / "model.xml")
    try:
        done = subprocess.run([*shlex.split(options.rmc), "run", folder, "-o", folder], capture_output=True, text=True)
    except OSError as error:
        fail(f"cannot run '{options.rmc}' ({error.strerror}); name the command by --rmc")
    (folder / "rmc.txt").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        fail(f"rmc failed in {folder}:\n{done.stderr}")
    k = re.search(r"k \(combined\) +([\d.]+) \+/- (\S+)", done.stdout)
    return (float(k[1]), float(k[2])), folder / f"statepoint.{model.settings.batches}.h5"


def fluxes_and_micros(statepoint, model, burnt, nuclides, reactions):
    """By material: flux in neutron cm per source neutron, and cross sections in barn, both in one group."""
    densities = {material.id: material.get_nuclide_atom_densities() for material in model.materials}
    names = sorted(nuclides)
    with openmc.StatePoint(statepoint, autolink=False) as results:
        flux = results.get_tally(name="depletion flux").mean.reshape(len(burnt))
        rates = results.get_tally(name="depletion rates").mean.reshape(len(burnt), len(names), len(reactions))
    if not (flux > 0).all():
        fail(f"no neutron came into a depletable material ({statepoint}); run more of them")
    micros = []
    for row, material in enumerate(burnt):
        atoms = [densities[material.id][name] for name in names]
        data = [[[rates[row, n, r] / (flux[row] * atoms[n])] for r in range(len(reactions))] for n in range(len(names))]
        micros.append(openmc.deplete.MicroXS(openmc.deplete.microxs.np.array(data), names, reactions))
    return [openmc.deplete.microxs.np.array([value]) for value in flux], micros


def burn(options, burnt, fluxes, micros, chain, k, days, folder):
    """Replaces the nuclides of the materials by those at the end of the step."""
    operator = openmc.deplete.IndependentOperator(openmc.Materials(burnt), fluxes, micros, chain, keff=k,
                                                  normalization_mode="fission-q")
    operator.output_dir = folder
    integrator = openmc.deplete.PredictorIntegrator(operator, [days], power=options.power, timestep_units="d")
    integrator.integrate(path=folder / "depletion_results.h5", final_step=False, output=False)
    end = openmc.deplete.Results(folder / "depletion_results.h5")[-1]
    for material in burnt:
        after = end.get_material(str(material.id)).get_nuclide_atom_densities()
        others = {name: density for name, density in material.get_nuclide_atom_densities().items()
                  if name not in chain.nuclide_dict}
        set_nuclides(material, others | {name: density for name, density in after.items() if density > 0})


def row_of(day, k, burnt):
    found = {}
    for material in burnt:
        for name, density in material.get_nuclide_atom_densities().items():
            found[f"{material.id} {name}"] = f"{density:.9e}"
    return {"days": f"{day:g}", "k": f"{k[0]:.5f}", "deviation": f"{k[1]:.5f}"} | found


def write_table(path, rows):
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="0")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--chain", required=True, help="depletion chain, OpenMC's format")
    parser.add_argument("--power", type=positive, required=True, help="W, of the depletable volume")
    parser.add_argument("--days", type=positive, nargs="+", required=True, help="lengths of the steps")
    parser.add_argument("--rmc", default="rmc", help='the command, perhaps "mpirun -n 4 rmc"; default: rmc')
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("results"))
    options = parser.parse_args()
    model = read("a model", options.model, openmc.Model.from_model_xml)
    chain = read("a depletion chain", options.chain, openmc.deplete.Chain.from_xml)
    if not chain.nuclides or not chain.reactions:
        fail(f"{options.chain}: a depletion chain needs nuclides and reactions")
    burnt = [material for material in model.materials if material.depletable]
    if not burnt or any(material.volume is None for material in burnt):
        fail('no material has depletable="true", or one of them has no volume')
    known = nuclides_with_data(model)
    missing = {name for material in burnt for name in material.get_nuclides()} - known
    if missing:
        fail(f"the library has no {', '.join(sorted(missing))}")
    nuclides = known & set(chain.nuclide_dict)
    rows, day = [], 0.0
    for step, days in enumerate([*options.days, None]):  # the last run is for k at the end
        folder = options.output.resolve() / f"step-{step}"  # openmc.deplete changes to folders
        here = transport_model(model, burnt, known, nuclides, chain.reactions)
        k, statepoint = run_transport(options, here, folder)
        rows.append(row_of(day, k, burnt))
        write_table(options.output / "depletion.csv", rows)
        print(f"{day:10.3f} days   k {k[0]:.5f} +/- {k[1]:.5f}", flush=True)
        if days is None:
            break
        fluxes, micros = fluxes_and_micros(statepoint, here, burnt, nuclides, chain.reactions)
        burn(options, burnt, fluxes, micros, chain, k, days, folder)
        day += days


if __name__ == "__main__":
    main()
