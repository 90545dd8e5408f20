"""A second sample over many chapters: written from the docstrings once the diagnosis was made."""
