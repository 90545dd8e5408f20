"""The references of chapter 0, by their names."""

from solutions.start_here.reference import *
