"""Every declaration on the page about the manifest is one that the validator accepts."""

import re
from pathlib import Path

import pytest

from opyard import _C

PAGE = (Path(__file__).parents[2] / "docs" / "manifest.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.split(":")[0] for entry in ENTRIES])
def test_a_declaration_of_the_page_is_valid(entry, tmp_path):
    file = tmp_path / "examples.yaml"
    file.write_text(entry, encoding="utf-8")
    assert _C.validate_manifest(str(file)) == []
