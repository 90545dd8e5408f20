"""What a page is measured by, and how much of it is too much: for tests and for `make bench`."""

MOST_NODES = 6_000
MOST_STOPS = 80
MOST_SCREENS = 12  # of 1280 x 800, that a chapter's layer to read has
MOST_BYTES = 1_200_000  # transferred before a click, text compressed as GitHub Pages does
# What a first figure waits for: two seconds of a slow line, of the three until it is to answer.
MOST_FIRST_BYTES = 400_000
MOST_MOVED = 0.1  # cumulative layout shift: what web.dev/cls counts as good, on a busy machine too
MOST_MOVED_ALONE = 0.05  # where nothing else runs

# To be set up before a page is opened. Moves within 500 ms of a click or a key do not count.
WATCH_MOVES = """
  window.moved = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
MOVED = "window.moved"
SCREENS = "document.documentElement.scrollHeight / innerHeight"
NODES = "document.getElementsByTagName('*').length"
# Where the Tab key stops in the text: radio buttons of one name are one stop, and a box that
# scrolls is one by itself if nothing in it is.
STOPS = """() => {
  const can = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]";
  const groups = new Set();
  const stops = [...document.querySelectorAll("main *")].filter((element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest("[inert]")) {
      return false;
    }
    if (!element.matches(can)) return false;
    if (element.tabIndex < 0 || element.matches(":disabled")) return false;
    if (element.type !== "radio" || !element.name) return true;
    const first = !groups.has(element.name);
    groups.add(element.name);
    return first;
  });
  return stops.length;
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
# The first screen's figure heeds its reader: with its model or chart, with what its page knows of
# the example that it opens with; or it asks first whether its large model be loaded.
ANSWERS = """() => {
  const figure = document.querySelector("main figure:is(.live, .play, .stage)");
  if (!figure) return true;
  return figure.matches("[data-started], [data-drawn], [data-known], :has(.live-load)");
}"""
# Chromium's devtools protocol: a slow phone, as web.dev's Lighthouse has it.
SLOW_LINE = {
    "offline": False,
    "latency": 150,  # ms
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 750e3 / 8,
}
SLOW_PROCESSOR = 4  # times


def slow_down(page) -> None:
    """Make a page's processor and line those of a slow phone."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_LINE)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_PROCESSOR})


def count_bytes(page) -> dict[str, int]:
    """Counts, from here on, what goes over the wire for a page, under "bytes"."""
    counted = {"bytes": 0}

    def finished(event):
        counted["bytes"] += event["encodedDataLength"]

    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", finished)
    return counted


# Scripts that wait for a first figure's file were there, and have begun.
SCRIPTS_BEGAN = """!document.querySelector("script[data-src]")
  || document.documentElement.dataset.scripts === "here" """
QUIET = """async (pause) => {
  let before = -1, came = 0;
  while (before !== came) {
    before = came;
    await new Promise((later) => setTimeout(later, pause));
    came = performance.getEntriesByType("resource").length;
  }
}"""


def wait_until_quiet(page, pause: int = 500) -> None:
    """Wait until all scripts began, and nothing came for so many of the page's own milliseconds.

    playwright's own "networkidle" may never come where the machine is busy.
    """
    page.wait_for_function(SCRIPTS_BEGAN)
    page.evaluate(QUIET, pause)


def read_to_the_end(page) -> None:
    """Scroll to every figure to play with until it is drawn, and to the page's end."""
    for figure in page.locator("figure.play").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_function("figure => 'drawn' in figure.dataset", arg=figure.element_handle())
    page.keyboard.press("End")
    wait_until_quiet(page)
