// When a chapter counts as read: when most of its text was on the screen for as long as the fastest
// readers need for it. A second on the screen is worth so many words, given to what is in the window
// from the top on: who jumps to the end has read what stands there. Kept by progress.js.
(() => {
  const FASTEST = 8; // words a second; most people read about four
  const SHARE = 0.8; // of a chapter's words
  const TEXT = "main article :is(p, li, dd, figcaption)";

  function start() {
    const { load, change, chapterOf } = courseProgress;
    const chapter = chapterOf(location.pathname);
    if (!chapter || load().read[chapter]) return;
    const before = new Set(load().seen[chapter]);
    const lines = [...document.querySelectorAll(TEXT)]
      .filter((line) => !line.querySelector(TEXT))
      .map((line, number) => {
        const words = line.textContent.trim().split(/\s+/).length;
        return { line, number, words, left: before.has(number) ? 0 : words };
      })
      .filter(({ line }) => line.checkVisibility()); // what is folded counts for nothing
    const sum = (key) => lines.reduce((all, line) => all + line[key], 0);
    const all = sum("words");

    function spend() {
      if (document.visibilityState !== "visible") return;
      let worth = FASTEST;
      for (const one of lines) {
        if (!one.left) continue;
        const { top, bottom, height } = one.line.getBoundingClientRect();
        if (!height || bottom <= 0 || top >= innerHeight) continue;
        const spent = Math.min(worth, one.left);
        one.left -= spent;
        worth -= spent;
        if (!worth) break;
      }
      if (all - sum("left") < SHARE * all) return;
      clearInterval(timer);
      change(({ read, seen }) => {
        read[chapter] = true;
        delete seen[chapter];
      });
    }

    const timer = setInterval(spend, 1000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "hidden" || load().read[chapter]) return;
      change(({ seen }) => {
        seen[chapter] = lines.filter(({ left }) => !left).map(({ number }) => number);
      });
    });
  }

  document.addEventListener("DOMContentLoaded", start);
})();
