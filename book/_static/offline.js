// Keeps the course in the reader's browser, so that its pages open without a connection: on a click
// alone, with its size said first (solve.js asks). What is kept is listed by book/_ext/offline.py.
window.courseOffline = (() => {
  const KEPT = "attention-course-pages";
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
    localStorage.setItem(VERSION, list.version);
    return true;
  }

  return { megabytes, keep };
})();
