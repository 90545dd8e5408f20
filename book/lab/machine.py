"""The attention machine: `stage` shows who takes how much from whom, `milk` is its first sentence.

Here as well: one row of that sentence, what "get" does in it, digit by digit as the published model
computes it. Chapter 13 takes it apart.
"""

from lab.milk import ASKING, HEAD, LAYER, SENTENCE, WIDTH, milk
from lab.stage import stage

__all__ = ["ASKING", "HEAD", "LAYER", "SENTENCE", "WIDTH", "milk", "stage"]

TOKENS = milk()["items"]
SCORES = [10.92, -17.01, -12.69, 0.99, -5.18, 13.4, -8.95, 4.07, 15.48, 18.49, -8.39]
WEIGHTS = [0.108, 0.001, 0.002, 0.019, 0.006, 0.168, 0.003, 0.032, 0.243, 0.414, 0.004]
OUTPUT = [0.41, 0.97]  # the first two of 32 numbers
