"""Feeds the readers with damaged files, by hand: python tests/fuzz/fuzz_readers.py --minutes 5.

Every case is a sample file that was changed at random: bytes, lines, cells, or what is inside a
workbook or a compressed file. Workers run the cases with little memory and a time limit, so that
an abort, a hang or a flood of memory ends one worker, whose case is kept. A case fails where
anything but a FileError is raised, where the tables are not sound, where the same bytes are read
as something else the second time, or where a score is no score. Failures are kept once for each
place in the program, made smaller, and listed at the end; the exit code is 1 if there are any.
Limits of memory and alarms are those of POSIX: it does not run on Windows.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import hashlib
import io
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT))

from ndcg_desktop.evaluation.ids import Ids  # noqa: E402 - found by the line above
from ndcg_desktop.evaluation.join import join  # noqa: E402
from ndcg_desktop.files.assemble import assemble  # noqa: E402
from ndcg_desktop.files.convert import SAVE_FORMATS, encode_judgments  # noqa: E402
from ndcg_desktop.files.exchange import Judged, Judgments  # noqa: E402
from ndcg_desktop.files.plan import plan  # noqa: E402
from ndcg_desktop.files.read import read_bytes, unpacked  # noqa: E402
from ndcg_desktop.files.table import FileError, Table  # noqa: E402

SAMPLES = CHECKOUT / "tests/data/files"
SECONDS = 10
"""What a case may take; a worker that is stuck in compiled code is ended after three times that."""

LARGEST_SAMPLE = 300_000
LAST_ROW_OF_A_SHEET = 1_048_576
STUCK, MEMORY_MIB = 3, 2_500
REPORT = ".report"

TOKENS = [
    *(b"", b"0", b"-1", b"1e309", b"1e-400", b"nan", b"inf", b"-inf", b"0x10", b"1_0", b"2,5"),
    *(b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t", b'"', b"'"),
    *(b"#", b"qid:", b"qid:1", b":", b"Q0", b"sep=;", b"query", b"grade", b"rank", b"total"),
    *(b"{", b"}", b"[", b"]", b"null", b"true", b"NaN", b"\\ud800", b"99999999999999999999"),
    *(b"\xc2\x85", b"\xe2\x80\xa8", b"\xc0\x80", b"\xed\xa0\x80", b"=1+1", b"#N/A", b"<", b"&#0;"),
]

Mutation = Callable[[random.Random, bytes], bytes]


# ---- cases


def samples() -> list[tuple[str, bytes]]:
    """The sample files, and small judgments in every format that the program writes."""
    found = [
        (path.name, path.read_bytes())
        for path in sorted(SAMPLES.iterdir())
        if path.stat().st_size <= LARGEST_SAMPLE
    ]
    rows = [Judged(query, document, 1.0, "T") for query in ("1", "2") for document in "ABC"]
    for form in SAVE_FORMATS:
        name = f"written-{form.key}{form.suffix}"
        found.append((name, encode_judgments(Path(name), form, Judgments(rows, {"1": "t"})).data))
    return found


def flip(rng: random.Random, data: bytes) -> bytes:
    """Change a few bytes."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def span(rng: random.Random, data: bytes) -> tuple[int, int]:
    """Where a piece of the data begins and ends; most pieces are short."""
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + int(2 ** rng.uniform(0, 12)))


def cut(rng: random.Random, data: bytes) -> bytes:
    """Leave out a piece."""
    begin, end = span(rng, data)
    return data[:begin] + data[end:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    """Say a piece several times."""
    begin, end = span(rng, data)
    return data[:end] + data[begin:end] * rng.choice((1, 2, 50)) + data[end:]


def put_token(rng: random.Random, data: bytes) -> bytes:
    """Put something that means much to some reader in the place of a piece, or beside it."""
    begin, end = span(rng, data)
    return data[:begin] + rng.choice(TOKENS) + data[rng.choice((begin, end)) :]


def change_lines(rng: random.Random, data: bytes) -> bytes:
    """Swap, double or leave out lines."""
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(one, lines[other])
    else:
        del lines[one]
    return b"".join(lines)


def change_field(rng: random.Random, data: bytes) -> bytes:
    """Replace one field of one line."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    mark = rng.choice((b",", b";", b"\t", b" ", b"<", b'"'))
    fields = lines[place].split(mark)
    fields[rng.randrange(len(fields))] = rng.choice(TOKENS)
    lines[place] = mark.join(fields)
    return b"\n".join(lines)


PLAIN: list[Mutation] = [flip, cut, repeat, put_token, change_lines, change_field]


def mutated(rng: random.Random, data: bytes, others: list[tuple[str, bytes]]) -> bytes:
    """Change the data once, at random: inside its container, where it is one."""
    if rng.random() < 0.85:
        if data.startswith(b"PK\x03\x04"):
            return in_zip(rng, data, others)
        if data.startswith(b"\x1f\x8b"):
            return in_gzip(rng, data, others)
    if rng.random() < 0.1:
        _, other = rng.choice(others)
        return data[: span(rng, data)[0]] + other[span(rng, other)[0] :]
    return rng.choice(PLAIN)(rng, data)


def in_gzip(rng: random.Random, data: bytes, others: list[tuple[str, bytes]]) -> bytes:
    """Change what is compressed."""
    try:
        return gzip.compress(mutated(rng, gzip.decompress(data), others), 1)
    except Exception:
        return flip(rng, data)


def in_zip(rng: random.Random, data: bytes, others: list[tuple[str, bytes]]) -> bytes:
    """Change, leave out, rename or double one member of a zip file, with sound checksums."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = [(info.filename, file.read(info)) for info in file.infolist()]
    except Exception:
        return flip(rng, data)
    if not members:
        return flip(rng, data)
    place = rng.randrange(len(members))
    name, content = members[place]
    kind = rng.random()
    if kind < 0.85:
        members[place] = (name, mutated(rng, content, others))
    elif kind < 0.93:
        del members[place]
    else:
        members[place] = (rng.choice(members)[0], content)
    out = io.BytesIO()
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, True, 1) as file,
    ):
        warnings.simplefilter("ignore")  # of names that stand twice, which are meant
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


def case(seed: int, number: int, seeds: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """The name and the bytes of one case; the same for the same seed and number."""
    rng = random.Random(f"{seed}:{number}")
    name, data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = mutated(rng, data, seeds)
    return name, data


# ---- what must be true of every file


def examine(name: str, data: bytes) -> None:
    """Read a file as the program would. Raises AssertionError, or what the program raised, where
    something is wrong; a FileError is an answer.
    """
    path = Path(name)
    try:
        tables = read_bytes(path, data)
    except FileError:
        return
    again = read_bytes(path, data)
    assert [shown(table) for table in tables] == [shown(table) for table in again], "not the same"
    lines = most_lines(path, data)
    for table in tables:
        check_table(table, data, lines)
    try:
        parts = assemble(plan(tables).parts)
    except FileError:
        return
    evaluation, _ = join(parts.judgments, parts.rankings, parts.ideal)
    for number in range(len(evaluation.rankings)):
        scores = evaluation.scores(number)
        value = scores.value[scores.counted]
        assert np.isfinite(value).all() and (value >= 0).all(), "a score that is none"
        assert (value <= 1 + 1e-9).all(), f"a score above 1: {value.max()!r}"
        assert (scores.judged <= scores.returned).all(), "more judged than returned"


def shown(table: Table) -> tuple[object, ...]:
    """A table as what can be compared."""
    columns = [repr(c.texts() if isinstance(c, Ids) else list(c)) for c in table.columns]
    return table.kind, table.header, columns, table.row.tolist(), table.sheet, table.findings


def most_lines(path: Path, data: bytes) -> int:
    """No fewer than the file has lines, however they end and whatever the encoding is."""
    content = unpacked(path, data)
    return content.count(b"\n") + content.count(b"\r") + 1


def check_table(table: Table, data: bytes, lines: int) -> None:
    """Check that the rows of a table are rows of its file."""
    rows = table.row
    assert all(len(column) == len(rows) for column in table.columns), "columns of unequal length"
    assert table.header is None or len(table.header) == len(table.columns), "header of other width"
    assert (np.diff(rows) > 0).all(), "rows that do not go up"
    last = int(rows[-1]) if len(rows) else 1
    assert not len(rows) or rows[0] >= 1, "a row before the first"
    if table.kind in ("qrels", "run", "ltr", "delimited") and not table.member:
        assert last <= lines, "a row below the last line"
    elif table.kind == "workbook":
        assert last <= LAST_ROW_OF_A_SHEET, "a row below the last of a sheet"
    assert table.digest == hashlib.sha256(data).hexdigest(), "another digest"


# ---- running them


class TooSlow(Exception):  # noqa: N818 - named for what has happened
    """A case took longer than SECONDS."""


def fault(name: str, data: bytes) -> tuple[str, str] | None:
    """Where and how a case fails, as one line, and the traceback; None where it does not."""

    def stop(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    faulthandler.dump_traceback_later(STUCK * SECONDS, exit=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            examine(name, data)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "ndcg_desktop" in frame.filename] or frames
        place = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
        words = str(error)[:60] if isinstance(error, AssertionError) else ""
        return f"{type(error).__name__} {place} {words}".strip(), traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
    return None


def smaller(name: str, data: bytes, signature: str, until: float) -> bytes:
    """Leave out pieces for as long as the case still fails in the same place."""
    piece = len(data) // 2
    while piece and time.monotonic() < until:
        begin = 0
        while begin < len(data) and time.monotonic() < until:
            shorter = data[:begin] + data[begin + piece :]
            found = fault(name, shorter)
            if found is not None and found[0] == signature:
                data = shorter
            else:
                begin += piece
        piece //= 2
    return data


def work(seed: int, first: int, step: int, folder: Path, seconds: float, memory: int) -> None:
    """Run cases first, first + step, … for some time; keep what fails in the folder."""
    resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    faulthandler.enable()
    end = time.monotonic() + seconds
    seeds = samples()
    known: set[str] = set()
    number = first
    current = folder / f"current-{first % step}"
    while time.monotonic() < end:
        name, data = case(seed, number, seeds)
        current.with_suffix(".data").write_bytes(data)
        current.with_suffix(".name").write_text(f"{number} {name}", "utf-8")
        found = fault(name, data)
        if found is not None and found[0] not in known:
            known.add(found[0])
            keep(folder, seed, number, name, data, *found)
        number += step
    current.with_suffix(".done").write_text(str(number), "utf-8")


def keep(
    folder: Path, seed: int, number: int, name: str, data: bytes, signature: str, text: str
) -> None:
    """Write a failing case, made smaller, and what it raised."""
    if not signature.startswith(("TooSlow", "MemoryError", "aborted")):
        data = smaller(name, data, signature, time.monotonic() + 2 * SECONDS)
    place = folder / f"{number}-{name}"
    place.write_bytes(data)
    Path(f"{place}{REPORT}").write_text(
        f"{signature}\nseed {seed}, case {number}\n\n{text}", "utf-8"
    )


def workers(seed: int, count: int, folder: Path, minutes: float, memory: int) -> int:
    """Keep workers running until the time is over; give the number of cases that were run."""
    end = time.monotonic() + 60 * minutes
    next_case = dict.fromkeys(range(count), 0) | {each: each for each in range(count)}
    running: dict[int, subprocess.Popen[bytes]] = {}
    while running or time.monotonic() < end:
        for each in range(count):
            if each not in running and (left := end - time.monotonic()) > 0:
                command = [sys.executable, __file__, "--worker", f"{next_case[each]}/{count}"]
                command += ["--seed", str(seed), "--keep", str(folder), "--memory", str(memory)]
                running[each] = subprocess.Popen([*command, "--minutes", str(left / 60)])
        time.sleep(0.2)
        for each, process in list(running.items()):
            if (code := process.poll()) is not None:
                del running[each]
                next_case[each] = after(seed, folder / f"current-{each}", code) + count
    return sum(next_case.values()) // count


def after(seed: int, current: Path, code: int) -> int:
    """Take note of how a worker ended, and give the number of its last case."""
    text, name = current.with_suffix(".name").read_text("utf-8").split(" ", 1)
    if code:
        signature = f"aborted with {code}: hang, memory or a fault in compiled code, {name}"
        data = current.with_suffix(".data").read_bytes()
        keep(current.parent, seed, int(text), name, data, signature, "")
    return int(text)


def failures(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each different failure with the first case that was kept for it."""
    seen: set[str] = set()
    for path in sorted(folder.glob(f"*{REPORT}")):
        signature = path.read_text("utf-8").splitlines()[0]
        if signature not in seen:
            seen.add(signature)
            yield signature, path.with_name(path.name.removesuffix(REPORT))


def with_atheris() -> None:
    """Let atheris choose the bytes, if it is installed."""
    import atheris  # type: ignore[import-not-found]

    atheris.Setup([sys.argv[0]], lambda data: examine("case.csv", data))
    atheris.Fuzz()


def main() -> int:
    """Run the fuzzer, or one kept case again."""
    parser = argparse.ArgumentParser(description="Feed the readers with damaged files.")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--memory", type=int, default=MEMORY_MIB, help="MiB for each worker")
    parser.add_argument("--keep", type=Path, help="folder for cases that fail")
    parser.add_argument("--case", type=Path, help="run this kept file alone")
    parser.add_argument("--atheris", action="store_true", help="let atheris choose the bytes")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.atheris:
        with_atheris()
    if options.case:
        examine(options.case.name, options.case.read_bytes())
        return 0
    if options.worker:
        first, step = map(int, options.worker.split("/"))
        work(options.seed, first, step, options.keep, 60 * options.minutes, options.memory)
        return 0
    folder = options.keep or Path(tempfile.mkdtemp(prefix="ndcg-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}, cases that fail in {folder}")
    cases = workers(options.seed, options.workers, folder, options.minutes, options.memory)
    found = list(failures(folder))
    print(f"{cases:,} cases, {len(found)} different failures")
    for signature, path in found:
        print(f"  {signature}\n    {path} ({path.stat().st_size:,} bytes)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
