"""Python as text, read and never run: definitions, uses, changes, mutations."""
