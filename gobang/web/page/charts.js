// Curves: the value over a game, and the metrics of a run.

import { svg } from "./board.js";
import { html } from "./dom.js";

const WINS = ["win-black", "win-white", "win-red", "win-blue"];

/** Chances of black, a draw and the others by ply, as areas; `values` maps plies to [black, white, ..., draw]. */
export function valueCurve(values, plies, at) {
  const width = 340, height = 92, most = Math.max(plies, 1);
  const x = (ply) => 3 + (ply / most) * (width - 6);
  const known = Object.keys(values).map(Number).filter((ply) => ply <= plies).sort((a, b) => a - b);
  const area = (low, high) => {
    const steps = known.map((ply, index) => {
      const left = index ? (x(ply) + x(known[index - 1])) / 2 : x(ply) - width / most / 2;
      const right = index < known.length - 1 ? (x(ply) + x(known[index + 1])) / 2 : x(ply) + width / most / 2;
      return [Math.max(0, left), Math.min(width, right), values[ply]];
    });
    return steps.map(([left, right, value]) => {
      const top = (1 - high(value)) * height, bottom = (1 - low(value)) * height;
      return `M${left.toFixed(1)} ${top.toFixed(1)}H${right.toFixed(1)}V${bottom.toFixed(1)}H${left.toFixed(1)}Z`;
    }).join("");
  };
  const players = Math.max(2, ...known.map((ply) => values[ply].length - 1));
  const order = [0, players, ...Array.from({ length: players - 1 }, (_, player) => player + 1)]; // from below, a draw second
  const upTo = (count) => (value) => order.slice(0, count).reduce((sum, index) => sum + (value[index] || 0), 0);
  const areas = order.map((index, place) =>
    svg("path", { class: index === players ? "drawn" : WINS[index], d: area(upTo(place), place === players ? () => 1 : upTo(place + 1)) }));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Chances over the game" },
    svg("rect", { class: "back", width, height }), areas,
    svg("path", { class: "mid", d: `M0 ${height / 2}H${width}` }),
    svg("path", { class: "at", d: `M${x(at).toFixed(1)} 0V${height}` }),
    svg("rect", { class: "frame", x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 7 }));
}

/** A plot of some metrics over minutes: `series` are [{label, values}], where a value may be null. */
export function plot(minutes, series) {
  const width = 380, height = 170, left = 52, right = 10, top = 10, bottom = 24;
  const all = series.flatMap((each) => each.values).filter((value) => value !== null && value !== undefined);
  if (!all.length || minutes.length < 2) return html("p", { class: "hint" }, "not measured yet");
  let low = Math.min(...all), high = Math.max(...all);
  if (high - low < 1e-9) { low -= 0.5 * Math.abs(low) || 0.5; high += 0.5 * Math.abs(high) || 0.5; }
  const first = minutes[0], last = minutes[minutes.length - 1];
  const x = (minute) => left + ((minute - first) / Math.max(last - first, 1e-9)) * (width - left - right);
  const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
  const ticks = niceTicks(low, high), times = niceTicks(first, last);
  const known = (values) => values.map((value, at) => value === null || value === undefined ? "" : `${x(minutes[at]).toFixed(1)},${y(value).toFixed(1)}`);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": series.map((each) => each.label).join(", ") },
    ticks.map((tick) => [svg("path", { class: "axis", d: `M${left} ${y(tick)}H${width - right}` }),
      svg("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick))]),
    times.map((tick) => svg("text", { x: x(tick), y: height - 6, "text-anchor": "middle" }, short(tick))),
    series.map((each, index) => svg("polyline", { class: `s${index}`, points: known(each.values).join(" ") })));
}

function niceTicks(low, high) {
  const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step) ticks.push(Number(tick.toPrecision(6)));
  return ticks;
}

export function short(value) {
  if (value === undefined || value === null) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toPrecision(3)}M`;
  if (size >= 1e4) return `${Math.round(value / 1e3)}k`;
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}
