// What scrolls sideways can be reached with the Tab key: the theme sees to it when the page loads and
// when the window changes its size. What was folded had no size yet: it is looked at when it opens.
document.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")), true);
