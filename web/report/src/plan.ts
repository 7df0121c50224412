// The page of `lab plan`: the answer of each policy, and p99 over the number of endpoints beside the
// goal.
import { chart, Curve } from "./chart";
import { PlanAnswer, PlanData, PlanPoint } from "./data";
import { figure, figureText, h, scroller, timeText } from "./dom";
import { css, curveColour } from "./theme";

function answerText(answer: PlanAnswer, most: number): string {
  if (answer.endpoints == null) return `more than ${most}`;
  return answer.perhaps === answer.endpoints ? `${answer.endpoints}` : `${answer.endpoints} (${answer.perhaps} may do)`;
}

// Where the whole interval is on one side of the goal, it is told.
function verdict(point: PlanPoint, goal: number): { text: string; class: string } {
  const { p99_s, p99_half_width_s } = point;
  if (p99_s == null || p99_half_width_s == null) return { text: "never settles", class: "off" };
  if (p99_s + p99_half_width_s <= goal) return { text: "enough", class: "good" };
  if (p99_s - p99_half_width_s <= goal) return { text: "may do", class: "" };
  return { text: "too few", class: "off" };
}

const cells = (texts: string[]) => texts.map((text) => h("td", {}, text));
const titles = (...texts: string[]) => h("thead", {}, h("tr", {}, ...texts.map((text) => h("th", { scope: "col" }, text))));

function answers(data: PlanData): HTMLElement {
  const rows = data.result.answers.map((answer) => {
    const at = answer.points.find((point) => point.endpoints === answer.endpoints);
    const figures = [answerText(answer, data.most), at ? at.load.toFixed(2) : "-",
      at ? `${timeText(at.p99_s)} \u00b1 ${timeText(at.p99_half_width_s)}` : "-", at ? timeText(at.mean_s) : "-"];
    return h("tr", {}, h("th", { scope: "row" }, answer.policy), ...cells(figures));
  });
  return scroller("endpoints that each policy needs",
    h("table", { class: "figures" }, titles("policy", "endpoints", "load", "p99", "mean"), h("tbody", {}, ...rows)));
}

function curve(data: PlanData): HTMLElement {
  const { p99_s: goal, answers: all } = data.result;
  const known = (point: PlanPoint) => point.p99_s != null;
  const xs = [...new Set(all.flatMap((answer) => answer.points.filter(known).map((point) => point.endpoints)))].sort((a, b) => a - b);
  const curves: Curve[] = all.map((answer, i) => {
    const at = new Map(answer.points.map((point) => [point.endpoints, point]));
    return {
      name: answer.policy,
      y: xs.map((x) => at.get(x)?.p99_s ?? null),
      colour: () => curveColour(i),
      marks: "too",
      errors: xs.map((x) => {
        const point = at.get(x);
        if (point?.p99_s == null || point.p99_half_width_s == null) return null;
        // A log axis has no zero.
        return [Math.max(point.p99_s / 1e3, point.p99_s - point.p99_half_width_s), point.p99_s + point.p99_half_width_s];
      }),
    };
  });
  curves.push({ name: `limit ${timeText(goal)}`, y: xs.map(() => goal), colour: () => css("--text"), dashed: true });
  // The bars are in the picture, but for the ends of those that say nothing.
  const ends = [goal, ...all.flatMap((answer) => answer.points.filter(known)).flatMap((point) => {
    const [p99, half] = [point.p99_s!, point.p99_half_width_s ?? 0];
    return [Math.max(p99 / 3, p99 - half), Math.min(p99 * 3, p99 + half)];
  })];
  const [least, most] = [xs[0] ?? 0, xs[xs.length - 1] ?? 1];
  const room = Math.max(1, (most - least) * 0.04);
  return chart({
    alt: `p99 over endpoints for ${all.map((answer) => answer.policy).join(", ")}; the limit is ${timeText(goal)}`,
    x: xs,
    curves,
    xScale: { name: "endpoints", text: (v) => (Number.isInteger(v) ? figureText(v) : ""), range: [least - room, most + room] },
    yScale: { name: "p99 of a call", text: timeText, log: true, range: [Math.min(...ends) / 1.1, Math.max(...ends) * 1.1] },
  });
}

function points(data: PlanData): HTMLElement {
  const { p99_s: goal, answers: all } = data.result;
  const rows = all.flatMap((answer) =>
    answer.points.map((point) => {
      const told = verdict(point, goal);
      const row = h("tr", {}, h("th", { scope: "row" }, answer.policy),
        ...cells([String(point.endpoints), point.load.toFixed(2), timeText(point.p99_s), timeText(point.p99_half_width_s), timeText(point.mean_s)]));
      row.append(h("td", { class: told.class }, told.text));
      return row;
    }),
  );
  return scroller("all numbers of endpoints that were looked at",
    h("table", { class: "figures" }, titles("policy", "endpoints", "load", "p99", "\u00b1", "mean", "verdict"), h("tbody", {}, ...rows)));
}

export function planPage(data: PlanData, page: HTMLElement): void {
  const { p99_s: goal, runs, calls, seed, answers: all } = data.result;
  const found = all.filter((answer) => answer.endpoints != null).sort((a, b) => a.endpoints! - b.endpoints!);
  const first = found.length > 0 ? `${found[0].policy} needs the fewest: ${answerText(found[0], data.most)}. ` : "";
  const sure = "A number is enough when the whole interval of its p99 is below the limit; between it and the number in brackets these runs cannot tell.";
  const see = `A bar is the 95 % interval over ${runs} independent runs of ${calls} calls. A policy's answer is where its ` +
    "bars have come to be wholly under the dashed line; where two curves are far apart, so are the bills.";
  page.append(
    h("section", {}, h("h2", {}, "How many endpoints?"), figure("Endpoints that are enough", first + sure, answers(data))),
    h("section", {}, h("h2", {}, "p99 over the number of endpoints"), figure(`p99 and the limit of ${timeText(goal)}`, see, curve(data)),
      figure("All points", `What the search looked at, seed ${seed}. Load is of what the endpoints can do.`, points(data))),
  );
}
