"""The directory of compiled functions."""

import subprocess
import sys
from pathlib import Path

COMPILE = """
import sys
from pathlib import Path
import jax
from wideseek_engine.serve import use_cache
use_cache(Path(sys.argv[1]))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.jit(lambda x: x * 2 + 1)(1.0)
"""


def entries(directory: Path) -> set[str]:
    root = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", COMPILE, str(directory)], cwd=root, check=True, timeout=120)
    return {file.name for file in directory.iterdir() if file.name.endswith("-cache")}


def test_is_the_same_cache_by_another_path(tmp_path: Path) -> None:
    first = entries(tmp_path / "cache")
    assert first
    (tmp_path / "link").symlink_to(tmp_path / "cache")
    assert entries(tmp_path / "link") == first
