// The page of `lab scenario`, `scoreboard` and `merge`.
import { ContestData, Policy, SituationScores } from "./data";
import { figure, h, regretText, scroller, select, timeText } from "./dom";
import { heatmap, sideMark } from "./heatmap";
import { loadCharts } from "./load";
import { standings } from "./standings";
import { policyChooser, tailChart } from "./tails";

function table(of: SituationScores, policies: Map<string, Policy>): HTMLElement {
  const head = ["policy", "regret", "p99", "\u00b1", "p50", "p90", "p99.9", "mean", "longest queue", "errors"];
  const rows = [...of.scores].sort((a, b) => (a.regret ?? Infinity) - (b.regret ?? Infinity));
  const body = rows.map((s) => {
    const times = [s.p99_s, s.p99_half_width_s, s.p50_s, s.p90_s, s["p99.9_s"], s.mean_s].map(timeText);
    const rest = [String(s.longest_queue), `${(s.error_share * 100).toFixed(2)} %`];
    const policy = policies.get(s.policy)!;
    const name = h("th", { scope: "row", title: s.stopped ?? policy.about }, h("span", { class: "name" }, s.policy), sideMark(policy));
    return h("tr", { class: policy.side }, name, ...[regretText(s.regret), ...times, ...rest].map((text) => h("td", {}, text)));
  });
  const titles = head.map((text) => h("th", { scope: "col" }, text));
  return scroller(
    `figures of ${of.situation}`,
    h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...body)),
  );
}

// Ours by default, what bounds it, the three peers nearest to it, and one that looks at nothing.
function firstChoice(order: Policy[]): Policy[] {
  const ours = order.filter((p) => p.side === "ours");
  const peers = order.filter((p) => p.side === "peer");
  const blind = order.filter((p) => p.name === "random" || p.name === "round_robin");
  const first = ours.find((p) => p.name === "evener") ?? ours[0];
  return order.filter(
    (p) => p === first || p === ours[0] || p.side === "bound" || peers.slice(0, 3).includes(p) || p === blind[0],
  );
}

function orderOf(data: ContestData): Policy[] {
  const byName = new Map(data.policies.map((p) => [p.name, p]));
  const standing = (data.result.standings ?? []).map((s) => byName.get(s.policy)!);
  return [...standing, ...data.policies.filter((p) => p.side === "bound")];
}

function overview(data: ContestData, order: Policy[], byName: Map<string, Policy>, choose: (i: number) => void): HTMLElement {
  const { standings: rows = [], situations } = data.result;
  const first = rows.length > 0 ? `: ${rows[0].policy} is first with ${regretText(rows[0].worst_regret)}, in ${rows[0].worst_in}` : "";
  const seen = `Policies are ordered by worst regret${first}. A row without red is a safe default; ` +
    `a red column is a situation that is hard for most. A column's name opens it below.`;
  const dots = `A filled dot far to the right is a situation in which calls take many times longer than ` +
    `they must; an open dot near 1 is a policy that is good on average. Short lines are what to trust.`;
  return h(
    "section",
    {},
    h("h2", {}, "Who is never far from the best?"),
    figure(`Regret of ${order.length} policies in ${situations.length} situations`, seen, heatmap(data, order, choose)),
    rows.length > 0 ? figure("Worst and typical regret", dots, standings(rows, byName)) : null,
  );
}

export function contestPage(data: ContestData, page: HTMLElement): void {
  const byName = new Map(data.policies.map((p) => [p.name, p]));
  const order = orderOf(data);
  const { situations } = data.result;
  let chosen = firstChoice(order);
  let now = 0;
  const about = h("p");
  const tails = h("div");
  const figures = h("div");
  const load = h("div");
  const drawTails = () => tails.replaceChildren(tailChart(data, situations[now], chosen));
  const draw = () => {
    const of = situations[now];
    const kind = of.central_queue ? "the central queue" : "the best here";
    about.textContent = `${of.about} Bound: p99 ${timeText(of.bound_s)} of ${of.bound_of}, ${kind}.`;
    drawTails();
    figures.replaceChildren(table(of, byName));
    const series = data.load.filter((one) => one.situation === of.situation);
    load.replaceChildren(...(series.length > 0 ? [loadFigure(series)] : []));
  };
  const { field, box } = select("Situation", situations.map((s) => s.situation), (i) => {
    now = i;
    draw();
  });
  const choose = (i: number) => {
    box.selectedIndex = now = i;
    draw();
    field.scrollIntoView({ block: "start" });
    box.focus();
  };
  const chooser = policyChooser(order, chosen, (next) => {
    chosen = next;
    drawTails();
  });
  const see = "Lower is better. Each step to the right is one call in ten, a hundred, a thousand: the curves " +
    "that rise late keep their tail short. The dashed curve is the oracle, which is told what no policy can know; " +
    "names in the legend switch curves off and on.";
  page.append(overview(data, order, byName, choose));
  page.append(
    h("section", {}, h("h2", {}, "Situation by situation"), field, about, figure("Tail", see, chooser, tails), load,
      figure("Figures", "By regret, best first. \u00b1: 95 % interval of p99 over independent runs.", figures)),
  );
  draw();
}

function loadFigure(series: ContestData["load"]): HTMLElement {
  const bands = series[0].bands;
  const see = (bands
    ? "Bands: least to most, 10 % to 90 % of the servers, and the median. "
    : "A line is a server. ") +
    "Lines that stay together are load that is spread; one that climbs alone is a server that gets more than it can do. " +
    "One run, the same calls for both; the same scale.";
  return figure("Requests at each server over time", see, loadCharts(series));
}
