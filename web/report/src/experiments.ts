// The page of `lab run` and `lab check`: for each experiment its rows and its curves.
import { chart, Curve } from "./chart";
import { Experiment, ExperimentsData, Row, Series } from "./data";
import { figure, figureText, h, scroller } from "./dom";
import { css, curveColour } from "./theme";

function expected(row: Row): string {
  if (typeof row.expected === "string") return row.expected;
  if (row.low != null && row.high != null) return `${figureText(row.low)} to ${figureText(row.high)}`;
  if (row.low != null) return `\u2265 ${figureText(row.low)}`;
  if (row.high != null) return `\u2264 ${figureText(row.high)}`;
  if (row.expected == null) return "";
  return row.tolerance ? `${figureText(row.expected)} \u00b1 ${figureText(row.tolerance)}` : figureText(row.expected);
}

function got(row: Row): string {
  if (row.figures) return row.figures;
  if (row.half_width == null) return `${figureText(row.got)} (one run)`;
  return row.half_width > 0 ? `${figureText(row.got)} \u00b1 ${Number(row.half_width.toPrecision(2))}` : figureText(row.got);
}

const heads = (...titles: string[]) => h("thead", {}, h("tr", {}, ...titles.map((text) => h("th", { scope: "col" }, text))));

function table(experiment: Experiment): HTMLElement {
  const body = experiment.rows.map((row) =>
    h("tr", {}, h("th", { scope: "row" }, row.row), h("td", { class: `verdict ${row.verdict ?? ""}` }, row.verdict ?? "\u2013"),
      h("td", {}, expected(row)), h("td", {}, got(row)), h("td", { class: "source" }, row.source)),
  );
  return scroller(`rows of ${experiment.id}`,
    h("table", { class: "figures words" }, heads("row", "verdict", "expected", "got", "source"), h("tbody", {}, ...body)));
}

const count = (experiment: Experiment, verdict: string) => experiment.rows.filter((row) => row.verdict === verdict).length;

// Many experiments: what each says in a line, and what is off before all.
function overview(experiments: Experiment[]): HTMLElement {
  const body = experiments.map((e) => {
    const off = count(e, "off");
    const verdict = off > 0 ? `${off} off` : "good";
    const name = h("a", { href: `#${e.id}` }, `${e.id} ${e.name}`);
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: `verdict ${off > 0 ? "off" : "good"}` }, verdict),
      h("td", {}, String(count(e, "good") + off)), h("td", {}, e.summary));
  });
  const off = experiments.flatMap((e) => e.rows.filter((row) => row.verdict === "off").map((row) => ({ e, row })));
  const offBody = off.map(({ e, row }) =>
    h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#${e.id}` }, `${e.id}`), ` ${row.row}`),
      h("td", {}, expected(row)), h("td", {}, got(row)), h("td", {}, h("code", {}, e.replay))),
  );
  const judged = experiments.reduce((sum, e) => sum + count(e, "good") + count(e, "off"), 0);
  const see = off.length === 0
    ? `All ${judged} rows are as expected. A name leads to its rows and curves.`
    : `${off.length} of ${judged} rows are off: either something is broken, or the tolerance is too narrow for this seed.`;
  return h("section", {}, h("h2", {}, "All at a glance"),
    off.length === 0 ? null : figure("What is off", "The last column runs it again, to the same figures.",
      scroller("rows that are off", h("table", { class: "figures words" }, heads("row", "expected", "got", "again"), h("tbody", {}, ...offBody)))),
    figure("Verdicts", see, scroller("verdicts of all experiments",
      h("table", { class: "figures words brief" }, heads("experiment", "verdict", "rows judged", "what"), h("tbody", {}, ...body)))));
}

// What theory says is drawn as a dashed line, what was found as marks on it.
const isTheory = (name: string) => /exact|limit|fluid|closed|theory|bound|expected/i.test(name);

function wide(values: number[], times: number): boolean {
  const low = Math.min(...values);
  return values.length > 2 && low > 0 && Math.max(...values) / low >= times;
}

const finite = (values: (number | null)[]) => values.filter((v): v is number => v != null);
const isTail = (name: string) => /tail|at least|more than|exceed/i.test(name);

function seriesChart(experiment: Experiment, group: Series[]): HTMLElement {
  const [{ x_name, y_name }] = group;
  const xs = [...new Set(group.flatMap((one) => finite(one.x)))].sort((a, b) => a - b);
  const ys = finite(group.flatMap((one) => one.y));
  const yLog = wide(ys.filter((y) => y > 0), isTail(x_name) || isTail(y_name) ? 3 : 50);
  const xLog = wide(xs, 50);
  const both = group.some((one) => isTheory(one.name)) && group.some((one) => !isTheory(one.name));
  let colour = 0;
  const curves: Curve[] = group.map((one) => {
    const at = new Map(one.x.map((x, i) => [x, one.y[i]]));
    const theory = both && isTheory(one.name);
    const place = theory ? 0 : colour++;
    return {
      name: one.name,
      // A log axis has no zero.
      y: xs.map((x) => at.get(x) ?? null).map((y) => (yLog && y != null && y <= 0 ? null : y)),
      colour: () => (theory ? css("--text") : curveColour(place)),
      dashed: theory,
      width: 2,
      marks: theory ? undefined : both ? "only" : "too",
    };
  });
  const logs = [xLog ? "x" : "", yLog ? "y" : ""].filter(Boolean);
  const axes = logs.length ? ` Log scale on ${logs.join(" and ")}.` : "";
  const see = both
    ? `Marks on the dashed line: the simulation finds what theory says, to the last mark.${axes}`
    : group.length > 1
      ? `Where curves cross, another rule becomes the better one.${axes}`
      : `How ${y_name} follows ${x_name}.${axes}`;
  const title = `${y_name} over ${x_name}`;
  const whole = xs.every((x) => Number.isInteger(x)) && xs.length <= 16 && !xLog;
  return figure(title, see, chart({
    alt: `${experiment.id}: ${title}; curves: ${group.map((one) => one.name).join(", ")}`,
    x: xs,
    curves,
    xScale: { name: x_name, text: figureText, log: xLog, splits: whole ? xs : undefined },
    yScale: { name: y_name, text: figureText, log: yLog },
  }));
}

function grouped(all: Series[]): Series[][] {
  const out = new Map<string, Series[]>();
  for (const one of all) {
    const key = `${one.x_name}\n${one.y_name}`;
    out.set(key, [...(out.get(key) ?? []), one]);
  }
  return [...out.values()];
}

export function experimentsPage(data: ExperimentsData, page: HTMLElement): void {
  const { experiments, interval } = data.result;
  if (experiments.length > 3) page.append(overview(experiments));
  for (const experiment of experiments) {
    const { sampling, ties, counting } = experiment.conventions;
    const off = count(experiment, "off");
    const judged = off + count(experiment, "good");
    const see = (off > 0 ? `${off} of ${judged} rows are off. ` : `All ${judged} rows are as expected. `) + `\u00b1: ${interval}.`;
    page.append(
      h("section", { id: experiment.id },
        h("h2", {}, `${experiment.id} ${experiment.name}`),
        h("p", {}, `${experiment.summary}. ${experiment.source}.`),
        figure("Expected and got", see, table(experiment)),
        ...grouped(experiment.series).map((group) => seriesChart(experiment, group)),
        h("dl", {}, h("dt", {}, "samples"), h("dd", {}, sampling), h("dt", {}, "ties"), h("dd", {}, ties),
          h("dt", {}, "counts"), h("dd", {}, counting),
          ...(experiment.warm_up ? [h("dt", {}, "warm-up"), h("dd", {}, experiment.warm_up)] : []),
          h("dt", {}, "again"), h("dd", {}, h("code", {}, experiment.replay))),
      ),
    );
  }
}
