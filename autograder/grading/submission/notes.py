"""What a teacher is told of a submission beside its verdicts."""

from autograder.grading.text import one_line

NOTES_AT_MOST = 10


class Notes:
    """A few sentences, each once."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        """Note a sentence, as long as there is room."""
        text = one_line(text).rstrip(".")
        if text and text not in self.texts and len(self.texts) < NOTES_AT_MOST:
            self.texts.append(text)
