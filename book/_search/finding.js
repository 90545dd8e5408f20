// Which sections of the book fit what is asked, best first, typing errors forgiven. A section that
// is called what is asked comes before one that mentions it.
window.courseFinder = (sections) => {
  const ENOUGH = 8; // where fewer sections fit all that is asked, those that fit some of it follow
  const COMMON = new Set(("a about an and are as at be by can do does for from how i in is it its of " +
    "on or that the their this to we what when where which who why with you").split(" "));
  // What people write for what the book has in words.
  const MEANT = {
    "√": "square root", bpe: "byte-pair", ffn: "feed-forward", gqa: "grouped-query",
    kv: "key-value", llm: "language model", lm: "language model", mha: "multi-head",
    mlp: "feed-forward", mqa: "grouped-query", pe: "positional encoding", rms: "root mean square",
    rnn: "recurrent", rope: "rotary", sqrt: "square root", vit: "vision transformer",
  };
  const BONUS = 4; // times what it scores, for a section that is called what is asked

  /** Words in small letters, "heads" as "head". */
  function single(text) {
    const all = text.toLowerCase().match(/[\p{L}\p{N}√]+/gu) ?? [];
    return all.map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word));
  }

  /** The same, and those that a hyphen joins as one too, "multihead". */
  function words(text) {
    const joined = text.match(/[\p{L}\p{N}]+(?:[-‑][\p{L}\p{N}]+)+/gu) ?? [];
    return [...single(text), ...joined.flatMap((one) => single(one.replace(/[-‑]/g, "")))];
  }

  /** Of a heading also two words in a row as one, as "layernorm" asks for "layer normalization". */
  function ofHeading(text) {
    const all = single(text);
    return [...new Set([...words(text), ...all.slice(1).map((word, i) => all[i] + word)])];
  }

  const telling = (all) => all.filter((word) => !COMMON.has(word));
  const list = sections.map(([file, anchor, page, section, text], id) => ({
    ...{ id, file, anchor, page, section, text },
  }));
  const headings = list.map(({ section }) => new Set(telling(single(section))));

  const index = new MiniSearch({
    fields: ["section", "page", "text"],
    tokenize: (text, field) => (field === "section" ? ofHeading(text) : words(text)),
    searchOptions: {
      tokenize: words,
      boost: { section: 6, page: 2 },
      prefix: (term) => term.length > 2,
    },
  });
  index.addAll(list);

  // One error in a word of four letters, two in one of seven: where the book has no such word.
  const ERRORS = { fuzzy: (term) => (term.length > 3 ? 0.22 : false) };

  /** Where a word stands, or what is meant by it; else words that are nearly the same. */
  function places(word) {
    const meant = MEANT[word] && { combineWith: "AND", queries: words(MEANT[word]) };
    const found = index.search(meant ? { combineWith: "OR", queries: [word, meant] } : word);
    const known = meant || found.some(({ terms }) => terms.includes(word));
    return known ? found : index.search(word, ERRORS);
  }

  /** How nearly a heading says what is asked, from 0 to 1: the words that both have, of all. */
  function named(id, match, asked) {
    const heading = headings[id];
    const meant = asked.flatMap((word) => (MEANT[word] ? words(MEANT[word]) : [word])).length;
    const both = Object.keys(match).filter((term) =>
      match[term].includes("section") && heading.has(term)).length;
    return Math.min(1, (2 * both) / (heading.size + meant));
  }

  /** Sections with { id, terms, whole }: whole where everything that is asked is found. */
  return function find(question) {
    const every = [...new Set(single(question))];
    const asked = telling(every).length ? telling(every) : every;
    if (!asked.length) return [];
    const parts = asked.map((word) => new Map(places(word).map((one) => [one.id, one])));
    const ids = new Set(parts.flatMap((part) => [...part.keys()]));
    const scored = [...ids].map((id) => {
      const hits = parts.map((part) => part.get(id)).filter(Boolean);
      const match = Object.assign({}, ...hits.map((hit) => hit.match));
      const cover = hits.length / asked.length;
      const score = hits.reduce((sum, hit) => sum + hit.score, 0);
      return {
        id,
        terms: hits.flatMap((hit) => hit.terms),
        whole: cover === 1,
        score: score * cover ** 2 * (1 + BONUS * named(id, match, asked) ** 2),
      };
    });
    scored.sort((a, b) => Number(b.whole) - Number(a.whole) || b.score - a.score);
    const whole = scored.filter((one) => one.whole).length;
    return scored.slice(0, Math.max(whole, ENOUGH)).map((one) => ({ ...list[one.id], ...one }));
  };
};
