"""Every kind of finding has a heading in plain words, and no heading is left over."""

import ast

from build import CHECKOUT

from ndcg_desktop.evaluation.findings import HEADINGS

CODE_OF = {"Finding": 1, "row_findings": 1, "finding": 0, "findings": 0, "_cells": 2}
"""Where the functions that make findings take their code."""


def strings(node):
    """The texts that an expression can be."""
    return {
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def codes_of(source):
    """The codes of all findings that a module makes: given in the call, or by a name "code"."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            place = CODE_OF.get(name)
            if place is not None and len(node.args) > place:
                argument = node.args[place]
                found |= strings(argument) if isinstance(argument, ast.Constant) else set()
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "code":
            value = node.value
            if isinstance(value, ast.IfExp):
                found |= strings(value.body) | strings(value.orelse)
            elif isinstance(value, ast.Constant) and isinstance(value.value, str):
                found.add(value.value)
    return found


def test_codes_are_found():
    """The search finds codes in each of the ways that they are written."""
    source = (
        '_cells(sheet, cells, "g", tell)\n'
        'Finding("note", "a-b", text)\nself.finding("c", 1, text)\nrow_findings("note", "d", s)\n'
        'code = "e" if x == "y" else "f"\nFinding(level, code, text)\nFinding(last.level, last.c)\n'
    )
    assert codes_of(source) == {"a-b", "c", "d", "e", "f", "g"}


def test_every_code_has_a_heading():
    """The codes of the program and those of the headings are the same."""
    used = set()
    for path in (CHECKOUT / "ndcg_desktop").rglob("*.py"):
        used |= codes_of(path.read_text("utf-8"))
    assert used == set(HEADINGS)
    assert len(set(HEADINGS.values())) == len(HEADINGS)
