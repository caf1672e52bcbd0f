#!/bin/sh
# Install what `make dist` built in an empty environment, and use it outside the checkout.
#
#     sh tools/smoke.sh python3
set -eu
python=${1:-python3}
dist=$(pwd)/dist
lock=$(pwd)/requirements/dev.lock
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
$python -m venv "$place/env"
cd "$place"

# The versions are those of the tests, so that this tries the package and not its dependencies. By a
# name without a folder: pip reads it again from here when it builds the source archive.
cp "$lock" tested.lock
export PIP_CONSTRAINT=tested.lock PIP_BUILD_CONSTRAINT=tested.lock
install() { env/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }

try() {
    echo "== $1"
    env/bin/cellapse --version
    env/bin/cellapse analyze football -o "out-$1" > "summary-$1.txt"
    test -s "out-$1/nodes.csv" && test -s "out-$1/report.html"
    env/bin/cellapse cluster karate -k 2 --json > clusters.json
    env/bin/python - << 'END'
import json
import cellapse as cl
with open("clusters.json") as file:
    facts = json.load(file)
assert facts["accuracy"] > 0.9 and len(facts["cluster"]) == 34, facts
assert "site-packages" in cl.__file__, cl.__file__
assert cl.collapse("1UBQ").spectrum(3).values[0] == 0.0
assert len(cl.datasets.triangulated_surfaces()) > 0
try:
    cl.collapse("karate").spectrum(3).to_frame()
except cl.MissingExtraError as error:
    assert "cellapse[pandas]" in str(error), error
else:
    raise AssertionError("this environment is not empty")
END
}

unset PYTHONPATH
install "$dist"/*.whl
try wheel
install --force-reinstall --no-deps "$dist"/*.tar.gz
try sdist
echo "the wheel and the source archive work"
