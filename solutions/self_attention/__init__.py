"""The references of chapter 5, by their names."""

from solutions.self_attention.reference import *
