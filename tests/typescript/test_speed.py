"""What it costs to read a transform. The quietest of many rounds counts: machines are noisy, and noise only adds."""

from __future__ import annotations

import subprocess
import sys
from timeit import repeat

import pytest

from perdure.typescript import Transform, read
from typescript.transforms import RUNS

MILLISECONDS_MAX = 5


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("the seed's")])
def test_a_transform_of_the_seed_is_read_at_once(name: str) -> None:
    source = RUNS[name][0]
    assert isinstance(read(source), Transform)
    assert min(repeat(lambda: read(source), number=1, repeat=20)) * 1_000 < MILLISECONDS_MAX


def test_who_imports_perdure_does_not_wait_for_it() -> None:
    code = "import sys, perdure; print([name for name in sys.modules if 'typescript' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
