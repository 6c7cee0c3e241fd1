// The board, drawn once for the page and for reports: an SVG element from a position and what is to be marked on it.
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

/** Give an element attributes and children; text is always text, and what is null, undefined, false or empty is left out. */
export function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (![null, undefined, false].includes(value)) element.setAttribute(name, value === true ? "" : value);
  element.append(...children.flat(Infinity).filter((child) => ![null, undefined, false, ""].includes(child)));
  return element;
}

/** An element of a drawing: svg("circle", { r: 4 }). */
export const svg = (name, attributes, ...children) => build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** What gradients and shadows refer to: once for each document. */
export function definitions() {
  const gradient = (id, cx, cy, r, stops) => svg("radialGradient", { id, cx, cy, r }, stops.map(([offset, colour]) => svg("stop", { offset, "stop-color": colour })));
  return svg("svg", { class: "definitions", width: 0, height: 0, "aria-hidden": "true" }, svg("defs", {},
    gradient("black-stone", 0.36, 0.3, 0.75, [[0, "#5b6067"], [0.35, "#2b2e33"], [1, "#0c0d0f"]]),
    gradient("white-stone", 0.36, 0.3, 0.85, [[0, "#ffffff"], [0.6, "#f1efea"], [1, "#cfcbc2"]]),
    gradient("third-stone", 0.36, 0.3, 0.8, [[0, "#ff9d8c"], [0.5, "#d6442e"], [1, "#8c2315"]]),
    gradient("fourth-stone", 0.36, 0.3, 0.8, [[0, "#9fc4ff"], [0.5, "#2f6fd6"], [1, "#173f86"]])));
}

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
  return svg("svg", { class: "board", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    svg("rect", { class: "wood", width, height, rx: 10 }),
    grid(board), names(board), heat(board, marks.shares || {}), forbidden(board, marks.forbidden || []),
    stones(board, marks), threats(board, marks.threats), ranked(board, marks), line(board, marks),
    row(board, marks.row || []), played(board, marks.played), cursor(board, marks));
}

const circle = (kind, x, y, r, more = {}, ...children) => svg("circle", { class: kind, cx: x, cy: y, r, ...more }, ...children);

function grid(board) {
  const right = EDGE + CELL * (board.width - 1), bottom = EDGE + CELL * (board.height - 1);
  let path = "";
  for (let r = 0; r < board.height; r++) path += `M${EDGE} ${EDGE + CELL * r}H${right}`;
  for (let c = 0; c < board.width; c++) path += `M${EDGE + CELL * c} ${EDGE}V${bottom}`;
  return [svg("path", { class: "lines", d: path }), svg("rect", { class: "frame", x: EDGE, y: EDGE, width: right - EDGE, height: bottom - EDGE }), stars(board)];
}

function stars(board) {
  const along = (side) => side % 2 === 0 || side < 9 ? (side % 2 && side > 4 ? [(side - 1) / 2] : [])
    : side < 13 ? [2, (side - 1) / 2, side - 3] : [3, (side - 1) / 2, side - 4];
  return along(board.width).flatMap((c) => along(board.height).map((r) => circle("star", EDGE + CELL * c, EDGE + CELL * r, 4)));
}

function names(board) {
  const [, height] = sizeOf(board), found = [];
  for (let c = 0; c < board.width; c++) found.push(text("edge", EDGE + CELL * c, height - 14, LETTERS[c]));
  for (let r = 0; r < board.height; r++) found.push(text("edge", 14, EDGE + CELL * (board.height - 1 - r), r + 1));
  return found;
}

function heat(board, shares) {
  return Object.entries(shares).map(([point, share]) => {
    const [x, y] = placeOf(board, point), percent = Math.round(100 * share);
    const shade = circle("heat", x, y, 18, { "fill-opacity": (0.1 + 0.8 * Math.sqrt(share)).toFixed(2) }, svg("title", {}, `${point} ${percent} %`));
    return [shade, share >= WORTH_A_NUMBER && text("share", x, y, percent)];
  });
}

function stones(board, marks) {
  const moves = board.moves, count = board.players || 2;
  return moves.map((point, ply) => {
    const [x, y] = placeOf(board, point), player = ply % count, last = ply === moves.length - 1;
    const number = marks.numbers && text(`number p${player}${last ? " last" : ""}`, x, y, ply + 1);
    return [circle("shadow", x + 1.2, y + 2.4, RADIUS), circle(`stone p${player}`, x, y, RADIUS), number || (last && circle(`last p${player}`, x, y, 6))];
  });
}

function forbidden(board, points) {
  return points.map((point) => {
    const [x, y] = placeOf(board, point);
    return svg("path", { class: "forbidden", d: `M${x - 8} ${y - 8}l16 16m0 -16l-16 16` }, svg("title", {}, `${point} is forbidden`));
  });
}

function threats(board, found) {
  if (!found) return [];
  const ring = (kind, point, words) => {
    const [x, y] = placeOf(board, point);
    return svg("rect", { class: `threat ${kind}`, x: x - 17, y: y - 17, width: 34, height: 34, rx: 8 }, svg("title", {}, words));
  };
  return [found.win.slice(0, 1).map((point) => ring("win", point, `${point} wins by force`)),
    found.menace.slice(0, 1).map((point) => ring("menace", point, `${point} would win for the other side`)),
    found.forced && ring("forced", found.forced, `${found.forced} is the only move`)];
}

function ranked(board, marks) {
  return (marks.ranked || []).map((each) => {
    const [x, y] = placeOf(board, each.point);
    const words = each.title ? [text("title", x, y - 4, each.title), text("detail", x, y + 9, each.detail)] : [];
    return svg("g", { class: `ranked${each.best ? " best" : ""}${each.chosen ? " chosen" : ""}`, "data-point": each.point },
      svg("circle", { cx: x, cy: y, r: 18.5, "fill-opacity": (0.35 + 0.6 * each.strength).toFixed(2) }), words);
  });
}

function line(board, marks) {
  const count = board.players || 2;
  return (marks.line || []).map((point, index) => {
    const [x, y] = placeOf(board, point), player = (board.moves.length + index) % count;
    return svg("g", { class: "ghost" }, circle(`stone p${player}`, x, y, RADIUS), text(`number p${player}`, x, y, index + 1));
  });
}

function row(board, points) {
  if (points.length < 2) return [];
  const [x1, y1] = placeOf(board, points[0]), [x2, y2] = placeOf(board, points[points.length - 1]);
  return svg("line", { class: "row", x1, y1, x2, y2 });
}

function played(board, point) {
  return point ? circle("played", ...placeOf(board, point), RADIUS) : [];
}

function cursor(board, marks) {
  if (!marks.cursor) return [];
  const [x, y] = placeOf(board, marks.cursor);
  const ghost = marks.toMove !== undefined && circle(`stone p${marks.toMove}`, x, y, RADIUS);
  return svg("g", { class: "hover" }, ghost, svg("rect", { class: "cursor", x: x - 19, y: y - 19, width: 38, height: 38, rx: 6 }));
}

const text = (kind, x, y, words) => svg("text", { class: kind, x, y }, String(words));

/** Draw every element of a document that carries a board as JSON in `data-board`. */
export function drawAll(root) {
  root.body.prepend(definitions());
  for (const place of root.querySelectorAll("[data-board]")) {
    const { title, marks, ...board } = JSON.parse(place.dataset.board);
    place.replaceChildren(boardSvg(board, marks, title));
  }
}
