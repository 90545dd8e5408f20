"""The references of chapter 11, by their names."""

from solutions.encoder_decoder.reference import *
