// Keys on the review page: j and i move, a letter chooses the button that bears it. Everything works without them.
"use strict";
const items = Array.from(document.querySelectorAll(".item"));
let place = -1;
function go(to) {
  if (to < 0 || to >= items.length) return;
  place = to;
  items[place].focus();
}
document.addEventListener("keydown", (event) => {
  if (!items.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  if (event.key === "j") go(place + 1);
  else if (event.key === "i") go(place - 1);
  else if (place >= 0 && /^[a-z]$/.test(event.key)) {
    const button = items[place].querySelector(`button[name="key"][value="${event.key}"]`);
    if (button) button.click();
  }
});
