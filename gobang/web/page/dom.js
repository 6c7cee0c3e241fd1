// Builds HTML elements; text is always text, never markup.

import { build } from "./board.js";

/** An element: html("p", { class: "hint" }, "some words", html("b", {}, "more")). */
export const html = (name, attributes, ...children) => build(document.createElement(name), attributes, children);

let pressed = null; // the element on which a pointer went down, until it is up again
const waiting = new Map(); // children to come, by element

/**
 * Replace the children of an element.  Within a press the old ones stay until the pointer is up: a browser fires no click when the
 * element that was pressed is gone.
 */
export function fill(place, ...children) {
  waiting.delete(place);
  if (pressed && place.contains(pressed)) waiting.set(place, children);
  else { place.replaceChildren(); build(place, {}, children); }
}

function release() {
  pressed = null;
  const late = [...waiting];
  waiting.clear();
  for (const [place, children] of late) fill(place, ...children);
}

document.addEventListener("pointerdown", (event) => { pressed = event.target; }, true);
document.addEventListener("pointerup", () => setTimeout(release), true); // after the click, which follows at once
document.addEventListener("pointercancel", release, true);
document.addEventListener("pointermove", (event) => { if (pressed && !event.buttons) release(); }, true); // it went up elsewhere
window.addEventListener("blur", release);
