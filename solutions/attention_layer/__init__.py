"""The references of chapter 4, by their names."""

from solutions.attention_layer.reference import *
