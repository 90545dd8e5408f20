"""The references of chapter 2, by their names."""

from solutions.softmax.reference import *
