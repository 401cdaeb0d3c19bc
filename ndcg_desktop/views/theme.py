"""Light and dark: the palette is set here, and widgets take every colour from it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

_Role = QPalette.ColorRole

LIGHT = {
    _Role.Window: "#f5f6f8",
    _Role.WindowText: "#1b1f24",
    _Role.Base: "#ffffff",
    _Role.AlternateBase: "#f5f7fa",
    _Role.ToolTipBase: "#ffffff",
    _Role.ToolTipText: "#1b1f24",
    _Role.Text: "#1b1f24",
    _Role.PlaceholderText: "#667080",
    _Role.Button: "#e9ecf0",
    _Role.ButtonText: "#1b1f24",
    _Role.BrightText: "#ffffff",
    _Role.Highlight: "#1f5fa8",
    _Role.HighlightedText: "#ffffff",
    _Role.Link: "#1f5fa8",
    _Role.Mid: "#c3c9d2",
    _Role.Accent: "#1f5fa8",
}
DARK = {
    _Role.Window: "#1f2328",
    _Role.WindowText: "#e6e9ed",
    _Role.Base: "#16191d",
    _Role.AlternateBase: "#1c2025",
    _Role.ToolTipBase: "#2b3037",
    _Role.ToolTipText: "#e6e9ed",
    _Role.Text: "#e6e9ed",
    _Role.PlaceholderText: "#98a2b0",
    _Role.Button: "#2d333b",
    _Role.ButtonText: "#e6e9ed",
    _Role.BrightText: "#ffffff",
    _Role.Highlight: "#2f6fb7",
    _Role.HighlightedText: "#ffffff",
    _Role.Link: "#7db4f0",
    _Role.Mid: "#454c56",
    _Role.Accent: "#7db4f0",
}

OUTLINED = "QCheckBox", "QRadioButton", "QAbstractSpinBox"
OUTLINE_LIGHT, OUTLINE_DARK = "#6f7986", "#8b95a3"
"""What these are outlined with: at least 3 to 1 to page and field."""
DARKER = 140
"""Fusion makes an outline of the colour of the window, by dividing it by this percentage."""

STYLE = """
QToolBar { border: 0; border-bottom: 1px solid palette(mid); padding: 4px 6px; spacing: 4px; }
QToolBar QToolButton { padding: 4px 8px; border: 1px solid transparent; border-radius: 4px; }
QToolBar QToolButton:hover:enabled { border-color: palette(mid); }
QToolBar QToolButton:focus { border: 2px solid palette(text); padding: 3px 7px; }
QToolBar QToolButton:checked {
    background: palette(highlight); color: palette(highlighted-text);
    border-color: palette(highlight); font-weight: 600;
}
QToolBar QToolButton:checked:focus { border: 2px solid palette(text); padding: 3px 7px; }
QToolBar QToolButton:disabled { color: palette(placeholder-text); }
QToolBar QToolButton:checked:disabled {
    background: palette(button); border-color: palette(mid); color: palette(placeholder-text);
}
#layouts QToolButton { padding: 2px 10px; border: 1px solid palette(mid); }
#layouts QToolButton:hover { border-color: palette(text); }
#layouts QToolButton:focus { border: 2px solid palette(text); padding: 1px 9px; }
#layouts QToolButton:checked {
    background: palette(highlight); color: palette(highlighted-text);
    border-color: palette(highlight); font-weight: 600;
}
QPushButton[toggle="true"] { padding: 4px 10px; border: 1px solid palette(mid); }
QPushButton[toggle="true"]:hover { border-color: palette(text); }
QPushButton[toggle="true"]:focus { border: 2px solid palette(text); padding: 3px 9px; }
QPushButton[toggle="true"]:checked {
    background: palette(highlight); color: palette(highlighted-text); border-color: palette(text);
}
QLineEdit[frame="true"] { border: 1px solid palette(mid); border-radius: 3px; padding: 2px 4px; }
QLineEdit[frame="true"]:focus { border-color: palette(highlight); }
QSpinBox, QDoubleSpinBox { min-height: 17px; }
QPlainTextEdit, QTextBrowser { border: 1px solid palette(mid); padding: 1px; }
QPlainTextEdit:focus, QTextBrowser:focus { border: 2px solid palette(highlight); padding: 0; }
QHeaderView::section { padding: 4px 6px; border: 0; border-bottom: 1px solid palette(mid); }
QTableView { gridline-color: palette(mid); border: 1px solid palette(mid); }
QTreeView { border: 1px solid palette(mid); }
QTreeView::item { padding: 3px 0; }
QStatusBar { border-top: 1px solid palette(mid); }
"""


def apply_theme(application: QApplication, theme: str) -> None:
    """Set "light", "dark", or "system": as the desktop has it.

    setColorScheme does nothing without a platform theme, so the palette is set as well.
    """
    dark = theme == "dark" or (theme == "system" and _system_is_dark(application))
    palette = QPalette()
    for role, colour in (DARK if dark else LIGHT).items():
        palette.setColor(role, QColor(colour))
    for role in (_Role.Text, _Role.WindowText, _Role.ButtonText):
        muted = QColor((DARK if dark else LIGHT)[_Role.PlaceholderText])
        palette.setColor(QPalette.ColorGroup.Disabled, role, muted)
    if application.styleSheet() and application.palette() == palette:
        return  # it is so already, and a style sheet takes long
    application.setPalette(palette)
    outlined = QPalette(palette)
    outlined.setColor(_Role.Window, QColor(OUTLINE_DARK if dark else OUTLINE_LIGHT).lighter(DARKER))
    if dark:
        # With the focus the outline is a darker highlight, which would hardly be seen.
        outlined.setColor(_Role.Highlight, QColor(DARK[_Role.Accent]))
        outlined.setColor(_Role.HighlightedText, QColor(DARK[_Role.Base]))
    for kind in OUTLINED:
        # The stubs want bytes, which are refused.
        application.setPalette(outlined, kind)  # type: ignore[arg-type]
    # A style sheet keeps the colours it was polished with until it is set anew.
    application.setStyleSheet("")
    application.setStyleSheet(STYLE)


def _system_is_dark(application: QApplication) -> bool:
    return application.styleHints().colorScheme() == Qt.ColorScheme.Dark
