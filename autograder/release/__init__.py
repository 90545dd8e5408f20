"""From the book's chapters to what students get: `from autograder.release.build import release`."""
