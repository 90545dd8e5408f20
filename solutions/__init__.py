"""The course's content: a folder a chapter, with all that is known of its exercises."""
