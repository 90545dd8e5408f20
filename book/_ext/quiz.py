"""Self-test questions: `{quiz}`, a question and its choices, each with what there is to say to it.

    :::{quiz} May a weight be negative?
    - [ ] Yes

      What there is to say to whoever chose this.
    - [x] No

      Why this is right.
    :::

`{inventory}` is written alike and answers only when it is asked the second time: what explains a
choice waits in a `<template>` for `_review/inventory.js`.

A question too long for one line stands above the list. Without scripts a choice unfolds to its
explanation; `_static/quiz.js` makes a radio button of it and remembers, in the browser alone, what
was chosen. A question is known by its text: a changed question counts as not answered.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from autograder.release.questions import id_of

MARKS = {"[x] ": True, "[ ] ": False}
END = "</div></details></li>\n"


class quiz(nodes.General, nodes.Element):
    """A question (a `quiz_question`) and its choices (`quiz_choice`).

    Attributes: `before`, whether it is asked before what it asks about; `place`, where it is asked
    again, its chapter and which of its forms it is; `waits`, whether its explanations do.
    """


class quiz_question(nodes.General, nodes.Element):
    """The question, in paragraphs."""


class quiz_choice(nodes.General, nodes.Element):
    """A choice: a `quiz_label`, then what explains it. Attribute `right`."""


class quiz_label(nodes.General, nodes.TextElement):
    """What one can choose, in one line."""


class Quiz(SphinxDirective):
    """The directive."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        body = nodes.Element()
        if self.arguments:
            inline, messages = self.state.inline_text(self.arguments[0], self.lineno)
            body += [nodes.paragraph("", "", *inline), *messages]
        self.state.nested_parse(self.content, self.content_offset, body)
        if not body.children or not isinstance(body[-1], nodes.bullet_list) or len(body) < 2:
            raise self.error("quiz: a question is wanted, and below it the list of its choices")
        *question, listed = body.children
        choices = [self.choice(item) for item in listed]
        if len(choices) < 2 or sum(choice["right"] for choice in choices) != 1:
            raise self.error("quiz: two or more choices are wanted, one of them right: `- [x]`")
        question_id = id_of(*self.arguments, *self.content)
        waits = self.name == "inventory"
        return [quiz("", quiz_question("", *question), *choices, question=question_id, waits=waits)]

    def choice(self, item: nodes.list_item) -> quiz_choice:
        """A list item as a choice: its first paragraph is the choice, the rest explains it."""
        label, *explanation = item.children
        text = label.astext()
        mark = next((mark for mark in MARKS if text.startswith(mark)), None)
        if mark is None:
            raise self.error(f"quiz: a choice begins with [x] or [ ], not with {text[:20]!r}")
        if not explanation:
            raise self.error(f"quiz: the choice {text[4:30]!r} is not explained")
        first = label[0]
        label[0] = nodes.Text(first.astext().removeprefix(mark))
        return quiz_choice("", quiz_label("", "", *label), *explanation, right=MARKS[mark])


def count(app: Sphinx, doctree: nodes.document) -> None:
    """Number a page's questions, and remember which there are."""
    questions = list(doctree.findall(quiz))
    for number, node in enumerate(questions, start=1):
        node["number"] = number
    ids = [node["question"] for node in questions]
    app.env.quizzes = getattr(app.env, "quizzes", {}) | {app.env.docname: ids}


def questions_of(env: BuildEnvironment, docname: str) -> list[str]:
    """The names by which a page's questions are known."""
    return getattr(env, "quizzes", {}).get(docname, [])


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    getattr(env, "quizzes", {}).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    by_page = {name: ids for name, ids in getattr(other, "quizzes", {}).items() if name in docnames}
    env.quizzes = getattr(env, "quizzes", {}) | by_page


def visit_quiz(self: HTML5Translator, node: quiz) -> None:
    place = 'data-chapter="{}" data-form="{}" '.format(*node["place"]) if "place" in node else ""
    kind = "quiz inventory-question" if node.get("waits") else "quiz"
    if node.get("waits") and node["number"] == 1:  # its line is there before the script, and stays
        self.body.append('<p class="review-due" aria-live="polite"></p>\n')
    self.body.append(
        f'<fieldset class="{kind}" id="quiz-{node["number"]}" {place}'
        f'data-question="{node["question"]}">\n'
    )


def depart_quiz(self: HTML5Translator, node: quiz) -> None:
    self.body.append("</ul></fieldset>\n")


def visit_question(self: HTML5Translator, node: quiz_question) -> None:
    number = node.parent["number"]
    self.body.append(f'<legend class="quiz-question" id="quiz-{number}-question">\n')
    when = ", before you read on" if node.parent.get("before") else ""
    self.body.append(f'<span class="quiz-number">Question {number}{when}.</span>\n')


def depart_question(self: HTML5Translator, node: quiz_question) -> None:
    self.body.append('</legend>\n<ul class="quiz-choices">\n')


def visit_choice(self: HTML5Translator, node: quiz_choice) -> None:
    right = " data-right" if node["right"] else ""
    begin = "<li" if node.parent.get("waits") else '<li><details class="quiz-choice"'
    self.body.append(f"{begin}{right}>\n")


def depart_choice(self: HTML5Translator, node: quiz_choice) -> None:
    self.body.append("</template></li>\n" if node.parent.get("waits") else END)


def visit_label(self: HTML5Translator, node: quiz_label) -> None:
    if not (asked := node.parent.parent).get("waits"):
        self.body.append("<summary>")
        return
    # As the script leaves it, so that nothing moves when it comes.
    value = [one for one in asked if isinstance(one, quiz_choice)].index(node.parent)
    self.body.append(
        f'<label class="quiz-choice"><input type="radio" name="quiz-{asked["number"]}" '
        f'value="{value}" autocomplete="off" disabled><span>'
    )


def depart_label(self: HTML5Translator, node: quiz_label) -> None:
    if node.parent.parent.get("waits"):
        self.body.append("</span></label>\n<template>\n")
        return
    verdict = "Right." if node.parent["right"] else "Not this one."
    self.body.append(f'</summary>\n<div class="quiz-why">\n<p class="quiz-verdict">{verdict}</p>\n')


def setup(app: Sphinx) -> dict:
    app.add_directive("quiz", Quiz)
    app.add_directive("inventory", Quiz)
    app.add_node(quiz, html=(visit_quiz, depart_quiz))
    app.add_node(quiz_question, html=(visit_question, depart_question))
    app.add_node(quiz_choice, html=(visit_choice, depart_choice))
    app.add_node(quiz_label, html=(visit_label, depart_label))
    app.connect("doctree-read", count)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
