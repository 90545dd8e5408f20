// Without a connection, pages come from what the browser keeps of the course (`_static/offline.js`).
// With one, all comes from the site as ever, and what is kept becomes what was seen last.
const KEPT = "attention-course-pages";
const KINDS = ["document", "font", "image", "script", "style"];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope)) event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  try {
    const fresh = await fetch(request);
    if (fresh.status === 200 && KINDS.includes(request.destination)) {
      const copy = fresh.clone();
      event.waitUntil(caches.open(KEPT).then((cache) => cache.put(request, copy)).catch(() => {}));
    }
    return fresh;
  } catch (error) {
    const known = await kept(request.url);
    if (known) return known;
    throw error;
  }
}

/** The page's own address first; then without what follows a question mark; then a folder's page. */
async function kept(url) {
  const whole = url.endsWith("/") ? `${url}index.html` : url;
  return (await caches.match(whole)) ?? caches.match(whole, { ignoreSearch: true });
}
