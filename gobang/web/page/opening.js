// The openings swap and swap2: what is to be done, in words and as buttons.  The server knows the rules.

import { html } from "./dom.js";

const FIRST_STONES = 3, ALL_STONES = 5;
const WORDS = { black: "Take black", white: "Take white", two: "Put two more stones" };

export const OPENING_HINTS = {
  swap: "The first side puts black, white and black; the second takes a colour.",
  swap2: "The first side puts black, white and black; the second takes a colour, or puts white and black and leaves the choice to the first.",
};

/** Whether nobody has a colour yet. */
export function isOpening(game) {
  return Boolean(game.opening) && ["two", undefined].includes(game.chosen.at(-1));
}

/** What the side does whose turn it is in an opening. */
export function deed(game) {
  return game.choices.length ? "to choose" : "to put stones";
}

/** What a person is to do in an opening. */
export function openingWords(game) {
  if (game.choices.length) return "Which colour do you take?";
  const left = (game.chosen.length ? ALL_STONES : FIRST_STONES) - game.moves.length;
  return `Opening: put ${left === 1 ? "one stone" : `${left} stones`}${left > 1 ? ", in turn" : ""}, now a ${game.toMove ? "white" : "black"} one`;
}

/** The colour that a person has got, as long as nothing was played with it. */
export function colourWords(game) {
  const isNew = game.opening && !isOpening(game) && game.moves.length === game.settled;
  const yours = game.seats.filter((seat) => seat === "human").length === 1;
  return isNew && yours ? `You have ${game.seats[0] === "human" ? "black" : "white"}. ` : "";
}

export function choiceButtons(game) {
  return game.choices.map((choice) => html("button", { type: "button", class: "main", "data-choice": choice }, WORDS[choice]));
}
