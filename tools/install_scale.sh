#!/bin/sh
# tools/install_scale.sh VENV: PETSc and SLEPc of Debian or Ubuntu for a virtual environment.
#
# The libraries (with hypre and PT-Scotch inside) come from the distribution; only the two Python
# bindings are compiled, for the Python and numpy of the environment. They merely pass calls on, so
# -O0 is as good as the default, which takes many minutes and gigabytes.
set -e
VENV=${1:-.venv}
PY=$VENV/bin/python
PIP="$PY -m pip install --quiet --disable-pip-version-check"
PACKAGES="libslepc-real-dev libpetsc-real-dev openmpi-bin libopenblas0-serial pkg-config gcc"

found() {
    "$PY" -c "import mpi4py, petsc4py, slepc4py, dask.distributed" 2>/dev/null &&
        command -v mpirun >/dev/null
}

if found; then exit 0; fi
if ! pkg-config --exists slepc petsc 2>/dev/null || ! command -v mpirun >/dev/null; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "cellapse.scale needs the packages $PACKAGES, and installing them needs root on Debian" \
            "or Ubuntu; as root: apt-get install $PACKAGES. For other systems see docs/scale.md." >&2
        exit 3
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || { echo "apt-get update failed: no network?" >&2; exit 3; }
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $PACKAGES >/dev/null ||
        { echo "apt-get install $PACKAGES failed" >&2; exit 3; }
fi
# The bindings must be of the minor version of the library: 3.18 on Debian 12, 3.19 on Ubuntu 24.04.
MINOR=$(pkg-config --modversion petsc | cut -d. -f1,2)
PETSC_DIR=$(readlink -f /usr/lib/petsc)
SLEPC_DIR=$(readlink -f /usr/lib/slepc)
export PETSC_DIR SLEPC_DIR
# Wheels first; pip's constraints hold for them, not for what only builds the bindings.
$PIP mpi4py "dask>=2024.8" "distributed>=2024.8" "pyarrow>=15"
FREE="env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT"
$FREE $PIP "setuptools<80" wheel
for binding in petsc4py slepc4py; do
    $FREE CFLAGS="-O0 -g0" $PIP --no-build-isolation --no-deps "$binding==$MINOR.*"
done
if [ -n "$PIP_CONSTRAINT" ]; then $PIP --upgrade setuptools; fi  # as it was locked
"$PY" -c "
from slepc4py import SLEPc
from petsc4py import PETSc
import numpy
print('PETSc', PETSc.Sys.getVersion(), 'SLEPc', SLEPc.Sys.getVersion(), 'numpy', numpy.__version__)"
