"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

settings.register_profile(
    "fast", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("fast")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of sample files, which are this project's own."""
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def files(data: Path) -> Path:
    """Small files in the shapes that people have."""
    return data / "files"
