// Exercises solved in the page: an editor below the stub, and `check` as in the notebook, by a
// Python that runs in a worker (`book/_solve`, put together by `make/in_page.py`). Nothing of it is
// loaded before a reader asks. What was written is kept in this browser alone, under one key.
window.courseSolving = (() => {
  const KEY = "attention-course-written";
  const SECONDS = 60; // for one check, as in the notebook
  const LATE = "late";
  const NAME = /^(?:def|class) (\w+)/m;
  const NAMES = /^(?:def|class) (\w+)/gm;
  const root = document.documentElement.dataset.content_root ?? "./";
  const base = new URL(`${root}solve/`, location.href).href;
  const chapter = /(\d\d-[\w-]+?)(?:\.html)?$/.exec(location.pathname)?.[1];

  function written() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  }

  function keep(name, change) {
    const known = written();
    known[name] = { ...known[name], ...change };
    try {
      localStorage.setItem(KEY, JSON.stringify(known));
    } catch {
      return; // a browser that keeps nothing: the page works without
    }
  }

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const once = (make) => {
    let made;
    return () => (made ??= make().catch((error) => {
      made = undefined; // the next click tries again
      throw error;
    }));
  };

  // Files named by their content come from the browser's store once they are there; others only
  // where the site cannot be reached.
  const store = () => self.caches?.open(KEY).catch(() => null);
  async function stored(address, fixed = true) {
    const cache = await store();
    const known = await cache?.match(address);
    if (known && fixed) return known;
    const answer = await fetch(address).catch(() => known);
    if (!answer?.ok) throw new Error(`${address} cannot be had.`);
    if (answer !== known) await cache?.put(address, answer.clone()).catch(() => {});
    return answer;
  }

  const json = (address) => stored(address, false).then((answer) => answer.json());
  const manifest = once(() => json(`${base}manifest.json`));
  const notebooks = {};
  const notebookOf = (name) => (notebooks[name] ??= once(() =>
    json(new URL(`${root}student/${name}.ipynb`, location.href).href)))();
  const part = async (name) => (await stored(base + (await manifest()).files[name])).blob();
  const script = async (name) => URL.createObjectURL(await part(name));
  const editing = once(async () => import(await script("editor")));

  async function isHere() {
    const { files } = await manifest();
    return Boolean(await (await store())?.match(base + files.program));
  }

  // One worker for all exercises of a page; it is started anew after one that did not end.
  let worker;
  function python() {
    worker ??= begun();
    return worker.catch((error) => {
      worker = undefined;
      throw error;
    });
  }

  async function begun() {
    const names = ["program", "library", "course"];
    const [address, ...parts] = await Promise.all([script("worker"), ...names.map(part)]);
    const made = new Worker(address);
    await ask(made, { start: Object.fromEntries(names.map((name, i) => [name, parts[i]])) });
    leaveOld().catch(() => {});
    return made;
  }

  /** Take out of the store what an earlier version of the site had. */
  async function leaveOld() {
    const cache = await store();
    const { files } = await manifest();
    const fresh = new Set(Object.values(files).map((name) => base + name));
    for (const { url } of await cache.keys()) {
      if (/-[0-9a-f]{12}\.[\w.]+$/.test(url) && !fresh.has(url)) await cache.delete(url);
    }
  }

  // One request after the other: a reply says not which it answers.
  let last = Promise.resolve();
  function ask(made, message, seconds) {
    const mine = last.then(() => answered(made, message, seconds));
    last = mine.catch(() => {});
    return mine;
  }

  function answered(made, message, seconds) {
    return new Promise((done, fail) => {
      const late = seconds && setTimeout(() => {
        end(made);
        fail(new Error(LATE));
      }, 1000 * seconds);
      const over = (then) => (value) => {
        clearTimeout(late);
        then(value);
      };
      made.onmessage = ({ data }) =>
        data.error ? over(fail)(new Error(data.error)) : over(done)(data.reply);
      made.onerror = (event) => over(fail)(new Error(event.message));
      made.postMessage(message);
    });
  }

  function end(made) {
    made.terminate();
    worker = undefined;
  }

  const source = (cell) => [cell.source].flat().join("");
  const grade = (cell) => cell.metadata.nbgrader ?? {};
  const isExercise = (cell) => Boolean(grade(cell).solution);

  // What the notebook has run when its reader comes to a cell, with what they wrote earlier in
  // place of what is provided; of other cells those that it needs.
  function before(cells, comes, needs = []) {
    const known = written();
    const imports = [];
    const run = [];
    for (const cell of cells) {
      if (cell.cell_type !== "code") continue;
      if (comes(cell)) break;
      if (!cell.metadata.nbgrader) imports.push(source(cell));
      if (!cell.metadata.nbgrader) {
        if (needs.includes(cell.id)) run.push(source(cell));
      } else if (isExercise(cell)) run.push(known[grade(cell).grade_id]?.source ?? source(cell));
      else if (!grade(cell).grade) {
        run.push(source(cell));
        for (const [, provided] of source(cell).matchAll(NAMES)) {
          if (known[provided]?.passed) run.push(known[provided].source);
        }
      }
    }
    return { imports, before: run };
  }

  const isOf = (name) => (cell) => grade(cell).grade_id === name;

  /** What an expression gives with a function that the reader wrote, of whatever chapter. */
  async function compute(name, expression, values) {
    const own = written()[name];
    const { cells } = await notebookOf(own.chapter);
    const request = before(cells, isOf(name));
    request.before.push(own.source);
    return (await reply({ ...request, expression, values }, SECONDS)).value;
  }

  /** What a cell of the chapter prints on the reader's own code. */
  async function demo({ cell: id, needs }) {
    const { cells } = await notebookOf(chapter);
    const comes = (cell) => cell.id === id;
    const request = { ...before(cells, comes, needs), demo: source(cells.find(comes)) };
    return (await reply(request, SECONDS)).printed;
  }

  const reply = async (request, seconds) => ask(await python(), { request }, seconds);

  async function verdict(name, text, seconds) {
    const { cells } = await notebookOf(chapter);
    const request = { exercise: name, ...before(cells, isOf(name)), written: text };
    try {
      return await reply(request, seconds);
    } catch (error) {
      if (error.message !== LATE) throw error;
      return reply({ exercise: name, seconds });
    }
  }

  async function download() {
    const whole = structuredClone(await notebookOf(chapter));
    const known = written();
    for (const cell of whole.cells) {
      const own = isExercise(cell) && known[grade(cell).grade_id]?.source;
      if (own) cell.source = own;
    }
    const file = new Blob([JSON.stringify(whole, null, 1)], { type: "application/x-ipynb+json" });
    const link = element("a", { href: URL.createObjectURL(file), download: `${chapter}.ipynb` });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const CANNOT = "Python cannot be loaded into this page";

  function whyNot() {
    /** @type {HTMLAnchorElement | null} */
    const link = document.querySelector('a[href^="student/"][href$=".ipynb"]');
    const where = link
      ? [" The exercise is in ", element("a", { href: link.href }, "the chapter's notebook"), ", too."]
      : [" The exercise is in the chapter's notebook, too."];
    if (location.protocol !== "file:") {
      return [`${CANNOT}: its files are not on this site, or there is no connection to it.`, ...where];
    }
    const page = location.pathname.split("/").at(-1);
    /** @type {HTMLLinkElement | null} */
    const published = document.querySelector("link[rel=canonical]");
    const online = published ? [element("a", { href: published.href }, "on the web"), ", or "] : [];
    return [
      `${CANNOT}: a browser runs it from a website alone, not from a file. Open it `, ...online,
      "from your own computer: run ", element("code", {}, "python -m http.server"),
      " in this file's folder, then open ", element("code", {}, `http://127.0.0.1:8000/${page}`), ".",
      ...where,
    ];
  }

  function button(words, action) {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", action);
    return made;
  }

  function start(box) {
    const stub = box.querySelector(".exercise-stub");
    const name = NAME.exec(stub.textContent)?.[1];
    if (!name) return;
    const status = element("p", { class: "solve-status", role: "status" });
    const place = element("div", { class: "solve", "data-exercise": name });
    const say = (...words) => status.replaceChildren(...words);
    const open = button("Write it here", () => offer().catch(() => say(...whyNot())));
    open.setAttribute("aria-label", `Write it here: ${name}`);
    place.append(element("div", { class: "live-buttons" }, open), status);
    stub.after(place);
    if (written()[name]?.passed) say("You have solved it.");

    async function offer() {
      const { megabytes } = await manifest();
      if (await isHere()) return write();
      const pages = Math.ceil(await courseOffline.megabytes());
      const yes = button(`Load ${megabytes + pages} MB`, () => write().catch(() => say(...whyNot())));
      const others = pages ? `, and all pages of the course, ${pages} MB` : "";
      say(`Python and an editor are loaded into this page, ${megabytes} MB${others}, once. After ` +
        "that your browser has them, without a connection too. ", yes, " ",
        element("a", { href: `${base}licenses.txt` }, "What they are made of"));
      yes.focus();
    }

    async function write() {
      say("The editor is loaded ...");
      const [{ editor }, { cells }] = await Promise.all([editing(), notebookOf(chapter)]);
      const given = source(cells.find((cell) => grade(cell).grade_id === name));
      const help = element("p", { class: "solve-help", id: `solve-help-${name}` },
        "The Tab key indents. Escape, and then Tab, leaves the editor. Control and Enter check.");
      const paper = element("div", { class: "highlight" });
      const card = element("div", { class: "solve-card", role: "status" });
      const run = button("Check", check);
      const buttons = element("div", { class: "live-buttons" }, run,
        button("Start over", startOver), button("Download the notebook", download));
      place.replaceChildren(paper, help, buttons, status, card);
      const view = editor(paper, written()[name]?.source ?? given, {
        label: `Your code for ${name}`,
        described: help.id,
        changed: (text) => keep(name, { source: text, passed: false }),
        run: check,
      });
      view.focus();
      let checking = false;
      const begun = performance.now();
      say("Python starts ...");
      python().then(async () => {
        const runs = `Python runs (started in ${((performance.now() - begun) / 1000).toFixed(1)} s).`;
        if (!checking) say(runs);
        const kept = await courseOffline.keep().catch(() => false);
        if (status.textContent === runs) {
          say(`${runs} ${kept ? "The course is in your browser, and works without a connection." : ""}`);
        }
      }, () => say(...whyNot()));

      async function check() {
        if (checking) return;
        checking = true;
        run.disabled = true;
        card.replaceChildren();
        say("Checking ...");
        const text = view.state.doc.toString();
        try {
          const seconds = Number(place.dataset.seconds ?? SECONDS);
          const found = await verdict(name, text, seconds);
          card.innerHTML = found.html; // by the autograder, which escapes all that it shows
          if (found.printed) card.append(element("pre", {}, found.printed));
          if (view.state.doc.toString() === text) {
            keep(name, { source: text, passed: found.verdict.passed, chapter });
            document.dispatchEvent(new CustomEvent("course-solving", { detail: name }));
          }
          say("");
        } catch (error) {
          say(`Python stopped (${error.message.split("\n").at(-1)}). What you wrote is kept; the next check starts it anew.`);
          if (worker) end(await worker.catch(() => ({ terminate() {} })));
        }
        checking = false;
        run.disabled = false;
      }

      function startOver() {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: given } });
        view.focus();
      }
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll(".exercise:has(> .exercise-stub)")) start(box);
  });

  const demos = async () => (await manifest()).demos?.[chapter] ?? [];

  return { written, isHere, compute, demo, demos };
})();
