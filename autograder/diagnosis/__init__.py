"""From the events of a check to a sentence: known misconceptions, and what is true besides."""
