// The symbols of the models that translate dates (book/lab/dates.py), and whether a text is a date.
window.dateSymbols = (() => {
  const [START, END, FIRST] = [1, 2, 3]; // tokens: where a text begins and ends; its first letter
  const END_SIGN = "$";

  /** What a token that was written is called. */
  const symbol = (writes, token) => (token === END ? END_SIGN : writes[token - FIRST] ?? "?");

  /** The letters of a text that a model knows, as tokens, and the first one that it does not know. */
  function read(reads, text) {
    const all = [...text.replace(/\s/g, " ").trim()];
    const letters = all.filter((letter) => reads.includes(letter));
    return {
      letters,
      tokens: letters.map((letter) => reads.indexOf(letter) + FIRST),
      unknown: all.find((letter) => !reads.includes(letter)),
    };
  }

  /**
   * Whether a text is one date: a year of four digits, a day, and a month as a number or as one of
   * the words that name it. `words` has all that dates are made of, each with its month's number.
   */
  function isDate(text, words) {
    const named = (text.match(/\p{L}+/gu) ?? []).map((word) => words[word.toLowerCase()]);
    const numbers = text.match(/\d+/g) ?? [];
    const [years, others] = [true, false].map((year) =>
      numbers.filter((number) => (number.length === 4) === year));
    const months = named.filter(Boolean);
    if (named.includes(undefined) || years.length !== 1 || months.length > 1) return false;
    if (others.length + months.length !== 2) return false;
    const [a, b] = others.map(Number);
    const pairs = months.length ? [[months[0], a]] : [[a, b], [b, a]];
    return pairs.some(([month, day]) => {
      const at = new Date(Date.UTC(years[0], month - 1, day));
      return at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
    });
  }

  return { START, END, END_SIGN, symbol, read, isDate };
})();
