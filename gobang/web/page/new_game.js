// The dialog for a new game: board, rule, and who sits where.

import { Refused } from "./api.js";
import { fill, html } from "./dom.js";
import { OPENING_HINTS } from "./opening.js";

const byId = (id) => document.getElementById(id);
const OTHER = "other";
const PRESETS = [[15, 5], [8, 5], [6, 4], [5, 4], [19, 5]];
const COLOURS = ["Black", "White", "Red", "Blue"];

let levels = {}; // what each is, by name

export function nameLevels(known) {
  levels = known;
}

/** A seat in words, e.g. "You" or "Network 15x15, 1 s". */
export function seatName(seat) {
  if (seat === "human") return "You";
  if (levels[seat]) return `Computer, ${seat === "max" ? "all it can" : seat}`;
  const network = seat.match(/^net:builtin-(\w+),ms=(\d+)$/);
  if (network) return `Network ${network[1]}, ${network[2] / 1000} s`;
  const run = seat.match(/^run:(\w+)/);
  return run ? `This run's ${run[1]}` : seat;
}

export class NewGame {
  /** `start` gets the settings, and may refuse them. */
  constructor(start) {
    this.start = start;
    this.dialog = byId("new-game");
    byId("new-cancel").addEventListener("click", () => this.dialog.close());
    this.dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    byId("seats").addEventListener("change", (event) => {
      if (event.target.tagName === "SELECT") event.target.nextElementSibling.hidden = event.target.value !== OTHER;
    });
    byId("presets").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) { byId("width").value = byId("height").value = button.dataset.side; byId("k").value = button.dataset.k; this.mark(); }
    });
    byId("count").addEventListener("input", () => { this.showSeats([]); this.mark(); });
    byId("opening").addEventListener("input", () => this.mark());
    for (const id of ["width", "height", "k"]) byId(id).addEventListener("input", () => this.mark());
  }

  open(setup, game) {
    if (!setup || this.dialog.open) return;
    fill(byId("presets"), html("legend", {}, "Board"), PRESETS.map(([side, k]) =>
      html("button", { type: "button", "data-side": side, "data-k": k }, `${side} × ${side}${k === 5 ? "" : `, ${k} in a row`}`)));
    fill(byId("rule"), setup.rules.map((rule) => html("option", {}, rule)));
    fill(byId("opening"), html("option", { value: "" }, "none"), setup.openings.map((opening) => html("option", {}, opening)));
    fill(byId("players-known"), Object.entries(setup.players).map(([name, words]) => html("option", { value: name }, words)));
    if (game) {
      byId("width").value = game.boardXSize; byId("height").value = game.boardYSize;
      byId("k").value = game.k; byId("rule").value = game.rules; byId("count").value = game.players;
      byId("opening").value = game.opening;
    }
    this.setup = setup;
    this.showSeats(game?.seats || []);
    byId("new-error").textContent = "";
    this.mark();
    this.dialog.showModal();
  }

  /** Who sits where, of as many players as the dialog says; where nothing is known a person plays black, the computer all else. */
  showSeats(known) {
    const setup = this.setup, count = Math.min(4, Math.max(2, Number(byId("count").value) || 2));
    const choices = [["human", "You"], ["default", "Computer, all it can in a second"], ...Object.entries(levels).map(([name, words]) => [name, `Computer, ${name === "max" ? "" : `${name}: `}${words}`]), ...runs(setup), [OTHER, "Another player …"]];
    const seats = Array.from({ length: count }, (_, player) => known[player] || (player ? "default" : "human"));
    fill(byId("seats"), seats.map((seat, player) => this.seat(seat, player, choices, setup)));
    byId("seats").querySelectorAll("input").forEach((input) => { input.hidden = input.previousElementSibling.value !== OTHER; });
  }

  seat(seat, player, choices, setup) {
    const known = choices.some(([value]) => value === seat);
    const isDefault = !known && seat.startsWith("net:builtin-") && seat.endsWith(",ms=1000") || setup.fallbacks.includes(seat);
    const value = known ? seat : isDefault ? "default" : OTHER;
    const options = choices.map(([text, words]) => html("option", { value: text, selected: text === value }, words));
    const own = value === OTHER ? seat : "net:builtin-15x15,ms=3000";
    return html("div", { class: "seat" }, html("span", { class: `disc p${player}` }), html("div", { class: "choice" },
      html("select", { "aria-label": COLOURS[player] }, options),
      html("input", { "aria-label": "Text of the player", value: own, list: "players-known", spellcheck: "false" })));
  }

  mark() {
    const isOfTwo = Number(byId("count").value) === 2;
    byId("opening").disabled = !isOfTwo;
    byId("seats").classList.toggle("open", isOfTwo && Boolean(byId("opening").value));
    byId("opening-hint").textContent = (isOfTwo && OPENING_HINTS[byId("opening").value]) || "";
    const side = byId("width").value;
    for (const button of byId("presets").querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(side === button.dataset.side && byId("height").value === side && byId("k").value === button.dataset.k));
  }

  async submit() {
    const seats = [...byId("seats").querySelectorAll(".choice")].map((choice) => {
      const value = choice.querySelector("select").value;
      return value === OTHER ? choice.querySelector("input").value.trim() : value;
    });
    const settings = { opening: seats.length === 2 ? byId("opening").value : "", players: seats.length, boardXSize: Number(byId("width").value), boardYSize: Number(byId("height").value), k: Number(byId("k").value), rules: byId("rule").value, seats };
    try {
      await this.start(settings);
      this.dialog.close();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      byId("new-error").textContent = error.message;
    }
  }
}

function runs(setup) {
  return (setup.run?.seats || []).map((seat) => [seat, `${seatName(seat)} weights (${setup.run.name})`]);
}
