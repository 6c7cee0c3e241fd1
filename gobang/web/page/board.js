// The board, drawn once for the page and for reports: a string of SVG from a position and what is to be marked on it.
//
//   boardSvg({width: 15, height: 15, moves: ["h8", "i9"], players: 2}, {numbers: true})
//
// Colours stand in board.css.  A point is named by column and row from the lower left corner, as "h8".

export const CELL = 40; // from one line to the next
export const EDGE = 42; // from the border to the first line
const RADIUS = 18.4;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const WORTH_A_NUMBER = 0.05; // share from which on it is written out

export function nameOf(column, row) {
  return LETTERS[column] + (row + 1);
}

export function placeOf(board, name) {
  return [EDGE + CELL * LETTERS.indexOf(name[0]), EDGE + CELL * (board.height - Number(name.slice(1)))];
}

/** The point nearest to a place of the drawing, or null beyond half a cell of the lines. */
export function pointAt(board, x, y) {
  const column = Math.round((x - EDGE) / CELL), row = board.height - 1 - Math.round((y - EDGE) / CELL);
  return column >= 0 && column < board.width && row >= 0 && row < board.height ? nameOf(column, row) : null;
}

export function sizeOf(board) {
  return [CELL * (board.width - 1) + 2 * EDGE, CELL * (board.height - 1) + 2 * EDGE];
}

/** What gradients and shadows refer to: once for each document. */
export const DEFINITIONS = `<svg class="definitions" width="0" height="0" aria-hidden="true"><defs>
<radialGradient id="black-stone" cx="0.36" cy="0.3" r="0.75"><stop offset="0" stop-color="#5b6067"/>
<stop offset="0.35" stop-color="#2b2e33"/><stop offset="1" stop-color="#0c0d0f"/></radialGradient>
<radialGradient id="white-stone" cx="0.36" cy="0.3" r="0.85"><stop offset="0" stop-color="#ffffff"/>
<stop offset="0.6" stop-color="#f1efea"/><stop offset="1" stop-color="#cfcbc2"/></radialGradient>
<radialGradient id="third-stone" cx="0.36" cy="0.3" r="0.8"><stop offset="0" stop-color="#ff9d8c"/>
<stop offset="0.5" stop-color="#d6442e"/><stop offset="1" stop-color="#8c2315"/></radialGradient>
<radialGradient id="fourth-stone" cx="0.36" cy="0.3" r="0.8"><stop offset="0" stop-color="#9fc4ff"/>
<stop offset="0.5" stop-color="#2f6fd6"/><stop offset="1" stop-color="#173f86"/></radialGradient>
</defs></svg>`;

/**
 * The SVG element of a board.  Marks, all optional:
 *   numbers     true: the numbers of the moves on their stones
 *   shares      {point: share} as a heat map        played     the point that was played next, ringed
 *   ranked      [{point, title, detail, strength, best}]      line  [points] to come, numbered
 *   row         [points] that won                   forbidden  [points]
 *   threats     {win: [], menace: [], forced: point}          cursor  a point;  toMove  whose ghost stands there
 */
export function boardSvg(board, marks = {}, title = "") {
  const [width, height] = sizeOf(board);
  return [
    `<svg class="board" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">`,
    `<rect class="wood" width="${width}" height="${height}" rx="10"/>`,
    grid(board), names(board), heat(board, marks.shares || {}), forbidden(board, marks.forbidden || []),
    stones(board, marks), threats(board, marks.threats), ranked(board, marks), line(board, marks),
    row(board, marks.row || []), played(board, marks.played), cursor(board, marks), "</svg>",
  ].join("");
}

function grid(board) {
  const right = EDGE + CELL * (board.width - 1), bottom = EDGE + CELL * (board.height - 1);
  let path = "";
  for (let r = 0; r < board.height; r++) path += `M${EDGE} ${EDGE + CELL * r}H${right}`;
  for (let c = 0; c < board.width; c++) path += `M${EDGE + CELL * c} ${EDGE}V${bottom}`;
  const frame = `<rect class="frame" x="${EDGE}" y="${EDGE}" width="${right - EDGE}" height="${bottom - EDGE}"/>`;
  return `<path class="lines" d="${path}"/>${frame}${stars(board)}`;
}

function stars(board) {
  const along = (side) => side % 2 === 0 || side < 9 ? (side % 2 && side > 4 ? [(side - 1) / 2] : [])
    : side < 13 ? [2, (side - 1) / 2, side - 3] : [3, (side - 1) / 2, side - 4];
  let dots = "";
  for (const c of along(board.width)) for (const r of along(board.height))
    dots += `<circle class="star" cx="${EDGE + CELL * c}" cy="${EDGE + CELL * r}" r="4"/>`;
  return dots;
}

function names(board) {
  const [, height] = sizeOf(board);
  let found = "";
  for (let c = 0; c < board.width; c++) found += text("edge", EDGE + CELL * c, height - 14, LETTERS[c]);
  for (let r = 0; r < board.height; r++) found += text("edge", 14, EDGE + CELL * (board.height - 1 - r), r + 1);
  return found;
}

function heat(board, shares) {
  return Object.entries(shares).map(([point, share]) => {
    const [x, y] = placeOf(board, point);
    const shade = `<circle class="heat" cx="${x}" cy="${y}" r="18" fill-opacity="${(0.1 + 0.8 * Math.sqrt(share)).toFixed(2)}">`
      + `<title>${point} ${Math.round(100 * share)} %</title></circle>`;
    return shade + (share >= WORTH_A_NUMBER ? text("share", x, y, Math.round(100 * share)) : "");
  }).join("");
}

function stones(board, marks) {
  const moves = board.moves, count = board.players || 2;
  return moves.map((point, ply) => {
    const [x, y] = placeOf(board, point), player = ply % count, last = ply === moves.length - 1;
    const shadow = `<circle class="shadow" cx="${x + 1.2}" cy="${y + 2.4}" r="${RADIUS}"/>`;
    const stone = `<circle class="stone p${player}" cx="${x}" cy="${y}" r="${RADIUS}"/>`;
    if (marks.numbers) return shadow + stone + text(`number p${player}${last ? " last" : ""}`, x, y, ply + 1);
    return shadow + stone + (last ? `<circle class="last p${player}" cx="${x}" cy="${y}" r="6"/>` : "");
  }).join("");
}

function forbidden(board, points) {
  return points.map((point) => {
    const [x, y] = placeOf(board, point);
    return `<path class="forbidden" d="M${x - 8} ${y - 8}l16 16m0 -16l-16 16"><title>${point} is forbidden</title></path>`;
  }).join("");
}

function threats(board, found) {
  if (!found) return "";
  const ring = (kind, point, words) => {
    const [x, y] = placeOf(board, point);
    return `<rect class="threat ${kind}" x="${x - 17}" y="${y - 17}" width="34" height="34" rx="8"><title>${words}</title></rect>`;
  };
  return found.win.slice(0, 1).map((point) => ring("win", point, `${point} wins by force`)).join("")
    + found.menace.slice(0, 1).map((point) => ring("menace", point, `${point} would win for the other side`)).join("")
    + (found.forced ? ring("forced", found.forced, `${found.forced} is the only move`) : "");
}

function ranked(board, marks) {
  return (marks.ranked || []).map((each) => {
    const [x, y] = placeOf(board, each.point);
    const kind = `ranked${each.best ? " best" : ""}${each.chosen ? " chosen" : ""}`;
    const words = `<text class="title" x="${x}" y="${y - 4}">${each.title}</text><text class="detail" x="${x}" y="${y + 9}">${each.detail}</text>`;
    return `<g class="${kind}" data-point="${each.point}"><circle cx="${x}" cy="${y}" r="18.5" `
      + `fill-opacity="${(0.35 + 0.6 * each.strength).toFixed(2)}"/>${each.title ? words : ""}</g>`;
  }).join("");
}

function line(board, marks) {
  const count = board.players || 2;
  return (marks.line || []).map((point, index) => {
    const [x, y] = placeOf(board, point), player = (board.moves.length + index) % count;
    return `<g class="ghost"><circle class="stone p${player}" cx="${x}" cy="${y}" r="${RADIUS}"/>`
      + text(`number p${player}`, x, y, index + 1) + "</g>";
  }).join("");
}

function row(board, points) {
  if (points.length < 2) return "";
  const [x1, y1] = placeOf(board, points[0]), [x2, y2] = placeOf(board, points[points.length - 1]);
  return `<line class="row" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

function played(board, point) {
  if (!point) return "";
  const [x, y] = placeOf(board, point);
  return `<circle class="played" cx="${x}" cy="${y}" r="${RADIUS}"/>`;
}

function cursor(board, marks) {
  if (!marks.cursor) return "";
  const [x, y] = placeOf(board, marks.cursor);
  const ghost = marks.toMove === undefined ? "" : `<circle class="stone p${marks.toMove}" cx="${x}" cy="${y}" r="${RADIUS}"/>`;
  return `<g class="hover">${ghost}<rect class="cursor" x="${x - 19}" y="${y - 19}" width="38" height="38" rx="6"/></g>`;
}

function text(kind, x, y, words) {
  return `<text class="${kind}" x="${x}" y="${y}">${words}</text>`;
}

function escape(words) {
  return String(words).replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
}

/** Draw every element of a document that carries a board as JSON in `data-board`. */
export function drawAll(root) {
  root.body.insertAdjacentHTML("afterbegin", DEFINITIONS);
  for (const place of root.querySelectorAll("[data-board]")) {
    const { title, marks, ...board } = JSON.parse(place.dataset.board);
    place.innerHTML = boardSvg(board, marks, title);
  }
}
