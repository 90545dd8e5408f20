"""The references of chapter 3, by their names."""

from solutions.bahdanau.reference import *
