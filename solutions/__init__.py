"""The references: one module per chapter, one function or class per exercise."""
