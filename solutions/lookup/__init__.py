"""The references of chapter 1, by their names."""

from solutions.lookup.reference import *
