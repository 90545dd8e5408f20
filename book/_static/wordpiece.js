// How the published encoder of chapter 13 cuts a text into tokens: BERT's rules, and the longest
// pieces that its vocabulary has (Wu et al. 2016, WordPiece; Devlin et al. 2019, section 3).
window.wordPiece = (() => {
  const LONGEST = 100; // letters of a word; a longer one is unknown
  const [UNKNOWN, FIRST, LAST] = ["[UNK]", "[CLS]", "[SEP]"];
  const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
  const NO_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\uFFFD]/gu;
  const CHINESE = new RegExp(
    "[\\u4E00-\\u9FFF\\u3400-\\u4DBF\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2B73F}" +
      "\\u{2B740}-\\u{2B81F}\\u{2B920}-\\u{2CEAF}\\uF900-\\uFAFF\\u{2F800}-\\u{2FA1F}]", "gu");
  const ACCENTS = /\p{Mn}/gu;
  const MARK = /([\p{P}!-/:-@[-`{-~])/u;

  /** Letter by letter, as a letter has the same small one wherever it stands. */
  const small = (text) => [...text].map((letter) => letter.toLowerCase()).join("");

  /** Small letters without accents, each mark and each Chinese character a word by itself. */
  function words(text) {
    const clean = text.replace(NO_TEXT, "").replace(CHINESE, " $& ");
    const bare = small(clean.normalize("NFD").replace(ACCENTS, ""));
    return bare.split(/\s+/u).flatMap((word) => word.split(MARK)).filter(Boolean);
  }

  /** A word as the longest pieces that the vocabulary has, from its beginning on. */
  function pieces(word, ids) {
    const letters = [...word];
    if (letters.length > LONGEST) return [UNKNOWN];
    const found = [];
    for (let start = 0; start < letters.length; ) {
      let end = letters.length;
      const piece = () => (start ? "##" : "") + letters.slice(start, end).join("");
      while (end > start && !ids.has(piece())) end--;
      if (end === start) return [UNKNOWN];
      found.push(piece());
      start = end;
    }
    return found;
  }

  /** A tokenizer: from a text to at most so many tokens, and their numbers. */
  return (vocabulary) => {
    const ids = new Map(vocabulary.map((token, id) => [token, id]));
    return (text, most) => {
      const inner = text.split(SPECIAL).flatMap((part) =>
        SPECIAL.test(part) ? [part] : words(part).flatMap((word) => pieces(word, ids)));
      const tokens = [FIRST, ...inner.slice(0, most - 2), LAST];
      return { tokens, ids: tokens.map((token) => ids.get(token)), cut: inner.length > most - 2 };
    };
  };
})();
