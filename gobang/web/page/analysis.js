// Live analysis: asks for the position that is shown, marks the answers on the board, keeps the chances of all plies.

import { svg } from "./board.js";
import { valueCurve } from "./charts.js";
import { fill, html } from "./dom.js";

const LIVE_VISITS = 100000, PASS_VISITS = 200, MOST_MOVES = 8, MARKED = 6;
const FEW_VISITS = 0.01; // of those of the best: a move below is a small point without words
const byId = (id) => document.getElementById(id);
const percent = (share) => (100 * share).toFixed(share > 0.995 || share < 0.005 ? 0 : 1);

export class Analysis {
  constructor(page) {
    this.page = page;
    this.number = 0; // of the question, so that late answers to others are known
    this.asked = ""; // the question under way
    this.answer = null; // the newest to it
    this.chosen = null; // move whose line is shown
    this.values = {}; // by ply: chances of all players and a draw
    this.line = ""; // the moves that the values belong to
    this.passing = 0; // positions of the whole game that are still searched
    byId("analyse").addEventListener("change", () => this.askAgain());
    byId("analysis").addEventListener("pointerover", (event) => this.choose(event.target.closest("tr[data-point]")?.dataset.point || null));
    byId("analysis").addEventListener("pointerleave", () => this.choose(null));
    byId("curve").addEventListener("click", (event) => {
      const box = byId("curve").getBoundingClientRect();
      page.goTo(Math.round(((event.clientX - box.left) / box.width) * Math.max(page.game().moves.length, 1)));
    });
  }

  get isOn() { return byId("analyse").checked; }
  get needsAnswer() { return this.isOn || byId("show-policy").checked; }

  forget() { this.values = {}; this.line = ""; this.answer = null; this.passing = 0; }

  /** Ask about what is shown now, and end the question before. */
  askAgain() {
    if (this.asked) this.page.send({ stop: this.asked });
    this.asked = "";
    this.answer = null;
    if (this.needsAnswer && !this.page.isOver()) {
      this.asked = `live${(this.number += 1)}`;
      this.page.send({ analyse: {
        ...this.page.position(), id: this.asked, maxVisits: this.isOn ? LIVE_VISITS : 1, mostMoves: MOST_MOVES, reportDuringSearchEvery: 0.2,
        includePolicy: true, includeThreats: true, priority: 1 } });
    }
    this.show();
    this.page.draw();
  }

  positionChanged() {
    const moves = this.page.game().moves.join();
    if (!moves.startsWith(this.line) && !this.line.startsWith(moves)) this.values = {};
    this.line = moves;
    const given = this.page.given();
    if (given) given.forEach((chances, index) => { this.values[index] ??= chances; });
    this.askAgain();
    this.drawCurve(this.page.game().moves.length, this.page.position().moves.length);
  }

  /** A short search of every position of the game, for the curve. */
  searchGame() {
    const game = this.page.game();
    const turns = game.moves.map((_, index) => index).concat([game.moves.length]);
    this.passing = turns.length;
    this.page.send({ analyse: { ...game, id: "pass", analyzeTurns: turns, maxVisits: PASS_VISITS, mostMoves: 1, player: "" } });
    this.show();
  }

  take(answer) {
    if (answer.error) return this.fail(answer.error);
    if (answer.id === "pass") { this.passing = Math.max(0, this.passing - 1); this.values[answer.turnNumber] = answer.rootInfo.chances; }
    else if (answer.id === this.asked) {
      this.answer = answer;
      if (this.isOn) this.values[answer.turnNumber] = answer.rootInfo.chances;
    } else return;
    this.show();
    this.page.draw();
    this.drawCurve(this.page.game().moves.length, this.page.position().moves.length);
  }

  fail(reason) {
    fill(byId("analysis"), html("p", { class: "error" }, `No analysis: ${reason}`));
  }

  choose(point) {
    if (point === this.chosen) return;
    this.chosen = point;
    for (const row of document.querySelectorAll(".ranked tr[data-point]")) row.classList.toggle("chosen", row.dataset.point === point);
    this.showLine();
    this.page.draw();
  }

  /** What the board is to show of the position after so many moves. */
  marks(ply) {
    const answer = this.answer, marks = {};
    if (!answer || answer.turnNumber !== ply) return marks;
    const infos = answer.moveInfos.slice(0, MARKED), most = Math.max(1, ...infos.map((info) => info.visits));
    if (byId("show-policy").checked && answer.policy) marks.shares = this.shares(answer);
    else if (this.isOn) {
      marks.ranked = infos.map((info) => ({
        point: info.move, best: info.order === 0, strength: info.visits / most, chosen: info.move === this.chosen,
        title: info.visits >= FEW_VISITS * most ? Math.round(100 * info.winrate) : "", detail: visitWords(info) }));
      const info = infos.find((each) => each.move === this.chosen);
      if (info) { marks.line = info.pv.slice(0, 12); marks.ranked = []; }
    }
    if (byId("show-threats").checked && this.isOn) marks.threats = answer.threats;
    return marks;
  }

  shares(answer) {
    const { boardXSize: width, boardYSize: height } = this.page.position();
    const found = {};
    answer.policy.forEach((share, index) => {
      if (share > 0.004) found["abcdefghijklmnopqrstuvwxyz"[index % width] + (height - Math.floor(index / width))] = share;
    });
    return found;
  }

  show() {
    const place = byId("analysis"), answer = this.answer;
    byId("pass").textContent = this.passing ? `${this.passing} left` : "Whole game";
    const hint = (words, kind = "hint") => fill(place, html("p", { class: kind }, words));
    if (!this.isOn) {
      const knows = this.page.hasNetwork();
      return hint(`Off. Switch it on to see what ${knows ? "the network" : "a search by random games"} thinks${knows ? "" : ": no network of the package knows this game"}.`);
    }
    if (this.page.isOver()) return hint("The game is over; go back to look at its positions.");
    if (!answer) return hint("Searching", "hint thinking");
    const { winrate, drawrate, visits, chances, proven } = answer.rootInfo;
    const loss = Math.max(0, 1 - winrate - drawrate), mover = answer.turnNumber % this.page.game().players;
    const colour = ["Black", "White", "Red", "Blue"][mover];
    fill(place,
      html("p", { class: "summary" },
        html("span", {}, `${colour}: win ${percent(winrate)} · draw ${percent(drawrate)} · loss ${percent(loss)} %${proven ? ` (proven ${proven})` : ""}`),
        html("span", {}, visits.toLocaleString("en"))),
      bar(chances),
      html("table", { class: "ranked" },
        html("thead", {}, html("tr", {}, ["Move", "Win %", "Draw %", "Visits", "Prior %"].map((words) => html("th", {}, words)))),
        html("tbody", {}, answer.moveInfos.map((info) => this.row(info)))),
      html("p", { class: "line", id: "line" }, this.lineWords()),
      this.threatWords(answer.threats));
  }

  row(info) {
    const cells = [info.move, info.proven ? info.proven : percent(info.winrate), percent(info.drawrate), info.visits.toLocaleString("en"), percent(info.prior)];
    return html("tr", { "data-point": info.move, class: `${info.order ? "" : "best"}${info.move === this.chosen ? " chosen" : ""}` },
      cells.map((words) => html("td", {}, words)));
  }

  showLine() {
    const place = byId("line");
    if (place && this.answer?.moveInfos.length) place.textContent = this.lineWords();
  }

  lineWords() {
    const infos = this.answer.moveInfos, info = infos.find((each) => each.move === this.chosen) || infos[0];
    return info ? `Line: ${info.pv.slice(0, 14).join(" ")}` : "";
  }

  threatWords(threats) {
    if (!threats || !byId("show-threats").checked) return null;
    const words = threats.win.length ? `wins by force: ${threats.win.join(" ")}` : threats.isLost ? "lost: there are two points to block"
      : threats.forced ? `only ${threats.forced} does not lose at once` : threats.menace.length ? `the other side threatens ${threats.menace.join(" ")}` : "";
    return words && html("p", { class: "threatwords" }, `Solver: ${words}`);
  }

  drawCurve(plies, at) {
    fill(byId("curve"), valueCurve(this.values, plies, at));
  }

  /** What is known of each ply, for the comments of a file. */
  comments() {
    const found = {};
    for (const [ply, chances] of Object.entries(this.values))
      if (chances.length === 3) found[ply] = `black wins ${percent(chances[0])} %, white wins ${percent(chances[1])} %, draw ${percent(chances[2])} %`;
    return found;
  }
}

function visitWords(info) {
  if (info.proven) return info.proven;
  return info.visits >= 10000 ? `${Math.round(info.visits / 1000)}k` : info.visits;
}

function bar(chances) {
  if (chances.length !== 3) return null;
  const [black, white, draw] = chances.map((share) => Math.round(1000 * share) / 10);
  const part = (kind, x, width) => svg("rect", { class: kind, x, width, height: 4 });
  return svg("svg", { class: "bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", role: "img", "aria-label": `black ${black} %, draw ${draw} %, white ${white} %` },
    part("win-black", 0, black), part("drawn", black, draw), part("win-white", black + draw, white));
}
