"""What screen readers are told: formulas in words, and roles as they know them today.

A screen reader reads MathML where it stands in the text. The name of a control or of a column is
plain text, and browsers leave a formula out of it: there these words stand in.
"""

from bs4 import BeautifulSoup, Tag

WORDS = {
    "=": "equals",
    "≠": "is not",
    "<": "is less than",
    ">": "is greater than",
    "≤": "is at most",
    "≥": "is at least",
    "≈": "is about",
    "→": "to",
    "+": "plus",
    "−": "minus",
    "-": "minus",
    "·": "times",
    "⋅": "times",
    "×": "times",
    "/": "divided by",
    "∞": "infinity",
    "∑": "the sum",
    "∏": "the product",
    "∈": "in",
    "⊤": "transposed",
    "√": "the square root of",
    ":": "of shape",
    "∣": "given",
    "…": "and so on to",
    "(": "(",
    "\u2061": "of",
    "\u2062": "times",
}
POWERS = {"2": "squared", "3": "cubed", "⊤": "transposed", "′": "prime"}
ACCENTS = {"ˆ": "hat", "^": "hat", "¯": "bar", "‾": "bar", "→": "forward", "←": "backward"}


def spoken(mathml: str) -> str:
    """The words of a formula in MathML."""
    return " ".join(words(BeautifulSoup(mathml, "html.parser").math).split())


def words(element: Tag) -> str:
    """The words of an element and of all within it."""
    parts = [child for child in element.children if isinstance(child, Tag)]
    said = [words(part) for part in parts]
    match element.name, said:
        case "mspace" | "mphantom", _:
            return ""
        case "mo", _:
            return f" {WORDS.get(text := element.get_text().strip(), text)} "
        case "mfrac", [above, below]:
            return f"{above} over {below}"
        case "msqrt", _:
            return f"the square root of {' '.join(said)}"
        case "msup", [base, power]:
            return f"{base} {raised(parts[1], power)}"
        case "msub" | "munder", [base, below]:
            return f"{base} {below}"
        case "msubsup", [base, below, power]:
            return f"{base} {below} {raised(parts[2], power)}"
        case "munderover", [base, below, above]:
            return f"{base} from {below} to {above} of"
        case "mover", [base, _]:
            mark = parts[1].get_text().strip()
            return f"{base} {ACCENTS.get(mark, mark)}"
        case "mtr", _:
            return f"{', '.join(said)}; "
        case _, []:
            return WORDS.get(text := element.get_text().strip(), text)
    return " ".join(said)


def raised(exponent: Tag, said: str) -> str:
    """What is said of an exponent."""
    return POWERS.get(exponent.get_text().strip(), f"to the power {said}")


def name_columns(soup: BeautifulSoup, *_: object) -> None:
    """Name each column whose name is a formula alone in words too."""
    for formula in soup.select("th > p > math"):
        if formula.parent.contents == [formula]:
            named = soup.new_tag("span", attrs={"class": "visually-hidden"})
            named.string = spoken(str(formula))
            formula.insert_before(named)
            formula["aria-hidden"] = "true"


def modernize(soup: BeautifulSoup, *_: object) -> None:
    """Replace what is outdated, or says less than the words that stand there.

    Docutils marks the entries of a list of sources with a role that was withdrawn from the
    standard. MyST-NB names every folded cell "Toggle hidden content".
    """
    for entry in soup.select("[role=doc-biblioentry]"):
        entry["role"] = "listitem"
    for summary in soup.select('summary[aria-label="Toggle hidden content"]'):
        del summary["aria-label"]
