// Words and parts light each other: who points at a query, key, value or weight, in a formula or in a
// figure, sees the same in all that is on the screen. The color says which it is, here it says where.
(() => {
  const ROLES = ["query", "key", "value", "weight"];

  /** @type {(selector: string) => NodeListOf<HTMLElement>} */
  const parts = (selector) => document.querySelectorAll(selector);

  /** @param {string} role */
  const places = (role) =>
    `main :is(.${role}, figure [data-role="${role}"], .stage-${role}, .stage-${role}-mark)`;

  /** @param {Element} target */
  const roleOf = (target) => ROLES.find((role) => target.closest?.(places(role)));

  let shown;

  /** @param {string | undefined} role */
  function light(role) {
    if (role === shown) return;
    for (const part of parts("[data-alight]")) delete part.dataset.alight;
    if (role) for (const part of parts(places(role))) part.dataset.alight = role;
    shown = role;
  }

  document.addEventListener("pointerover", ({ target }) => light(roleOf(/** @type {Element} */ (target))));
  document.addEventListener("focusin", ({ target }) => light(roleOf(/** @type {Element} */ (target))));
})();
