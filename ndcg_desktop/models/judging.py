"""What the Judge page says in words: progress, pace, why a document is next, and the end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ndcg_desktop.evaluation.open_grades import difference
from ndcg_desktop.evaluation.wording import decimal

if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.evaluation.queue import QueueOptions
    from ndcg_desktop.session.sitting import Progress, Shown, Sitting

MINUTE, HOUR = 60, 3600


def pace_text(progress: Progress, adjudicates: bool) -> str:
    """How far a judge is, in the query and in all, and how long the rest takes."""
    if not progress.total:
        return ""
    word = "settled" if adjudicates else "judged"
    parts = [f"{progress.done:,} of {progress.total:,} {word}"]
    if progress.query_total:
        parts.append(f"this query {progress.query_done} of {progress.query_total}")
    if progress.per_hour is not None and progress.seconds_left is not None:
        parts.append(f"{progress.per_hour:,.0f} an hour")
        if progress.place < progress.length:
            parts.append(f"{duration(progress.seconds_left)} left")
    return "  ·  ".join(parts)


def duration(seconds: float) -> str:
    """A time to go, roughly, in words."""
    if seconds < MINUTE:
        return "less than a minute"
    if seconds < HOUR:
        return f"about {round(seconds / MINUTE)} min"
    return f"about {seconds / HOUR:.1f} h"


def reason_text(evaluation: Evaluation, shown: Shown, options: QueueOptions, decimals: int) -> str:
    """Why a document is next, where the order goes by what a grade is worth; empty for one that is
    judged, or is not in the top k.
    """
    if options.by not in ("range", "winner"):
        return ""
    if math.isnan(shown.worth):
        return ""
    what = f"the range of the query's {evaluation.options.measure}"
    if options.by == "winner":
        what = f"the range of the difference in {evaluation.options.measure}"
    return f"A grade narrows {what} by {decimal(shown.worth, decimals)} on average."


def place_text(evaluation: Evaluation, shown: Shown) -> str:
    """Where rankings have a document, for who does not judge blindly."""
    places = []
    for ranking in evaluation.rankings:
        rows = ranking.arrange(evaluation.options.order).rows(shown.query)
        texts = ranking.columns.document.take(rows).texts()
        if shown.document in texts:
            places.append(f"rank {texts.index(shown.document) + 1} in {ranking.name}")
    return ", ".join(places) or "not returned"


def ending(evaluation: Evaluation, sitting: Sitting, owner: str) -> tuple[str, int]:
    """What is said at the end of a queue, and how many documents are left for later."""
    marks = [mark for (_, judge), mark in evaluation.remarks.marks.items() if judge == owner]
    later, cannot, left = marks.count("later"), marks.count("cannot"), sitting.left()
    progress, adjudicates = sitting.progress(), sitting.adjudicates
    if not progress.total:
        nothing = (
            "nothing that judges disagree about" if adjudicates else "no document to be judged"
        )
        return f"There is {nothing}.", 0
    parts = ["The end of the queue." if progress.length else "There is nothing in this queue."]
    word = "settled" if adjudicates else "judged"
    done, total = (count - progress.again for count in (progress.done, progress.total))
    parts.append(f"{done:,} of {total:,} documents are {word}.")
    if progress.again:
        parts.append(f"{progress.again:,} of them were shown a second time.")
    if not adjudicates:
        parts += [
            f"{count:,} {text}."
            for count, text in (
                (later, "left for later"),
                (cannot, "that you could not tell"),
                (left, "not judged yet"),
            )
            if count
        ]
    if sitting.options.by == "winner" and len(evaluation.rankings) > 1:
        parts.append(_winner_text(evaluation))
    return "\n".join(parts), later


def _winner_text(evaluation: Evaluation) -> str:
    """Which of the first two rankings is better, whatever is left, or that this is open."""
    found = difference(evaluation, 0, 1)
    first, second = (ranking.name for ranking in evaluation.rankings[:2])
    measure = evaluation.options.measure
    if found.winner_settled == "tie":
        return f"Whatever is left, both rankings have the same mean {measure}."
    if found.winner_settled is not None and found.mean is not None:
        better, other = (first, second) if found.winner_settled == "a" else (second, first)
        return f"Whatever is left, {better} has a higher mean {measure} than {other}."
    if not found.certain:
        return f"Whether open grades can change which mean {measure} is higher was not found out."
    return f"Open grades can still change which ranking has the higher mean {measure}."
