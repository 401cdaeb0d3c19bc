"""The About box."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from ndcg_desktop.version import program_version


def show_about(parent: QWidget) -> None:
    """Say what the program is, its version and its licence."""
    QMessageBox.about(
        parent,
        "About nDCG Desktop",
        f"<b>nDCG Desktop {program_version()}</b>"
        "<p>Judge search results, and see why a ranking scores what it scores.</p>"
        "<p>Licensed under the Apache License, version 2.0. Works offline; nothing is sent "
        "anywhere.</p>",
    )
