"""The references of chapter 9, by their names."""

from solutions.transformer_block.reference import *
