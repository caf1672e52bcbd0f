"""Times, ends and weights as users give them: by position, none missing, of any size."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl

MET = [("a", "b"), ("b", "c"), ("a", "c")]


def made(times=(0, 1, 2), ends=None, **more):
    return cl.TemporalComplex.from_cells(MET, times, ends, **more)


@pytest.mark.parametrize("name", ["times", "ends", "weights"])
def test_what_is_masked_is_missing(name):
    given_ = {"times": [0.0, 1.0, 2.0], name: np.ma.masked_array([3.0, 4.0, 5.0], [0, 1, 0])}
    with pytest.raises(cl.InputError, match="masked"):
        made(**given_)
    whole = made(**{**given_, name: np.ma.masked_array([3.0, 4.0, 5.0])})
    where = {"times": whole.start, "ends": whole.end, "weights": whole.weights}[name]
    assert where.tolist() == [3.0, 4.0, 5.0]


def test_a_masked_array_of_contacts():
    rows = np.array([[0, 1, 5], [1, 2, 6]])
    assert cl.as_temporal(np.ma.masked_array(rows)).start.tolist() == [5, 6]
    with pytest.raises(cl.InputError, match="masked"):
        cl.as_temporal(np.ma.masked_array(rows, rows == 5))


@pytest.mark.parametrize("word", ["1_000", "１２"])  # noqa: RUF001
def test_times_are_read_as_in_files(word):
    with pytest.raises(cl.InputError):
        made([word, "1", "2"])
    assert made(["1e3", "1", "2"]).start.tolist() == [1000, 1, 2]


def test_columns_of_one_table_and_no_others():
    table = pd.DataFrame({"t": [0.0, 1.0, 5.0], "w": [1.0, 2.0, 3.0]}, index=[7, 8, 9])
    T = made(table["t"], weights=table["w"])
    assert T.weights.tolist() == [1, 2, 3]
    for turned in (table["w"][::-1], table["w"].reset_index(drop=True)):
        with pytest.raises(cl.InputError, match="to_numpy"):
            made(table["t"], weights=turned)
        with pytest.raises(cl.InputError, match="to_numpy"):
            made(table["t"], turned + 10)
        assert made(table["t"].to_numpy(), weights=turned).weights.tolist() == turned.tolist()
    for values in ({}, {"weights": dict(zip(MET, [1.0, 2.0, 3.0], strict=True))}):
        with pytest.raises(cl.InputError, match="position"):
            made(**{"times": dict(zip(MET, [0, 1, 2], strict=True)), **values})


@pytest.mark.parametrize("width", [1e-308, 1e-9])
def test_too_many_windows(width):
    with pytest.raises(cl.InputError, match="longer"):
        made([0, 1, 1e9]).windows(width)


# Contacts of a few pairs (or triples) again and again, with weights of very different sizes.
contacts = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(-40, 40)), min_size=1, max_size=25
)


@given(contacts, st.sampled_from([2, 3]), st.integers(1, 6), st.integers(1, 3))
def test_weights_of_windows_are_sums_of_what_is_in_them(drawn, size, width, step):
    cells = [tuple("abcd"[(which + i) % 4] for i in range(size)) for which, _, _ in drawn]
    times = [time for _, time, _ in drawn]
    weights = [2.0**power for *_, power in drawn]
    T = cl.TemporalComplex.from_cells(cells, times, weights=weights, vertices="abcd")
    for window in T.windows(width, step):
        direct = T.between(window.start, window.end)
        for mine, its in zip(window.complex.weights, direct.weights, strict=False):
            if its is None:
                assert mine is None or not len(mine)
            else:
                np.testing.assert_allclose(mine, its, rtol=1e-12)


def test_a_weight_is_not_what_rounding_left():
    cells = [("a", "b"), ("a", "b")]
    T = cl.TemporalComplex.from_cells(cells, [0, 5], weights=[1e17, 1.0])
    assert [w.weights.tolist() for w in T.windows(6, 5)] == [[1e17], [1e17], [1.0]]
