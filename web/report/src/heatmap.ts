// Regret of each policy in each situation: a table whose cells are coloured, so that it can be read
// aloud, too. Numbers are in the cells where they fit, else in the line below the pointer or focus.
import { ContestData, Policy, Score } from "./data";
import { h, regretText, scroller, timeText } from "./dom";
import { heat, heatScale, kHeatEnd, onTheme } from "./theme";

const kFewSituations = 14;

export function sideMark(policy: Policy): HTMLElement {
  const what = { ours: "ours", peer: "peer", bound: "bound" }[policy.side];
  return h("span", { class: `side ${policy.side}` }, what);
}

function paint(cell: HTMLElement, regret: number | null): void {
  const { ground, text } = heat(regret);
  cell.style.background = ground;
  cell.style.color = text;
}

function told(score: Score, situation: string): string {
  const time = timeText(score.p99_s);
  return `${score.policy} in ${situation}: regret ${regretText(score.regret)}, p99 ${time}`;
}

export function heatmap(data: ContestData, order: Policy[], choose: (situation: number) => void): HTMLElement {
  const { situations } = data.result;
  const few = situations.length <= kFewSituations;
  const line = h("p", { class: "told", "aria-live": "polite" }, "Point at a cell to read it.");
  const head = h("tr", {}, h("th", { scope: "col" }, "policy"));
  situations.forEach((one, i) => {
    const words = h("span", {}, one.situation);
    const button = h("button", { type: "button", title: `${one.situation}: ${one.about}`, click: () => choose(i) }, words);
    head.append(h("th", { scope: "col", class: "turned" }, button));
  });
  const body = h("tbody");
  for (const policy of order) {
    const name = h("th", { scope: "row", title: policy.about }, h("span", { class: "name" }, policy.name), sideMark(policy));
    const row = h("tr", { class: policy.side }, name);
    for (const one of situations) {
      const score = one.scores.find((s) => s.policy === policy.name)!;
      const words = told(score, one.situation);
      const cell = h("td", { title: words, mouseenter: () => (line.textContent = words) });
      if (few) cell.append(regretText(score.regret));
      else cell.append(h("span", { class: "unseen" }, regretText(score.regret)));
      paint(cell, score.regret);
      onTheme(() => paint(cell, score.regret));
      row.append(cell);
    }
    body.append(row);
  }
  const scale = h("span", { class: "scale", role: "img", "aria-label": "from green, regret 1, to red, regret 100" });
  const paintScale = () => (scale.style.background = heatScale());
  paintScale();
  onTheme(paintScale);
  const key = h("p", { class: "key" }, "regret 1 ", scale, ` ${kHeatEnd} and more, or never finished`);
  const table = h("table", { class: few ? "heat few" : "heat" }, h("thead", {}, head), body);
  // As wide as the page allows, and wide enough for a pointer.
  table.style.setProperty("--cell", `${Math.max(11, Math.min(22, Math.floor(900 / situations.length)))}px`);
  return h("div", {}, key, scroller("regret by policy and situation", table), line);
}
