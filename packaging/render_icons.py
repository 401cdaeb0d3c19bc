"""Render the program's icon, an SVG drawing, to PNG files of the usual sizes.

Run after a change to ``resources/icons/ndcg-desktop.svg``::

    python packaging/render_icons.py
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parent.parent / "resources" / "icons"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def render(drawing: QSvgRenderer, size: int) -> QImage:
    """Return the drawing as a square image of ``size`` pixels with a transparent background."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    drawing.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def main() -> int:
    """Write one PNG per size beside the drawing."""
    application = QGuiApplication(sys.argv)
    drawing = QSvgRenderer(str(ICONS / "ndcg-desktop.svg"))
    if not drawing.isValid():
        print(f"Qt cannot read {ICONS / 'ndcg-desktop.svg'}", file=sys.stderr)
        return 1
    for size in SIZES:
        target = ICONS / f"ndcg-desktop-{size}.png"
        if not render(drawing, size).save(str(target)):
            print(f"cannot write {target}", file=sys.stderr)
            return 1
        print(target.name)
    application.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
