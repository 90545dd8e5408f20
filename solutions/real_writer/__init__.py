"""The references of chapter 14, by their names."""

from solutions.real_writer.reference import *
