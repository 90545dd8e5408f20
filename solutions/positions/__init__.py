"""The references of chapter 6, by their names."""

from solutions.positions.reference import *
