// Worst and typical regret as dots on one log line for each policy.
import { Policy, Standing } from "./data";
import { h, regretText } from "./dom";
import { sideMark } from "./heatmap";

export function standings(rows: Standing[], policies: Map<string, Policy>): HTMLElement {
  const finite = rows.map((row) => row.worst_regret).filter((v): v is number => v != null);
  const decades = Math.max(1, Math.log10(Math.max(...finite, 1)));
  const end = Math.ceil(decades * 4 + 0.2) / 4;
  const place = (regret: number | null) =>
    `${(100 * Math.min(1, regret == null ? 1 : Math.log10(Math.max(1, regret)) / end)).toFixed(2)}%`;
  const ticks = [1, 2, 5, 10, 20, 50, 100, 1000, 10000].filter((tick) => Math.log10(tick) <= end);
  const shown = ticks.filter((tick) => end < 1.6 || Math.log10(tick) % 1 === 0);
  const ruler = h("div", { class: "track ruler" });
  for (const tick of shown) ruler.append(h("span", { style: `left:${place(tick)}` }, String(tick)));
  const out = h("div", { class: "dots" }, h("div", { class: "dots-row head" }, h("span", {}, ""), ruler, h("span", { class: "number" }, "worst / typical")));
  for (const row of rows) {
    const policy = policies.get(row.policy)!;
    const track = h("div", { class: "track" });
    for (const tick of shown) track.append(h("i", { style: `left:${place(tick)}` }));
    const [from, to] = [place(row.typical_regret), place(row.worst_regret)];
    track.append(h("b", { style: `left:${from};right:calc(100% - ${to})` }));
    track.append(h("span", { class: "dot typical", style: `left:${from}` }));
    track.append(h("span", { class: "dot worst", style: `left:${to}` }));
    const figures = `${regretText(row.worst_regret)} / ${regretText(row.typical_regret)}`;
    out.append(
      h(
        "div",
        { class: `dots-row ${policy.side}`, title: `${row.policy}: worst in ${row.worst_in}` },
        h("span", { class: "who" }, h("span", { class: "name" }, row.policy), sideMark(policy)),
        track,
        h("span", { class: "number" }, figures),
      ),
    );
  }
  const key = h("p", { class: "key" }, h("span", { class: "dot worst" }), " worst  ", h("span", { class: "dot typical" }), " typical (geometric mean), both on a log scale from 1 (as good as the bound)");
  return h("div", {}, key, out);
}
