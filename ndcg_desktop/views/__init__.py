"""Qt widgets, dialogs and actions. No arithmetic, no files."""
