"""Scoring options as the plain values that a file or a setting holds."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from ndcg_desktop.scoring.options import Options, OptionsError


def plain_options(options: Options) -> dict[str, Any]:
    """Options as plain values."""
    return asdict(options)


def options_from(values: Any) -> Options:
    """Options from plain values; unknown names are passed over.

    Raises OptionsError where a value is none that can be scored under, and TypeError or ValueError
    for a gain table that is none.
    """
    if not isinstance(values, dict):
        raise OptionsError("The options are no table of names and values.")
    known = {field.name for field in fields(Options)}
    values = {name: value for name, value in values.items() if name in known}
    if "gain_table" in values:
        pairs = values["gain_table"]
        values["gain_table"] = tuple((float(grade), float(gain)) for grade, gain in pairs)
    try:
        return Options(**values)
    except TypeError as error:
        raise OptionsError(str(error)) from error
