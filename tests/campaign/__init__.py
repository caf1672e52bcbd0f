"""An independent test of every number: random complexes and a zoo of graphs against an oracle.

`chains`, `exact`, `oracle` and `formulas` say what is true, and import nothing of cellapse. `draw`
and `graphs` make the inputs, `complexes` and `zoo` compare, `book` keeps the results, `run` runs.
"""
