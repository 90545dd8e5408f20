"""The references of chapter 13, by their names."""

from solutions.real_encoder.reference import *
