// A run that is watched: its state, curves, matches, processes and newest games.

import { ask } from "./api.js";
import { boardSvg } from "./board.js";
import { plot, short } from "./charts.js";

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
    place.addEventListener("click", (event) => {
      const game = event.target.closest("[data-game]"), seat = event.target.closest("[data-seat]");
      if (game) page.replay(this.games, Number(game.dataset.game), "Self-play of the run");
      if (seat) page.play(seat.dataset.seat, this.state);
    });
  }

  show(setup) {
    if (!setup) {
      this.place.innerHTML = `<p class="empty">No run is watched. Start the page with <code>gobang web --run runs/8x8-1</code>.</p>`;
      return;
    }
    if (!this.place.children.length) this.place.innerHTML = `<p class="empty thinking">Looking at ${escape(setup.name)}</p>`;
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
    if (run.error) { this.place.innerHTML = `<p class="empty">The run cannot be read: ${escape(run.error)}</p>`; return; }
    this.state = run;
    this.fetchGames();
    const games = this.place.querySelector("#live-games");
    this.place.innerHTML = head(run) + tiles(run) + plots(run)
      + `<div class="columns">${matches(run)}${parts(run)}</div><section class="card"><div class="cardhead"><h2>Newest games of self-play</h2></div><div id="live-games"></div></section>`;
    if (games) this.place.querySelector("#live-games").replaceWith(games);
    else this.drawGames();
  }

  drawGames() {
    const place = this.place.querySelector("#live-games");
    if (!place) return;
    if (!this.games.length) {
      const isOver = this.state && this.state.state !== "running";
      place.innerHTML = `<p class="hint">${escape(isOver ? "They are shown while the run goes on." : this.trouble || "There are none yet.")}</p>`;
      return;
    }
    place.innerHTML = `<div class="mini">${this.games.map((game, index) =>
      `<button type="button" data-game="${index}" title="Replay it">`
      + `<span class="boardframe">${boardSvg({ width: game.boardXSize, height: game.boardYSize, players: game.players, moves: game.moves }, { row: game.row }, game.event)}</span>`
      + `<small>${escape(game.names[0])} · ${game.moves.length} moves · ${result(game)}</small></button>`).join("")}</div>`;
  }
}

const result = (game) => !game.outcome ? "given up" : game.outcome.winner === null ? "draw" : `${["black", "white", "red", "blue"][game.outcome.winner]} won`;

function head(run) {
  const age = run.age > 30 ? `, last heard of ${duration(run.age)} ago` : "";
  const seats = Object.keys(run.versions).map((which) => `<button type="button" data-seat="run:${which}">Play its ${which} (v${run.versions[which]})</button>`).join("");
  return `<div class="head"><div><h1>${escape(run.name)}</h1><p class="hint">${run.boardXSize} × ${run.boardYSize}, ${run.k} in a row, ${run.rules} · ${escape(run.state)}${age}</p></div><div class="actions">${seats}</div></div>`;
}

function tiles(run) {
  const v = run.values;
  const shown = [
    [duration(v.seconds), v.left ? `since its start, ${duration(v.left)} left` : "since its start"], [short(v.games), "games"], [short(v.positions_per_s), "positions a second"],
    [short(v.step), "training steps"], [v.version === undefined ? "–" : `v${v.version}`, "newest version"], [v.best === undefined ? "–" : `v${v.best}`, "best version"],
    [v.elo === undefined ? "–" : `${Math.round(v.elo)}${v.elo_error ? ` ± ${Math.round(v.elo_error)}` : ""}`, "Elo of the best"], [short(v.ladder), "ladder: simulations of the next rung"],
  ];
  return `<div class="tiles">${shown.filter(([value]) => value !== "–").map(([value, words]) => `<div class="tile"><b>${value}</b><span>${words}</span></div>`).join("")}</div>`;
}

function plots(run) {
  const minutes = (run.curves.seconds || []).map((seconds) => seconds / 60);
  return `<div class="plots">${PLOTS.filter(([, keys]) => keys.some((key) => run.curves[key])).map(([title, keys]) => {
    const series = keys.filter((key) => run.curves[key]).map((key) => ({ label: key, values: run.curves[key] }));
    const legend = series.map((each, index) => `<span class="l${index}" title="${escape(run.labels[each.label] || "")}">${each.label.replaceAll("_", " ")}</span>`).join("");
    return `<section class="card plot"><h2>${title}</h2>${plot(minutes, series)}<p class="legend">${legend}<em class="hint">over minutes</em></p></section>`;
  }).join("")}</div>`;
}

function matches(run) {
  const rows = run.matches.map((each) => {
    const decided = each.wins + each.losses, verdict = each.verdict || "playing";
    return `<tr><td>${each.kind}</td><td>${escape(each.candidate)}</td><td>${escape(each.opponent || "nobody: it is the first")}</td><td class="number">${each.games ? `${each.wins}/${each.draws}/${each.losses}` : "–"}</td>`
      + `<td class="number">${decided ? `${Math.round((100 * each.wins) / decided)} %` : "–"}</td><td>${verdict}</td></tr>`;
  }).join("");
  const table = rows ? `<div class="scroll"><table><thead><tr><th>Match</th><th>Candidate</th><th>Against</th><th class="number">W/D/L</th><th class="number">Decided</th><th>Verdict</th></tr></thead><tbody>${rows}</tbody></table></div>` : `<p class="hint">No match of the judge is known yet.</p>`;
  return `<section class="card"><div class="cardhead"><h2>Gate and ladder</h2></div>${table}</section>`;
}

function parts(run) {
  const rows = run.parts.map((each) => `<tr><td>${escape(each.name)}</td><td>${escape(each.doing)}</td><td>${escape(each.place)}</td></tr>`).join("");
  const table = rows ? `<div class="scroll"><table><thead><tr><th>Process</th><th>Does</th><th>Where</th></tr></thead><tbody>${rows}</tbody></table></div>` : `<p class="hint">No process of the run is known.</p>`;
  return `<section class="card"><div class="cardhead"><h2>Processes</h2></div>${table}</section>`;
}

function duration(seconds) {
  if (seconds === undefined) return "–";
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes % 60)}:${two(Math.floor(seconds % 60))}` : `${minutes}:${two(Math.floor(seconds % 60))}`;
}

function escape(words) {
  return String(words ?? "").replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
}
