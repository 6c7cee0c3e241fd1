// A run that is watched: its state, curves, matches, processes and newest games.

import { ask } from "./api.js";
import { boardSvg } from "./board.js";
import { plot, short } from "./charts.js";
import { fill, html } from "./dom.js";

const PLOTS = [
  ["Strength (Elo of the best)", ["elo"]],
  ["Keeps the value of solved positions", ["keeps_value", "keeps_value_policy"]],
  ["Losses", ["loss", "loss_policy", "loss_outcome"]],
  ["Positions per second", ["positions_per_s", "evaluations_per_s"]],
  ["Games per second", ["games_per_s"]],
  ["Score of black in self-play", ["black_score"]],
  ["Length of games", ["game_length"]],
  ["Learning rate", ["learning_rate"]],
  ["Entropy of the policy", ["entropy"]],
];
const GAMES_EVERY = 10000; // milliseconds

export class RunView {
  constructor(place, page) {
    this.place = place;
    this.page = page;
    this.games = [];
    this.asked = 0;
    this.gamesPlace = html("div", { id: "live-games" });
    place.addEventListener("click", (event) => {
      const game = event.target.closest("[data-game]"), seat = event.target.closest("[data-seat]");
      if (game) page.replay(this.games, Number(game.dataset.game), "Self-play of the run");
      if (seat) page.play(seat.dataset.seat, this.state);
    });
  }

  show(setup) {
    if (!setup) {
      fill(this.place, html("p", { class: "empty" }, "No run is watched. Start the page with ", html("code", {}, "gobang web --run runs/8x8-1"), "."));
      return;
    }
    if (!this.place.children.length) fill(this.place, html("p", { class: "empty thinking" }, `Looking at ${setup.name}`));
    this.fetchGames();
  }

  async fetchGames() {
    if (Date.now() - this.asked < GAMES_EVERY) return;
    this.asked = Date.now();
    try {
      this.games = (await ask("/api/run/games")).games;
      this.trouble = "";
    } catch (error) {
      this.trouble = error.message;
    }
    this.drawGames();
  }

  take(run) {
    if (run.error) { fill(this.place, html("p", { class: "empty" }, `The run cannot be read: ${run.error}`)); return; }
    this.state = run;
    this.fetchGames();
    fill(this.place, head(run), tiles(run), plots(run), html("div", { class: "columns" }, matches(run), parts(run)),
      card("Newest games of self-play", this.gamesPlace));
    if (!this.gamesPlace.children.length) this.drawGames();
  }

  drawGames() {
    if (!this.games.length) {
      const isOver = this.state && this.state.state !== "running";
      fill(this.gamesPlace, html("p", { class: "hint" }, isOver ? "They are shown while the run goes on." : this.trouble || "There are none yet."));
      return;
    }
    fill(this.gamesPlace, html("div", { class: "mini" }, this.games.map((game, index) =>
      html("button", { type: "button", "data-game": index, title: "Replay it" },
        html("span", { class: "boardframe" },
          boardSvg({ width: game.boardXSize, height: game.boardYSize, players: game.players, moves: game.moves }, { row: game.row }, game.event)),
        html("small", {}, `${game.names[0]} · ${game.moves.length} moves · ${result(game)}`)))));
  }
}

const card = (title, ...children) => html("section", { class: "card" }, html("div", { class: "cardhead" }, html("h2", {}, title)), children);

const result = (game) => !game.outcome ? "given up" : game.outcome.winner === null ? "draw" : `${["black", "white", "red", "blue"][game.outcome.winner]} won`;

function head(run) {
  const age = run.age > 30 ? `, last heard of ${duration(run.age)} ago` : "";
  const seats = Object.keys(run.versions).map((which) => html("button", { type: "button", "data-seat": `run:${which}` }, `Play its ${which} (v${run.versions[which]})`));
  return html("div", { class: "head" },
    html("div", {}, html("h1", {}, run.name), html("p", { class: "hint" }, `${run.boardXSize} × ${run.boardYSize}, ${run.k} in a row, ${run.rules} · ${run.state}${age}`)),
    html("div", { class: "actions" }, seats));
}

function tiles(run) {
  const v = run.values;
  const shown = [
    [duration(v.seconds), v.left ? `since its start, ${duration(v.left)} left` : "since its start"], [short(v.games), "games"], [short(v.positions_per_s), "positions a second"],
    [short(v.step), "training steps"], [v.version === undefined ? "–" : `v${v.version}`, "newest version"], [v.best === undefined ? "–" : `v${v.best}`, "best version"],
    [v.elo === undefined ? "–" : `${Math.round(v.elo)}${v.elo_error ? ` ± ${Math.round(v.elo_error)}` : ""}`, "Elo of the best"], [short(v.ladder), "ladder: simulations of the next rung"],
  ];
  return html("div", { class: "tiles" }, shown.filter(([value]) => value !== "–").map(([value, words]) =>
    html("div", { class: "tile" }, html("b", {}, value), html("span", {}, words))));
}

function plots(run) {
  const minutes = (run.curves.seconds || []).map((seconds) => seconds / 60);
  return html("div", { class: "plots" }, PLOTS.filter(([, keys]) => keys.some((key) => run.curves[key])).map(([title, keys]) => {
    const series = keys.filter((key) => run.curves[key]).map((key) => ({ label: key, values: run.curves[key] }));
    const legend = series.map((each, index) => html("span", { class: `l${index}`, title: run.labels[each.label] || "" }, each.label.replaceAll("_", " ")));
    return html("section", { class: "card plot" }, html("h2", {}, title), plot(minutes, series),
      html("p", { class: "legend" }, legend, html("em", { class: "hint" }, "over minutes")));
  }));
}

/** A table, or words if it has no rows; numbers stand in the columns from `first` to before `last`. */
function table(heads, rows, otherwise, first = 0, last = 0) {
  const kind = (column) => ({ class: column >= first && column < last && "number" });
  const line = (name) => (cells) => html("tr", {}, cells.map((words, column) => html(name, kind(column), words)));
  if (!rows.length) return html("p", { class: "hint" }, otherwise);
  return html("div", { class: "scroll" }, html("table", {}, html("thead", {}, line("th")(heads)), html("tbody", {}, rows.map(line("td")))));
}

function matches(run) {
  const rows = run.matches.map((each) => {
    const decided = each.wins + each.losses;
    return [each.kind, each.candidate, each.opponent || "nobody: it is the first", each.games ? `${each.wins}/${each.draws}/${each.losses}` : "–",
      decided ? `${Math.round((100 * each.wins) / decided)} %` : "–", each.verdict || "playing"];
  });
  const heads = ["Match", "Candidate", "Against", "W/D/L", "Decided", "Verdict"];
  return card("Gate and ladder", table(heads, rows, "No match of the judge is known yet.", 3, 5));
}

function parts(run) {
  const rows = run.parts.map((each) => [each.name, each.doing, each.place]);
  return card("Processes", table(["Process", "Does", "Where"], rows, "No process of the run is known."));
}

function duration(seconds) {
  if (seconds === undefined) return "–";
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes % 60)}:${two(Math.floor(seconds % 60))}` : `${minutes}:${two(Math.floor(seconds % 60))}`;
}
