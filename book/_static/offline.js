// Keeps the course in the reader's browser, so that its pages open without a connection: on a click
// alone, with its size said first (solve.js asks). What is kept is listed by book/_ext/offline.py.
window.courseOffline = (() => {
  const KEPT = "attention-course-pages";
  const CACHES = [KEPT, "attention-course-written"]; // the second has what solve.js loads
  const VERSION = "attention-course-pages-version";
  const AT_ONCE = 8; // requests on their way
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const CHAPTER = /^(\d\d-[\w-]+)\.html$/;

  const listed = () => fetch(`${root}offline.json`).then((answer) => answer.json());

  /** Megabytes that will be loaded; none where they cannot be. */
  async function megabytes() {
    if (!navigator.serviceWorker || !self.caches) return 0;
    return listed().then((list) => list.megabytes, () => 0);
  }

  function version() {
    try {
      return localStorage.getItem(VERSION);
    } catch {
      return null;
    }
  }

  /** Keep all pages, what they load, and the chapters' notebooks; what is kept already stays. */
  async function keep() {
    if (!navigator.serviceWorker || !self.caches) return false;
    const list = await listed().catch(() => null);
    if (!list) return Boolean(version()); // no connection: what there is must do
    await navigator.serviceWorker.register(`${root}offline-worker.js`);
    if (version() === list.version) return true;
    const cache = await caches.open(KEPT);
    const notebooks = list.addresses
      .map((address) => CHAPTER.exec(address)?.[1])
      .filter(Boolean)
      .map((chapter) => `student/${chapter}.ipynb`);
    const left = [...list.addresses, ...notebooks];
    const wanted = new Set(left.map((address) => root + address));
    let missed = 0;
    async function next() {
      for (let address = left.pop(); address; address = left.pop()) {
        const answer = await fetch(root + address).catch(() => null);
        if (answer?.status === 200) await cache.put(root + address, answer);
        else if (!answer) missed += 1; // and not one that the site does not have
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    if (missed) return false;
    for (const { url } of await cache.keys()) {
      if (!wanted.has(url) && !url.includes("/models/")) await cache.delete(url);
    }
    localStorage.setItem(VERSION, list.version);
    return true;
  }

  /** Take out of the browser what was loaded into it: pages and Python. */
  async function forget(registration) {
    await registration.unregister();
    await Promise.all(CACHES.map((name) => caches.delete(name)));
    localStorage.removeItem(VERSION);
  }

  async function offerToForget() {
    const page = document.querySelector(".progress-page");
    const registration = page && (await navigator.serviceWorker?.getRegistration(root));
    if (!registration) return;
    const { element } = courseProgress;
    const button = element("button", { type: "button", class: "progress-clear" },
      "Remove Python and the pages kept for when there is no connection");
    const said = element("p", { "aria-live": "polite" });
    button.addEventListener("click", async () => {
      await forget(registration);
      said.textContent = "Removed. The code that you wrote is kept.";
    });
    page.append(button, said);
  }

  document.addEventListener("DOMContentLoaded", offerToForget);

  return { megabytes, keep };
})();
