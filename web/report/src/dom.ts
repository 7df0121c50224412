// Elements in one call, and numbers as people read them.

export type Child = Node | string | null | undefined;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | ((event: Event) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") out.addEventListener(name, value);
    else if (typeof value === "boolean") out.toggleAttribute(name, value);
    else out.setAttribute(name, value);
  }
  for (const child of children) if (child != null) out.append(child);
  return out;
}

// What can be wider than the page scrolls inside itself, by keyboard, too.
export function scroller(label: string, ...children: Child[]): HTMLElement {
  return h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

export function figure(title: string, see: string, ...body: Child[]): HTMLElement {
  return h("figure", {}, h("h3", {}, title), ...body, h("figcaption", {}, see));
}

let ids = 0;
export function select(
  label: string,
  names: string[],
  chosen: (index: number) => void,
): { field: HTMLElement; box: HTMLSelectElement } {
  const id = `choice-${++ids}`;
  const options = names.map((name) => h("option", {}, name));
  const box = h("select", { id, change: () => chosen(box.selectedIndex) }, ...options);
  return { field: h("p", { class: "choice" }, h("label", { for: id }, label), " ", box), box };
}

export function figureText(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return String(Number(value.toPrecision(3)));
  if (size >= 1000) return String(Math.round(value));
  return String(Number(value.toPrecision(4)));
}

export function timeText(s: number | null | undefined): string {
  if (s == null || !Number.isFinite(s)) return "-";
  if (s >= 0.9995) return `${Number(s.toPrecision(3))} s`;
  if (s >= 1e-3) return `${Number((s * 1e3).toPrecision(3))} ms`;
  return `${Number((s * 1e6).toPrecision(3))} \u00b5s`;
}

export function regretText(regret: number | null): string {
  if (regret == null) return "never";
  return regret >= 100 ? regret.toFixed(0) : regret >= 10 ? regret.toFixed(1) : regret.toFixed(2);
}
