"""Enumerate all triangulated surfaces of up to 10 vertices and pack them (some four minutes).

python tools/pack_surfaces.py
"""

from pathlib import Path

import numpy as np

from cellapse.datasets.enumeration import enumerate_surfaces
from cellapse.datasets.mantra import recognize
from cellapse.datasets.surfaces import pack

TARGET = Path(__file__).parents[1] / "src/cellapse/datasets/surfaces.xz"


def main() -> None:
    found = [(n, triangles) for n in range(4, 11) for triangles in enumerate_surfaces(n)]
    surfaces = recognize(
        [n for n, _ in found], [len(t) for _, t in found], np.concatenate([t for _, t in found])
    )
    TARGET.write_bytes(pack(surfaces))
    print(f"{len(surfaces):,} surfaces, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
