// One run's requests at each server over time.
import { chart, Curve } from "./chart";
import { LoadSeries } from "./data";
import { figureText, h } from "./dom";
import { css, curveColour } from "./theme";

export function loadCharts(all: LoadSeries[]): HTMLElement {
  const top = Math.max(1, ...all.flatMap((one) => one.lines.flatMap((line) => line.in_system)));
  const out = h("div", { class: "pair" });
  for (const one of all) {
    const middle = one.lines.length >> 1;
    const curves: Curve[] = one.lines.map((line, i) => ({
      name: line.name,
      y: line.in_system,
      colour: () => (one.bands ? (i === middle ? css("--text") : curveColour(0)) : curveColour(i)),
      width: one.bands && i !== middle ? 1 : 1.5,
    }));
    const bands = one.bands
      ? one.lines.slice(1).map((_, i) => ({ between: [i, i + 1] as [number, number], fill: () => css(i === 0 || i === one.lines.length - 2 ? "--band-far" : "--band") }))
      : undefined;
    const what = one.bands ? `quantiles over ${one.servers} servers` : `${one.servers} servers`;
    out.append(
      h(
        "div",
        {},
        h("h4", {}, `${one.policy} (${what})`),
        one.stopped ? h("p", { class: "off" }, one.stopped) : null,
        chart({
          alt: `Requests at each server over time under ${one.policy} in ${one.situation}`,
          x: one.at_s,
          curves,
          bands,
          xScale: { name: "time, s", text: figureText },
          yScale: { name: "requests at a server", text: figureText, range: [0, top * 1.05] },
        }),
      ),
    );
  }
  return out;
}
