"""A few of the random states of `wrong_orders`, and a probability that is 50% too large."""

from __future__ import annotations

import numpy as np
import pytest

from robustness.wrong_orders import State, check_state, searched

STATES, LEVEL = 3, 1e-5  # false alarm for all states: 3e-5


@pytest.mark.slow
def test_probabilities_of_random_states_lie_in_their_intervals() -> None:
    def check(state: State) -> float:
        return check_state(state._replace(n=min(state.n, 400)), lists=800)

    assert min(searched(STATES, np.random.default_rng(7), check)) > LEVEL


@pytest.mark.slow
def test_a_wrong_probability_does_not() -> None:
    state = State("linear(0.1, 0.5)", "linear(0.2, 0.4)", "nDCG(zipf)", 300)
    assert check_state(state, lists=800) > LEVEL
    assert check_state(state, lists=800, factor=1.5) < LEVEL
