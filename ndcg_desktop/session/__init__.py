"""The open document: loading, edits with undo, saving. The one place that changes an evaluation."""
