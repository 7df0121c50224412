// The tail of one situation: time on the log axis up, 1 - quantile on the log axis to the right, so
// that each nine has as much room as the one before.
import { chart, Curve } from "./chart";
import { ContestData, Policy, SituationScores } from "./data";
import { h, timeText } from "./dom";
import { css, curveColour } from "./theme";

const nines = (quantile: number) => -Math.log10(1 - quantile);
const share = (at: number) => {
  const percent = 100 * (1 - Math.pow(10, -at));
  return `${Number(percent.toPrecision(Math.max(2, Math.ceil(at) + 1)))} %`;
};

export function tailChart(data: ContestData, of: SituationScores, chosen: Policy[]): HTMLElement {
  const curves: Curve[] = chosen.map((policy, i) => {
    const score = of.scores.find((s) => s.policy === policy.name)!;
    const bound = policy.side === "bound";
    return {
      name: policy.name === of.bound_of ? `${policy.name} (the bound here)` : policy.name,
      y: data.quantiles.map((q) => score[`p${Number((q * 100).toPrecision(6))}_s`] ?? null),
      colour: () => (bound ? css("--text") : curveColour(i)),
      dashed: bound,
      width: policy.name === data.policies[0].name ? 3 : 2,
    };
  });
  return chart({
    alt: `Tail of ${of.situation}: time at each quantile for ${chosen.map((p) => p.name).join(", ")}`,
    x: data.quantiles.map(nines),
    curves,
    xScale: { name: "share of calls that are faster", text: share, splits: [0.5, 0.9, 0.99, 0.999, 0.9999].map(nines), range: [0, 4.02] },
    yScale: { name: "time of a call", text: timeText, log: true },
  });
}

// Checkboxes; `changed` gets the chosen in the order of `policies`.
export function policyChooser(policies: Policy[], first: Policy[], changed: (chosen: Policy[]) => void): HTMLElement {
  const boxes = policies.map((policy) => h("input", { type: "checkbox", checked: first.includes(policy), change: () => tell() }));
  const tell = () => changed(policies.filter((_, i) => boxes[i].checked));
  const labels = policies.map((policy, i) => h("label", { title: policy.about }, boxes[i], ` ${policy.name}`));
  return h("details", { class: "chooser" }, h("summary", {}, "Choose policies"), h("div", { class: "chips" }, ...labels));
}
