"""Each layer imports only what stands below it, and the one Qt that must not be installed."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from build import CHECKOUT
from packaging.requirements import Requirement

PYPROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))


def lint_imports():
    """The command of import-linter, beside this Python or on the path."""
    beside = Path(sys.executable).parent / "lint-imports"
    return str(beside) if beside.exists() else shutil.which("lint-imports")


@pytest.mark.skipif(lint_imports() is None, reason="import-linter is not installed")
def test_layers():
    """Every contract of pyproject.toml is kept."""
    done = subprocess.run(
        [lint_imports(), "--no-cache"], capture_output=True, text=True, check=False, cwd=CHECKOUT
    )
    assert done.returncode == 0, done.stdout
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    assert f"Contracts: {len(contracts)} kept, 0 broken." in done.stdout


def test_every_package_is_in_a_layer():
    """No package of the program stands outside the layers."""
    (layers,) = [
        each["layers"]
        for each in PYPROJECT["tool"]["importlinter"]["contracts"]
        if each["type"] == "layers"
    ]
    named = {name.strip().split(".")[-1] for layer in layers for name in layer.split("|")}
    packages = {path.parent.name for path in (CHECKOUT / "ndcg_desktop").glob("*/__init__.py")}
    assert packages <= named | {"resources"}


def qt_requirement():
    """The requirement on PySide6."""
    (requirement,) = [
        Requirement(text)
        for text in PYPROJECT["project"]["dependencies"]
        if text.startswith("PySide6")
    ]
    return requirement


def test_the_qt_that_loses_references_is_excluded():
    """PySide6 6.12.0 is excluded by the requirement; the releases around it are not."""
    allowed = qt_requirement().specifier
    assert "6.12.0" not in allowed
    assert "6.11.3" in allowed
    assert "6.12.1" in allowed
    assert "6.7.3" not in allowed


def test_the_qt_installed_keeps_its_references():
    """Two thousand objects and names do not use up references to None, as 6.12.0 did."""
    qt_core = pytest.importorskip("PySide6.QtCore")
    before = sys.getrefcount(None)
    for _ in range(2000):
        qt_core.QObject().setObjectName("name")
    assert abs(sys.getrefcount(None) - before) <= 100
