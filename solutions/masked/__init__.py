"""The references of chapter 8, by their names."""

from solutions.masked.reference import *
