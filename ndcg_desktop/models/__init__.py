"""Qt item models: what a view shows, straight from the arrays of the evaluation."""
