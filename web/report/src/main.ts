// A report of `evener lab`: finds its data in the page and draws it. No network.
import "uplot/dist/uPlot.min.css";
import "./page.css";
import { contestPage } from "./contest";
import { Data } from "./data";
import { h } from "./dom";
import { experimentsPage } from "./experiments";
import { planPage } from "./plan";

const data = JSON.parse(document.getElementById("data")!.textContent!) as Data;
const page = document.querySelector("main")!;
if (data.kind === "contest") contestPage(data, page);
else if (data.kind === "plan") planPage(data, page);
else experimentsPage(data, page);
const again = h("section", {}, h("h2", {}, "How to get this again"), h("pre", { tabindex: "0" }, data.command));
if (data.kind === "contest") again.append(h("p", {}, data.conventions));
page.append(again);
