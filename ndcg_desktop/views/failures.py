"""What went wrong, in a sentence, and a report for what nobody expected."""

from __future__ import annotations

import platform
import traceback

import PySide6

from ndcg_desktop.files.table import FileError
from ndcg_desktop.scoring.options import OptionsError
from ndcg_desktop.version import program_version


def failure_message(error: BaseException) -> tuple[str, str]:
    """A text for the bar, and a report to copy; the report is empty for what is understood."""
    if isinstance(error, FileError | OptionsError):
        return str(error), ""
    if isinstance(error, MemoryError):
        return "There is not enough memory for this file.", ""
    details = "".join(traceback.format_exception(error))
    report = (
        f"nDCG Desktop {program_version()}, Python {platform.python_version()}, "
        f"PySide6 {PySide6.__version__}, {platform.platform()}\n\n{details}"
    )
    text = (
        f"Something went wrong that should not ({type(error).__name__}: {error}). Your grades are "
        "still here; save them, and send the report to the makers."
    )
    return text, report
