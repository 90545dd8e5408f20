"""The references of chapter 12, by their names."""

from solutions.vit.reference import *
