"""The gradebook, asked in plain SQL: nbgrader and SQLAlchemy take longer to load than to answer.

Its tables are nbgrader's; what is written goes through nbgrader's own, in `grading/`.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.errors import GradebookError

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

Query = Callable[..., list[tuple]]  # SQL, and by name the values that stand in it as `:name`
SQLITE = "sqlite:///"
EPOCH = datetime(1970, 1, 1)


@contextlib.contextmanager
def queries(db_url: str) -> Iterator[Query]:
    """What answers queries. Raises GradebookError where there is no gradebook with its tables."""
    if not db_url.startswith(SQLITE) or "?" in db_url:
        with _elsewhere(db_url) as query:
            yield query
        return
    address = f"{Path(db_url.removeprefix(SQLITE)).absolute().as_uri()}?mode=rw"  # which makes none
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
            yield lambda sql, **values: database.execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise unusable(db_url, error) from None


@contextlib.contextmanager
def _elsewhere(db_url: str) -> Iterator[Query]:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = create_engine(db_url)
        try:
            with engine.connect() as connection:
                yield query_of(connection)
        finally:
            engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        raise unusable(db_url, error) from None


def unusable(db_url: str, error: Exception) -> GradebookError:
    """What keeps the gradebook from being used, and what to do about it."""
    from sqlalchemy import make_url

    address = make_url(db_url).render_as_string(hide_password=True)
    reason = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return GradebookError(
        f"The gradebook {address} cannot be used ({reason}): "
        "close whatever else has it open, and see that it can be reached and written."
    )


def query_of(database: "Connection | Session") -> Query:
    """The same of a connection that somebody else has open."""
    from sqlalchemy import text

    return lambda sql, **values: [tuple(row) for row in database.execute(text(sql), values)]


def moment(value: Any) -> datetime | None:
    """A time as any database gives it: SQLite has them as text."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def span(value: Any) -> timedelta:
    """A length of time, or none at all: SQLite has it as the time so long after 1970 began."""
    when = moment(value)
    return when - EPOCH if isinstance(when, datetime) else when or timedelta()
