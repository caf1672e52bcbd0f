"""`cellapse.scale` without its libraries: light to leave out, and clear about what is missing."""

import subprocess
import sys


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_cellapse_does_not_import_mpi_or_petsc():
    heavy = "{'mpi4py', 'petsc4py', 'slepc4py', 'dask', 'distributed'}"
    assert run(f"import sys, cellapse; print({heavy} & set(sys.modules))") == "set()\n"


def test_a_missing_library_is_named_with_the_way_to_get_it():
    code = """
import sys
sys.modules["slepc4py"] = None
import cellapse
try:
    cellapse.scale
except cellapse.MissingExtraError as error:
    print(error)
"""
    said = run(code)
    assert "slepc4py" in said
    assert "make scale" in said
    assert "cellapse[scale]" in said
    assert "Beyond one machine" in said
