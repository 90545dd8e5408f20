"""One submission: read without trust, put in order, run in the sandbox, judged on this side."""
