"""The references of chapter 10, by their names."""

from solutions.writer.reference import *
