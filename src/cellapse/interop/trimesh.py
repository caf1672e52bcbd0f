"""trimesh: triangle meshes in."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse.interop._build import Wanted
from cellapse.lifts.meshes import mesh_complex


def read(mesh: Any, wanted: Wanted) -> Complex:
    """Return a `trimesh.Trimesh` with the attributes of its vertices and faces."""
    wanted.check_ranked("a mesh")
    if not hasattr(mesh, "faces"):
        raise InputError(f"a trimesh {type(mesh).__name__} has no faces; pass a Trimesh")
    K = mesh_complex(np.asarray(mesh.vertices), np.asarray(mesh.faces))
    own = {0: dict(mesh.vertex_attributes), 2: dict(mesh.face_attributes)}
    attributes = {k: {n: np.asarray(v) for n, v in named.items()} for k, named in own.items()}
    return weighted_by(K.with_attributes(attributes), wanted.weight)
