"""Grading that ends its process; alone here, so that a process that uses it loads nothing else."""

import os
from typing import Any

from autograder.grading.run.job import Job


def deadly(result: dict[str, Any], job: Job) -> dict[str, Any]:
    """The same result for every submission; bob's ends the process."""
    if job.student == "bob":
        os._exit(1)
    return result | {"record": result["record"] | {"student": job.student}}
