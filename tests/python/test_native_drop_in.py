"""opyard.native behaves as torch._native where it stands in its place: the same scenarios are run with both."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import native_control_scenarios  # noqa: F401  # adds its own
import native_scenarios
import pytest

# Where they are meant to differ: what each gives. docs/overrides.md says why.
DIFFERENCES = {
    "signatures": None,
    "the_first_of_two_that_match": ([1, 1], [2, 2]),
    "in_force_without_a_second_step": ([-2, 3], [7, 7]),
    "another_namespace": ("ValueError", None),
    "an_operator_that_torch_lacks": (None, "ContractValueError"),
}


@pytest.fixture(scope="module")
def seen():
    code = "import native_scenarios, native_control_scenarios; native_scenarios.print_all('{}')"
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    found = {}
    for key in native_scenarios.MODULES:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code.format(key)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=os.environ | {"PYTHONPATH": paths},
        )
        assert done.returncode == 0, done.stderr
        found[key] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("N22", "N31", "N55", "N59", "N65")
@pytest.mark.parametrize("name", [name for name in native_scenarios.SCENARIOS if name not in DIFFERENCES])
def test_both_registries_give_the_same(seen, name):
    assert seen["opyard"][name] == seen["torch"][name]


@pytest.mark.parametrize("name", [name for name, values in DIFFERENCES.items() if values is not None])
def test_deliberate_differences_are_as_documented(seen, name):
    assert (seen["torch"][name], seen["opyard"][name]) == DIFFERENCES[name]
    page = (Path(__file__).parents[2] / "docs" / "overrides.md").read_text()
    assert f"`{name}`" in page


def test_calls_of_torchs_signatures_are_accepted(seen):
    (torchs, register), (opyards, ours) = seen["torch"]["signatures"], seen["opyard"]["signatures"]
    assert opyards == torchs
    assert ours == register


def test_every_difference_on_the_page_is_a_scenario():
    page = (Path(__file__).parents[2] / "docs" / "overrides.md").read_text()
    section = page[page.index("## Differences from torch._native") :]
    names = set(re.findall(r"^\| `(\w+)`", section, re.M))
    assert names == {name for name, values in DIFFERENCES.items() if values is not None}
