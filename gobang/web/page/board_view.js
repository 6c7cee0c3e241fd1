// The board as something to point at: mouse, finger (a second tap confirms) and keyboard.

import { nameOf, pointAt, sizeOf } from "./board.js";

const isCoarse = () => matchMedia("(pointer: coarse)").matches;

export class BoardView {
  constructor(place, page) {
    this.place = place;
    this.page = page;
    this.cursor = null; // the point that would be played
    this.hasFocus = false; // of the keyboard
    place.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") this.hover(this.pointOf(event)); });
    place.addEventListener("pointerleave", () => { if (!this.hasFocus && !isCoarse()) this.hover(null); });
    place.addEventListener("click", (event) => this.click(this.pointOf(event)));
    place.addEventListener("focus", () => { if (place.matches(":focus-visible")) { this.hasFocus = true; this.hover(this.cursor || this.centre()); } });
    place.addEventListener("blur", () => { if (this.hasFocus) { this.hasFocus = false; this.hover(null); } });
    page.button.addEventListener("click", () => this.play(this.cursor));
    page.drop.addEventListener("click", () => this.hover(null));
  }

  pointOf(event) {
    const box = this.place.querySelector("svg").getBoundingClientRect(), board = this.page.board();
    const scale = sizeOf(board)[0] / box.width;
    return pointAt(board, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
  }

  centre() {
    const board = this.page.board();
    return nameOf(Math.floor(board.width / 2), Math.floor(board.height / 2));
  }

  hover(point) {
    if (point === this.cursor) return;
    this.cursor = point;
    const asks = isCoarse() && point !== null && this.page.mayPlay();
    this.page.confirm.hidden = !asks;
    if (asks) this.page.button.textContent = `Play ${point}`;
    this.page.hover(point);
    this.page.draw();
  }

  /** Ask no more about a point that may not be played now. */
  refresh() {
    if (!this.page.mayPlay()) this.page.confirm.hidden = true;
  }

  click(point) {
    if (point === null) return;
    if (isCoarse() && this.page.mayPlay() && point !== this.cursor) {
      if (!this.page.board().moves.includes(point)) this.hover(point);
      return;
    }
    this.play(point);
  }

  play(point) {
    if (point === null || this.page.board().moves.includes(point)) return;
    if (isCoarse()) this.hover(null);
    this.page.play(point);
  }

  /** Whether a key was meant for the board: arrows move the cursor, Enter plays. */
  takesKey(event) {
    if (document.activeElement !== this.place) return false;
    const board = this.page.board(), point = this.cursor || this.centre();
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) {
      const column = point.charCodeAt(0) - 97 + step[0], row = Number(point.slice(1)) - 1 + step[1];
      this.hasFocus = true;
      if (column >= 0 && column < board.width && row >= 0 && row < board.height) this.hover(nameOf(column, row));
    } else if (event.key === "Enter") {
      this.play(point);
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }
}
