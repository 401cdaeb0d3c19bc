"""What a person should know about a ranking and its judgments before trusting the score."""

from __future__ import annotations

from ndcg_desktop.evaluation.checks_documents import check_documents
from ndcg_desktop.evaluation.checks_grades import check_grades
from ndcg_desktop.evaluation.checks_ids import check_ids
from ndcg_desktop.evaluation.checks_queries import check_queries
from ndcg_desktop.evaluation.checks_ranking import check_ranking
from ndcg_desktop.evaluation.checks_texts import check_texts
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.repairs import check_near_misses, propose


def check(evaluation: Evaluation) -> list[Finding]:
    """Everything that is noticed about an evaluation as it was joined."""
    found: list[Finding] = []
    for ranking in evaluation.rankings:
        found += check_ranking(ranking, evaluation.queries)
    repairs = propose(evaluation)
    found += check_near_misses(evaluation, repairs)
    found += check_queries(evaluation, repairs)
    found += check_documents(evaluation, repairs)
    found += check_ids(evaluation)
    found += check_grades(evaluation)
    found += check_texts(evaluation)
    return found
