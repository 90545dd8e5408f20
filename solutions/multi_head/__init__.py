"""The references of chapter 7, by their names."""

from solutions.multi_head.reference import *
