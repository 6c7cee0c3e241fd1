// The page: what is shown, what the buttons and keys do.  The server decides what is legal and who wins.

import { ask, Live, Refused } from "./api.js";
import { Analysis } from "./analysis.js";
import { BoardView } from "./board_view.js";
import { boardSvg, definitions } from "./board.js";
import { fill, html } from "./dom.js";
import { NewGame, nameLevels, seatName } from "./new_game.js";
import { choiceButtons, colourWords, deed, isOpening, openingWords } from "./opening.js";
import { RunView } from "./run.js";

const COLOURS = ["Black", "White", "Red", "Blue"];
const byId = (id) => document.getElementById(id);

const page = {
  setup: null,
  game: null, // as the server sent it last
  study: null, // a finished game that is replayed: {…, moves, names, chances}; then no game is shown
  games: [], // of the file that the study is from
  view: null, // number of moves shown; null: all of them
  isConnected: false,
  programs: {},
  playing: null, // timer of a replay
};
window.gobang = page; // for the curious, and for tests

/** The game or the study that is shown: its variant and moves. */
function shown() {
  return page.study || page.game || { boardXSize: 15, boardYSize: 15, k: 5, rules: "freestyle", players: 2, moves: [], seats: [] };
}

function board(moves = shown().moves) {
  const game = shown();
  return { width: game.boardXSize, height: game.boardYSize, players: game.players, moves };
}

const variantOf = (game) => ({ boardXSize: game.boardXSize, boardYSize: game.boardYSize, k: game.k, rules: game.rules, players: game.players });
const plies = () => shown().moves.length;
const ply = () => Math.min(page.view ?? plies(), plies());
const atEnd = () => ply() === plies();
const toMove = () => ply() % shown().players;

const view = new BoardView(byId("board"), {
  board: () => board(shown().moves.slice(0, ply())),
  mayPlay: () => maySetStone(),
  play: (point) => play(point),
  confirm: byId("confirm"), button: byId("confirm-play"), drop: byId("confirm-drop"),
  hover: (point) => analysis.choose(point),
  draw: () => drawBoard(),
});
const analysis = new Analysis({
  send: (message) => live.send(message),
  position: () => ({ ...variantOf(shown()), moves: shown().moves.slice(0, ply()) }),
  game: () => ({ ...variantOf(shown()), moves: shown().moves }),
  isOver: () => atEnd() && Boolean(shown().outcome),
  given: () => page.study?.chances || null,
  hasNetwork: () => !page.setup || page.setup.trained.some((net) => ["k", "rules", "players"].every((each) => net[each] === shown()[each])),
  draw: () => drawBoard(),
  goTo,
});
const newGame = new NewGame(startGame);
const run = new RunView(byId("view-run"), { live: () => live, replay: (games, index, title) => openStudy(games, title, index), play: playRun });
const live = new Live(hear, connection);

function hear(message) {
  if (message.game) takeGame(message.game);
  if (message.answer) analysis.take(message.answer);
  if (message.programs) { page.programs = message.programs; draw(); }
  if (message.run) run.take(message.run);
  if (message.error) analysis.fail(message.error);
}

function connection(isOpen) {
  page.isConnected = isOpen;
  if (isOpen) {
    if (page.game) bringBack();
    if (location.hash === "#run") live.send({ run: true });
    analysis.askAgain();
  }
  draw();
}

/** After the server was away: watch the game again, or give it back to a server that does not know it. */
async function bringBack() {
  live.send({ watch: page.game.id });
  try {
    takeGame(await ask(`/api/games/${page.game.id}`));
  } catch (error) {
    if (error.status !== 404) return;
    const { id, moves, seats, paused, opening, chosen } = page.game;
    try {
      takeGame(await ask("/api/games", { ...variantOf(page.game), id, moves, seats, paused, opening, chosen }), true);
    } catch (again) {
      if (again.status === 409) takeGame(await ask(`/api/games/${id}`), true); // another tab was faster
      else toast(again.message);
    }
    live.send({ watch: id });
  }
}

function takeGame(game, isNew = false) {
  if (page.game && page.game.id === game.id && !isNew && game.revision < page.game.revision) return;
  const grew = page.game && page.game.id === game.id && game.moves.length !== page.game.moves.length;
  page.game = game;
  localStorage.setItem("gobang-game", JSON.stringify(game));
  if (grew && !page.study) page.view = null;
  draw();
  analysis.positionChanged();
}

async function startGame(settings) {
  const game = await ask("/api/games", settings);
  closeStudy();
  page.view = null;
  page.game = null;
  view.hover(null);
  analysis.forget();
  takeGame(game);
  history.replaceState(null, "", `#game/${game.id}`);
  showView();
  live.send({ watch: game.id });
}

/** Whether a person may act now, and so put a stone unless a colour is to be chosen. */
function mayAct() {
  const game = page.game;
  return Boolean(game && !page.study && atEnd() && !game.outcome && page.isConnected && (game.paused || game.seats[game.actor] === "human"));
}
const maySetStone = () => mayAct() && !page.game.choices.length;

async function act(action) {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.message);
  }
}

function play(point) {
  const game = page.game;
  if (!maySetStone()) return explain();
  return act(async () => takeGame(await ask(`/api/games/${game.id}/moves`, { move: point, ply: game.moves.length })));
}

function explain() {
  if (page.study) toast("This is a replay: “Go on from here” makes a game of it.");
  else if (!page.isConnected) toast("The server is gone; the game goes on when it is back.");
  else if (!atEnd()) toast("This is an earlier position: End goes to the last one, Undo back to this one.");
  else if (page.game && !page.game.outcome) toast(mayAct() ? "First a colour is to be chosen." : "It is not your turn.");
}

function undo() {
  const game = page.game;
  if (!game || page.study || !game.moves.length) return;
  // Back to a person's turn; in an opening and where only players play, one move.
  let to = atEnd() ? game.moves.length - 1 : ply();
  if (atEnd() && game.seats.includes("human") && !isOpening(game)) while (to > game.settled && game.seats[to % game.players] !== "human") to -= 1;
  return act(async () => { page.view = null; takeGame(await ask(`/api/games/${game.id}/undo`, { ply: to })); });
}

/** A choice in an opening. */
function choose(choice) {
  return act(async () => takeGame(await ask(`/api/games/${page.game.id}/choice`, { choice })));
}

/** The players change colours. */
function swap() {
  const game = page.game;
  if (game && !page.study && game.players === 2) return act(async () => takeGame(await ask(`/api/games/${game.id}/seats`, { seats: [...game.seats].reverse() })));
}

function pause() {
  const game = page.game;
  if (!game || page.study) { if (page.study) replay(); return; }
  if (!game.outcome) return act(async () => takeGame(await ask(`/api/games/${game.id}/pause`, { paused: !game.paused })));
}

function goTo(number) {
  page.view = number >= plies() ? null : Math.max(0, number);
  draw();
  analysis.positionChanged();
}

// ---- Replay

function openStudy(games, title, index = 0) {
  stopReplay();
  page.games = games.map((game, number) => ({ ...game, title: game.event || `game ${number + 1}` }));
  byId("study-title").textContent = title;
  const list = byId("study-list");
  list.hidden = games.length < 2;
  fill(list, page.games.map((game, number) => html("option", { value: number }, `${game.title}: ${wordsOfPlayers(game)}, ${game.moves.length} moves`)));
  chooseStudy(index);
  location.hash = "#game";
}

function chooseStudy(index) {
  page.study = page.games[index];
  byId("study-list").value = index;
  page.view = page.study.moves.length > 3 && !page.study.outcome ? null : 0;
  analysis.forget();
  draw();
  analysis.positionChanged();
}

function closeStudy() {
  stopReplay();
  page.study = null;
  page.view = null;
  analysis.forget();
  draw();
  analysis.positionChanged();
}

/** A game that stands in the address itself, as reports link to it. */
async function openAddress() {
  const text = decodeURIComponent(location.hash.slice("#sgf=".length));
  await act(async () => openStudy((await ask("/api/records", { text })).games, "From a link"));
}

const wordsOfPlayers = (game) => (game.names || []).map((name, player) => name || COLOURS[player]).join(" v ");

function replay() {
  if (page.playing) return stopReplay();
  if (atEnd()) goTo(0);
  page.playing = setInterval(() => { if (atEnd()) stopReplay(); else goTo(ply() + 1); }, 700);
  draw();
}

function stopReplay() {
  clearInterval(page.playing);
  page.playing = null;
  draw();
}

function goOnFromHere() {
  const study = page.study, moves = study.moves.slice(0, ply());
  const seats = Array(study.players).fill("human");
  if (study.players === 2) seats[1 - (moves.length % 2)] = "default";
  return act(() => startGame({ ...variantOf(study), moves, seats }));
}

async function openFile(file) {
  await act(async () => {
    if (file.size > 4e6) throw new Refused(`${file.name} is too large: at most 4 MB`);
    const { games } = await ask("/api/records", { text: await file.text() });
    openStudy(games, file.name);
  });
}

function save() {
  return act(async () => {
    const game = shown(), names = page.study ? game.names : game.seats.map((seat) => seatName(seat));
    const { sgf } = await ask("/api/sgf", { ...variantOf(game), moves: game.moves, names, comments: analysis.comments() });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
    link.download = "gobang.sgf";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

function playRun(seat, game) {
  return act(() => startGame({ ...variantOf(game), seats: Array.from({ length: game.players }, (_, player) => player ? seat : "human") }));
}

// ---- Drawing

function draw() {
  drawConnection();
  drawPlayers();
  drawStatus();
  drawBoard();
  drawMoves();
  analysis.drawCurve(plies(), ply());
  const game = page.game, study = page.study;
  byId("ply").textContent = `${ply()} / ${plies()}`;
  byId("first").disabled = byId("back").disabled = ply() === 0;
  byId("last").disabled = byId("forward").disabled = atEnd();
  byId("undo").disabled = Boolean(study) || !game || game.moves.length <= game.settled;
  byId("save").disabled = !plies();
  const hasPlayers = game && game.seats.some((seat) => seat !== "human");
  byId("swap").hidden = Boolean(study) || !game || game.players !== 2 || Boolean(game.outcome) || game.seats[0] === game.seats[1] || isOpening(game);
  byId("pause").hidden = Boolean(study) || !hasPlayers || Boolean(game.outcome);
  byId("pause").textContent = game && game.paused ? "Go on" : "Pause";
  drawChoices(mayAct() ? game : null);
  byId("study-card").hidden = !study;
  byId("study-play").textContent = page.playing ? "Stop" : "Play it";
  if (study) byId("study-note").textContent = [wordsOfPlayers(study), study.result, study.comments?.[ply()]].filter(Boolean).join(" · ");
}

let drawnChoices = "";
function drawChoices(game) {
  const place = byId("choices"), key = game ? game.choices.join() : "";
  place.hidden = !key;
  if (key !== drawnChoices) fill(place, game ? choiceButtons(game) : []); // what has the focus keeps it
  drawnChoices = key;
}

function drawConnection() {
  const place = byId("connection"), programs = Object.values(page.programs), gone = programs.find((each) => each.state === "gone");
  const words = !page.isConnected ? (page.setup ? "The server is gone: looking for it again" : "Connecting: the first start on a machine compiles for half a minute")
    : gone ? `The engine is gone (${gone.reason}): starting it again`
    : programs.some((each) => each.state === "starting") ? "The engine is starting" : "";
  place.textContent = words;
  place.classList.toggle("bad", !page.isConnected && Boolean(page.setup) || Boolean(gone));
}

function drawPlayers() {
  const game = shown();
  const names = page.study ? game.names || [] : (game.seats || []).map((seat) => seatName(seat));
  fill(byId("players"), Array.from({ length: game.players }, (_, player) => {
    const opens = !page.study && game.seats.length && isOpening(game);
    const isNext = !game.outcome && (opens ? game.actor : game.moves.length % game.players) === player;
    const thinks = !page.study && game.thinking && isNext;
    const won = game.outcome && game.outcome.winner === player;
    const words = won ? "wins" : thinks ? html("span", { class: "thinking" }, "thinking") : isNext && !page.study && page.game ? (game.paused ? "paused" : opens ? deed(game) : "to move") : opens ? "no colour yet" : COLOURS[player];
    const version = !page.study && game.version && game.seats?.[player]?.startsWith("run:") ? ` · ${game.version}` : "";
    return html("div", { class: `player${isNext && !page.study ? " turn" : ""}` },
      html("span", { class: `disc ${opens ? "open" : `p${player}`}` }),
      html("span", { class: "who" }, html("b", {}, names[player] || COLOURS[player]), html("small", {}, words, version)));
  }));
}

function drawStatus() {
  const place = byId("status"), game = shown();
  let words = "", bad = false;
  if (page.study) words = atEnd() && game.outcome ? resultWords(game) : "";
  else if (!page.game) words = "";
  else if (!page.isConnected && page.setup) { words = "The server is gone. Your game is kept here and goes on when it is back."; bad = true; }
  else if (game.trouble) { words = `The player gave no move: ${game.trouble}. “Go on” asks again.`; bad = true; }
  else if (game.outcome) words = resultWords(game);
  else if (!atEnd()) words = `Move ${ply()} of ${plies()}`;
  else if (page.programs.moves?.state !== "ready" && game.seats[game.actor] !== "human" && !game.paused) words = "The engine is starting; the first time on a machine it compiles for half a minute.";
  else if (game.paused) words = "Paused: you may move for all sides.";
  else if (isOpening(game)) words = mayAct() ? openingWords(game) : "The other side is busy with the opening";
  else if (game.thinking) words = `${colourWords(game)}${COLOURS[game.toMove]} is thinking`;
  else words = colourWords(game) + (game.seats[game.toMove] === "human" ? (game.seats.filter((seat) => seat === "human").length > 1 ? `${COLOURS[game.toMove]} to move` : "Your move") : "");
  place.textContent = words;
  place.classList.toggle("bad", bad);
}

function resultWords(game) {
  if (game.outcome.winner === null) return "A draw.";
  const isYou = game.seats && game.seats.filter((seat) => seat === "human").length === 1 && game.seats[game.outcome.winner] === "human";
  return isYou ? "You win!" : `${COLOURS[game.outcome.winner]} wins.`;
}

function drawBoard() {
  view.refresh();
  const game = shown(), moves = game.moves.slice(0, ply());
  const marks = analysis.marks(moves.length);
  if (atEnd()) marks.row = game.row || [];
  if (!page.study && atEnd() && game.forbidden) marks.forbidden = game.forbidden;
  marks.numbers = byId("show-numbers").checked;
  marks.cursor = view.cursor && !moves.includes(view.cursor) && maySetStone() ? view.cursor : view.hasFocus ? view.cursor : null;
  if (maySetStone()) marks.toMove = toMove();
  fill(byId("board"), boardSvg(board(moves), marks, `${game.boardXSize} by ${game.boardYSize}, ${moves.length} moves: ${moves.slice(-4).join(" ")}`));
  byId("board").classList.toggle("playable", maySetStone());
}

let drawnMoves = "";
function drawMoves() {
  const key = shown().moves.join() + ply();
  if (key === drawnMoves) return;
  drawnMoves = key;
  const list = byId("moves");
  fill(list, shown().moves.map((point, index) => html("li", {},
    html("button", { type: "button", "data-ply": index + 1, "aria-current": index + 1 === ply() && "true" }, html("i", {}, index + 1), point))));
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

let toastTimer;
function toast(words) {
  const place = byId("toast");
  place.textContent = words;
  place.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { place.hidden = true; }, 5000);
}

function showView() {
  if (location.hash.startsWith("#sgf=")) { openAddress(); return; }
  const isRun = location.hash === "#run";
  byId("view-game").hidden = isRun;
  byId("view-run").hidden = !isRun;
  for (const [tab, current] of [["tab-game", !isRun], ["tab-run", isRun]]) byId(tab).toggleAttribute("aria-current", current);
  live.send({ run: isRun });
  if (isRun) run.show(page.setup?.run);
}

// ---- Buttons and keys

const toggle = (id) => () => { byId(id).click(); };
const KEYS = {
  ArrowLeft: () => goTo(ply() - 1), ArrowRight: () => goTo(ply() + 1), Home: () => goTo(0), End: () => goTo(plies()),
  u: undo, n: () => newGame.open(page.setup, page.game), " ": pause, a: toggle("analyse"), p: toggle("show-policy"),
  t: toggle("show-threats"), m: toggle("show-numbers"), w: toggle("pass"), o: () => byId("file").click(), s: save,
  "?": () => byId("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "checkbox") return;
  if (event.target.tagName === "BUTTON" && [" ", "Enter"].includes(event.key)) return;
  if (location.hash === "#run" || view.takesKey(event)) return;
  const action = KEYS[event.key];
  if (action) { event.preventDefault(); action(); }
});

const ON_CLICK = {
  new: KEYS.n, undo, pause, swap, save, open: KEYS.o, pass: () => analysis.searchGame(),
  first: KEYS.Home, back: KEYS.ArrowLeft, forward: KEYS.ArrowRight, last: KEYS.End,
  "study-close": closeStudy, "study-play": replay, "study-continue": goOnFromHere,
  "help-button": KEYS["?"], "help-close": () => byId("help").close(),
};
for (const [id, action] of Object.entries(ON_CLICK)) byId(id).addEventListener("click", () => action());
byId("choices").addEventListener("click", (event) => { const button = event.target.closest("[data-choice]"); if (button) choose(button.dataset.choice); });
byId("moves").addEventListener("click", (event) => { const button = event.target.closest("[data-ply]"); if (button) goTo(Number(button.dataset.ply)); });
byId("study-list").addEventListener("change", (event) => chooseStudy(Number(event.target.value)));
byId("file").addEventListener("change", (event) => { const [file] = event.target.files; if (file) openFile(file); event.target.value = ""; });
for (const id of ["show-numbers", "show-policy", "show-threats"]) byId(id).addEventListener("change", () => { analysis.askAgain(); drawBoard(); });
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => { event.preventDefault(); const [file] = event.dataTransfer.files; if (file) openFile(file); });
window.addEventListener("hashchange", showView);

/** The game that this browser showed last, of an older page perhaps. */
function keptGame() {
  const kept = JSON.parse(localStorage.getItem("gobang-game") || "null");
  return kept && { opening: "", chosen: [], choices: [], settled: 0, actor: kept.toMove, ...kept };
}

async function begin() {
  document.body.prepend(definitions());
  draw();
  page.setup = await ask("/api/setup");
  nameLevels(page.setup.levels);
  const wanted = location.hash.match(/^#game\/(\w+)$/)?.[1];
  const kept = keptGame();
  if (wanted && kept?.id !== wanted) page.game = await ask(`/api/games/${wanted}`).catch(() => null);
  page.game = page.game || kept;
  if (page.game) {
    if (location.hash !== "#run" && !location.hash.startsWith("#sgf=")) history.replaceState(null, "", `#game/${page.game.id}`);
    if (page.isConnected) await bringBack();
  } else if (location.hash !== "#run" && !location.hash.startsWith("#sgf=")) {
    await act(() => startGame({ seats: ["human", "default"] }));
  }
  showView();
  draw();
}
begin().catch((error) => toast(error.message));
