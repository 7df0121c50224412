// The lab's HTML reports as a reader sees them: wide and narrow, light and dark. Fails on a console
// message, a request, a missing chart, or what is wider than the page; leaves screenshots.
//   EVENER=build/evener CHROMIUM=chromium OUT=build/browser node reports.mjs
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// Where npm had no registry there is nothing to look with, nor at.
if (existsSync(join(process.cwd(), "npm.failed"))) {
  console.log("skipped: npm ci failed, see the build");
  process.exit(77);
}
// The modules are in the build folder, from where it is started.
const { chromium } = createRequire(join(process.cwd(), "x.js"))("playwright-core");

const { EVENER = "evener", CHROMIUM = "/usr/bin/chromium", OUT = "." } = process.env;
const out = resolve(OUT);
mkdirSync(out, { recursive: true });

// `canvases`: charts of uPlot at least.
const reports = [
  {
    name: "run",
    words: ["run", "max-load", "E11", "two-choices", "--scale", "0.05"],
    canvases: 1,
    async use(page) {
      expect((await page.locator("table.figures tbody tr").count()) > 3, "rows of experiments");
    },
  },
  {
    name: "check",
    words: ["check", "--scale", "0.02"],
    canvases: 5,
    async use(page) {
      const links = page.locator("section:first-of-type tbody th a");
      expect((await links.count()) > 30, "every experiment is in the overview");
      const target = await links.last().getAttribute("href");
      await links.last().click();
      expect(await page.locator(target).evaluate((e) => Math.abs(e.getBoundingClientRect().top) < innerHeight), "a name leads to its rows");
      const heads = await page.locator(`${target} table.figures thead th`).allInnerTexts();
      expect(["expected", "got", "verdict"].every((word) => heads.includes(word)), `columns: ${heads}`);
    },
  },
  {
    name: "plan",
    words: ["plan", "--rate", "1000", "--p99", "60ms", "--calls", "4000", "--runs", "3", "--policy", "evener,p2c,round_robin"],
    canvases: 1,
    async use(page) {
      expect((await page.locator("section:first-of-type tbody tr").count()) === 3, "an answer for each policy");
      const names = await page.locator(".u-legend .u-label").allInnerTexts();
      expect(names.some((name) => name.includes("limit 60 ms")), `the limit is in the chart: ${names}`);
      const verdicts = await page.locator("section:nth-of-type(2) tbody td:last-child").allInnerTexts();
      expect(verdicts.includes("enough"), `verdicts: ${verdicts}`);
    },
  },
  {
    name: "scenario",
    words: ["scenario", "slow-two-of-four", "mixed-hardware", "--scale", "0.01", "--policy", "evener,p2c,nginx_random_two,traefik_p2c,haproxy_random2,random"],
    canvases: 3,
    use: chooseByKeyboard,
  },
  {
    name: "scoreboard",
    words: ["scoreboard", "slow-one", "slow-two-of-four", "black-hole", "few-requests", "finagle-slow-middle", "--scale", "0.01"],
    canvases: 1,
    async use(page) {
      await chooseByKeyboard(page);
      const rows = await page.locator("table.heat tbody tr").count();
      expect(rows > 10, `rows of the heat map: ${rows}`);
      await page.locator("table.heat tbody td").nth(3).hover();
      expect(/regret/.test(await page.locator(".told").innerText()), "a cell is told below the map");
      await page.locator(".turned button").last().click();
      const { situation, names } = await page.evaluate(() => {
        const box = document.querySelector("select");
        return { situation: box.value, names: [...box.options].map((one) => one.value) };
      });
      expect(situation === names.at(-1), "a column opens its situation");
      await page.locator(".chooser summary").click();
      const before = await page.locator(".u-legend .u-series").count();
      await page.locator(".chooser input:not(:checked)").first().check();
      await page.waitForFunction((n) => document.querySelectorAll(".u-legend .u-series").length === n, before + 1, { timeout: 5_000 })
        .catch(() => expect(false, "a chosen policy has a curve"));
      await page.locator(".chooser summary").click();
    },
  },
];

let failures = 0;
function expect(good, what) {
  if (good) return;
  failures += 1;
  console.log(`FAILED: ${what}`);
}

async function chooseByKeyboard(page) {
  const box = page.locator("select").first();
  const before = await box.inputValue();
  await box.focus();
  await page.keyboard.press("ArrowDown");
  expect((await box.inputValue()) !== before, "the arrow key changes the situation");
  await page.waitForTimeout(50);
}

async function look(browser, report, file, width, colorScheme) {
  const name = `${report.name}-${width}-${colorScheme}`;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  page.on("console", (message) => expect(false, `${name}: console: ${message.text()}`));
  page.on("pageerror", (error) => expect(false, `${name}: ${error}`));
  page.on("request", (request) => expect(/^(file|data):/.test(request.url()), `${name}: asks for ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction((n) => document.querySelectorAll("canvas").length >= n, report.canvases, { timeout: 10_000 })
    .catch(() => expect(false, `${name}: fewer than ${report.canvases} charts`));
  await report.use(page);
  const facts = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    title: document.title,
    lang: document.documentElement.lang,
    unnamed: [...document.querySelectorAll("canvas")].filter((c) => !c.getAttribute("aria-label")).length,
    bare: [...document.querySelectorAll("figure")].filter((f) => !f.querySelector("figcaption")?.textContent).length,
    blank: [...document.querySelectorAll("canvas")].filter((c) => {
      const pixels = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      return !pixels.some((v) => v !== 0);
    }).length,
  }));
  expect(facts.width <= width, `${name}: ${facts.width} px wide`);
  expect(facts.title !== "" && facts.lang === "en", `${name}: title and language`);
  expect(facts.unnamed === 0, `${name}: ${facts.unnamed} charts without words`);
  expect(facts.bare === 0, `${name}: ${facts.bare} figures without a caption`);
  expect(facts.blank === 0, `${name}: ${facts.blank} charts with nothing on them`);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(out, `${name}.png`), fullPage: true });
  await context.close();
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
for (const report of reports) {
  const file = join(out, `${report.name}.html`);
  try {
    execFileSync(EVENER, ["lab", ...report.words, "--html", file], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    // So few runs may well have a row off.
    if (error.status !== 1) throw error;
  }
  for (const width of [1280, 400]) {
    for (const scheme of ["light", "dark"]) await look(browser, report, file, width, scheme);
  }
}
await browser.close();
console.log(failures === 0 ? `all good; screenshots in ${OUT}` : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
