"""What a check is: inputs drawn from a seed, two callables, comparisons, and a verdict."""

from autograder.checking.comparing import Failure, agrees, close, raises, require, same
from autograder.checking.judge import PUBLIC_SEED, Lost, Verdict, judge
from autograder.checking.predicting import prediction
from autograder.checking.recording import record, reference_for
from autograder.checking.registry import exercise, exercises, find, misconception
from autograder.checking.values import built, portable

__all__ = [
    "PUBLIC_SEED",
    "Failure",
    "Lost",
    "Verdict",
    "agrees",
    "built",
    "close",
    "exercise",
    "exercises",
    "find",
    "judge",
    "misconception",
    "portable",
    "prediction",
    "raises",
    "record",
    "reference_for",
    "require",
    "same",
]
