// Bundles src/ into one script and one style, and writes them as a C++ file for the binary.
//   node build.mjs OUT.cc      pieces, because compilers limit the length of a literal
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const out = process.argv[2] ?? "dist/assets.cc";
const bundled = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  write: false,
  outdir: "dist",
  format: "iife",
  target: "es2020",
  charset: "ascii",
  // A report is a copy of uPlot, and its licence goes with every copy.
  banner: { js: `/*! With uPlot:\n${readFileSync("node_modules/uplot/LICENSE", "utf8")}*/` },
  logLevel: "warning",
});
const text = (ending) => bundled.outputFiles.find((file) => file.path.endsWith(ending)).text;

function literal(name, content) {
  if (/<\/script|<!--/i.test(content)) throw new Error(`${name}: would end its element`);
  const pieces = [];
  for (let at = 0; at < content.length; at += 8000) {
    pieces.push(`R"ev_asset(${content.slice(at, at + 8000)})ev_asset"`);
  }
  return `constexpr std::string_view k${name}[] = {${pieces.join(",\n")}};\n`;
}

const source = `#include "lab/html/assets.h"

namespace evener::lab {
namespace {
${literal("Script", text(".js"))}${literal("Style", text(".css"))}}  // namespace
ReportAssets report_assets() { return {kScript, kStyle}; }
}  // namespace evener::lab
`;
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, source);
