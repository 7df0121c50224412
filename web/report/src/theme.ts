// Colours: the page's from CSS variables, the curves' by place, the heat map's by log regret.

const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => dark.matches;
export const onTheme = (call: () => void) => dark.addEventListener("change", call);
export const css = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Apart for most colour-blind eyes (after Okabe and Ito 2008, moved away from the ground).
const kLight = ["#0060a8", "#c04a00", "#00795a", "#a8488a", "#8a6d00", "#3a9bd0", "#5b5b5b", "#7a3e9d", "#b3001b", "#4f7d1f"];
const kDark = ["#5cb8ff", "#ff9a4d", "#3fd6a8", "#f08fcb", "#e6c84a", "#9fdcff", "#b8b8b8", "#c79af2", "#ff7d87", "#a9d86e"];

export function curveColour(index: number): string {
  const colours = isDark() ? kDark : kLight;
  return colours[index % colours.length];
}

// From the ground's neighbour to the far end in steps of lightness, so that it reads without hue.
export const kHeatEnd = 100;
const kHeatLight = ["#eef6ee", "#cfe3c4", "#f3d884", "#eda35a", "#d5643f", "#8f2433"];
const kHeatDark = ["#1c2b22", "#2f4f33", "#7a6a1e", "#a9661f", "#cf5a3c", "#ff9a94"];

type Rgb = [number, number, number];

function mixed(part: number): Rgb {
  const stops = isDark() ? kHeatDark : kHeatLight;
  const place = Math.min(1, Math.max(0, part)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(place));
  const at = (stop: string, from: number) => parseInt(stop.slice(from, from + 2), 16);
  const mix = (from: number) => {
    const [a, b] = [at(stops[low], from), at(stops[low + 1], from)];
    return Math.round(a + (place - low) * (b - a));
  };
  return [mix(1), mix(3), mix(5)];
}

const hex = (rgb: Rgb) => "#" + rgb.map((c) => c.toString(16).padStart(2, "0")).join("");

export function heat(regret: number | null): { ground: string; text: string } {
  const part = regret == null ? 1 : Math.log(Math.max(1, regret)) / Math.log(kHeatEnd);
  const rgb = mixed(part);
  const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  return { ground: hex(rgb), text: light > 120 ? "#111" : "#fff" };
}

export function heatScale(): string {
  const steps = Array.from({ length: 11 }, (_, i) => `${hex(mixed(i / 10))} ${i * 10}%`);
  return `linear-gradient(90deg, ${steps.join(", ")})`;
}
