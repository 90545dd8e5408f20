"""Say where everything is that `make` built, and what to try next."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = {
    "The book": "build/book/_build/html/index.html",
    "The student bundle": "build/course/attention-course-student.zip",
    "Your course": "build/course",
    "The sample class": "build/sample-class/submitted",
    "Its scores": "build/sample-class/gradebook.db",
    "Its feedback": "build/sample-class/feedback",
}
NEXT = {
    "make serve": "read the book at http://127.0.0.1:8000",
    ".venv/bin/jupyter lab build/course/student": "solve the exercises as a student does",
    "make test": "run every test",
    "make help": "see the other commands",
}


def main() -> None:
    print()
    for name, path in PLACES.items():
        if (ROOT / path).exists():
            print(f"{name + ':':<20} {path}")
    print("\nTo try next:")
    width = max(map(len, NEXT))
    for command, purpose in NEXT.items():
        print(f"  {command:<{width}}  {purpose}")


if __name__ == "__main__":
    main()
