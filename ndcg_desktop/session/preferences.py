"""What is remembered between two runs: options, decimals, recent files, the window's places."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from ndcg_desktop.evaluation.scale import Scale, ScaleError
from ndcg_desktop.evaluation.wording import DECIMALS
from ndcg_desktop.files.plain_options import options_from, plain_options
from ndcg_desktop.scoring.options import Options

MOST_RECENT = 10
MOST_CHOICES = 200
"""Shapes of tables whose reading is remembered."""
FEWEST_DECIMALS, MOST_DECIMALS = 2, 10
MOST_MINUTES = 240
SMALLEST_ZOOM, LARGEST_ZOOM = 80, 200
LAYOUTS = ("judge", "review", "explain", "compare", "summary")

LOCK_NAMED_WITHIN = 0.1
"""Seconds in which a running program writes its name into the lock that it has taken."""


class Preferences:
    """A typed view of QSettings; a value that cannot be read is the default."""

    def __init__(self, store: QSettings) -> None:
        _drop_nameless_lock(Path(f"{store.fileName()}.lock"))
        self._store = store

    @property
    def options(self) -> Options:
        """The scoring options last chosen."""
        try:
            values = json.loads(str(self._store.value("options", "{}")))
            return options_from(values)
        except (ValueError, TypeError):
            return Options()

    @options.setter
    def options(self, options: Options) -> None:
        self._store.setValue("options", json.dumps(plain_options(options)))

    @property
    def decimals(self) -> int:
        """Decimals of every score on screen."""
        try:
            decimals = int(str(self._store.value("decimals", DECIMALS)))
        except ValueError:
            return DECIMALS
        return min(max(decimals, FEWEST_DECIMALS), MOST_DECIMALS)

    @decimals.setter
    def decimals(self, decimals: int) -> None:
        self._store.setValue("decimals", decimals)

    @property
    def judge(self) -> str:
        """The name of whoever judges here."""
        return str(self._store.value("judge", ""))

    @judge.setter
    def judge(self, name: str) -> None:
        self._store.setValue("judge", name)

    @property
    def keys(self) -> dict[str, str]:
        """The keys that were changed, by what they do."""
        try:
            kept = json.loads(str(self._store.value("keys", "{}")))
        except (ValueError, RecursionError):
            return {}
        if not isinstance(kept, dict):
            return {}
        return {name: key for name, key in kept.items() if isinstance(key, str)}

    @keys.setter
    def keys(self, keys: dict[str, str]) -> None:
        self._store.setValue("keys", json.dumps(keys))

    @property
    def zoom(self) -> int:
        """How large everything is shown, in per cent."""
        try:
            zoom = int(str(self._store.value("zoom", 100)))
        except ValueError:
            return 100
        return min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM)

    @zoom.setter
    def zoom(self, zoom: int) -> None:
        self._store.setValue("zoom", zoom)

    @property
    def blind(self) -> bool:
        """Whether a judge is not shown how a document was ranked."""
        return str(self._store.value("blind", "true")) != "false"

    @blind.setter
    def blind(self, blind: bool) -> None:
        self._store.setValue("blind", "true" if blind else "false")

    @property
    def minutes_to_pause(self) -> int:
        """Minutes of judging after which a pause is proposed, 0 for none."""
        try:
            minutes = int(str(self._store.value("minutes_to_pause", 0)))
        except ValueError:
            return 0
        return min(max(minutes, 0), MOST_MINUTES)

    @minutes_to_pause.setter
    def minutes_to_pause(self, minutes: int) -> None:
        self._store.setValue("minutes_to_pause", minutes)

    @property
    def layout_name(self) -> str:
        """What the window was last arranged for: one of LAYOUTS."""
        name = str(self._store.value("layout_name", "review"))
        return name if name in LAYOUTS else "review"

    @layout_name.setter
    def layout_name(self, name: str) -> None:
        self._store.setValue("layout_name", name)

    @property
    def scales(self) -> list[Scale]:
        """The scales that somebody made here, in the order of their names."""
        try:
            kept = json.loads(str(self._store.value("scales", "[]")))
        except (ValueError, RecursionError):
            return []
        scales: dict[str, Scale] = {}
        for entry in kept if isinstance(kept, list) else ():
            with suppress(ScaleError):
                scale = Scale.from_json(entry)
                scales[scale.name] = scale
        return sorted(scales.values(), key=lambda scale: scale.name.casefold())

    def add_scale(self, scale: Scale) -> None:
        """Keep a scale, in the place of another of its name."""
        self._keep([scale, *(other for other in self.scales if other.name != scale.name)])

    def remove_scale(self, name: str) -> None:
        """Forget the scale of a name."""
        self._keep([scale for scale in self.scales if scale.name != name])

    def _keep(self, scales: list[Scale]) -> None:
        self._store.setValue("scales", json.dumps([scale.to_json() for scale in scales]))

    @property
    def theme(self) -> str:
        """Appearance:  "system", "light" or "dark"."""
        theme = str(self._store.value("theme", "system"))
        return theme if theme in ("light", "dark") else "system"

    @theme.setter
    def theme(self, theme: str) -> None:
        self._store.setValue("theme", theme)

    @property
    def recent(self) -> list[list[Path]]:
        """The sets of files opened last, newest first."""
        try:
            entries = json.loads(str(self._store.value("recent", "[]")))
        except ValueError:
            return []
        return (
            [[Path(f) for f in files] for files in entries if _is_list_of_texts(files)]
            if (isinstance(entries, list))
            else []
        )

    def add_recent(self, files: list[Path]) -> None:
        """Put a set of files at the head of the recent ones."""
        entry = [path.resolve() for path in files]
        entries = [entry, *(other for other in self.recent if other != entry)]
        text = json.dumps([[str(path) for path in files] for files in entries[:MOST_RECENT]])
        self._store.setValue("recent", text)

    @property
    def choices(self) -> dict[str, str]:
        """How tables are to be read, by the key of their shape, those of last first."""
        try:
            kept = json.loads(str(self._store.value("choices", "{}")))
        except (ValueError, RecursionError):
            return {}
        if not isinstance(kept, dict):
            return {}
        return {key: value for key, value in kept.items() if isinstance(value, str)}

    def remember(self, key: str, choices: str) -> None:
        """Keep how tables of a shape are to be read."""
        kept = {key: choices, **{k: v for k, v in self.choices.items() if k != key}}
        newest = dict(list(kept.items())[:MOST_CHOICES])
        self._store.setValue("choices", json.dumps(newest))

    def layout(self, name: str) -> QByteArray | None:
        """The saved geometry or state of a part of the window."""
        value = self._store.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) else None

    def set_layout(self, name: str, value: QByteArray) -> None:
        """Remember the geometry or state of a part of the window."""
        self._store.setValue(f"layout/{name}", value)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _drop_nameless_lock(lock: Path) -> None:
    """Delete what a program leaves that was killed between taking the lock and naming itself.

    Qt cannot tell that nobody holds it, and would keep the window waiting for half a minute.
    """
    with suppress(OSError):
        if lock.stat().st_size == 0:
            time.sleep(LOCK_NAMED_WITHIN)
            if lock.stat().st_size == 0:
                lock.unlink()
