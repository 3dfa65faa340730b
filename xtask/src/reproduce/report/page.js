"use strict";

const $ = (id) => document.getElementById(id);
const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const percent = (share) => (100 * share).toFixed(share < 0.1 ? 2 : 1) + " %";

// Times are shown as the reader's clock has them.
for (const cell of document.querySelectorAll("[data-time]")) {
  cell.textContent = new Date(1000 * Number(cell.dataset.time)).toLocaleString();
}

// Tables of numbers: drawn when they are opened, the beginning first.
const FIRST_ROWS = 200;
const tableText = (name) => document.querySelector(`script[data-name="${CSS.escape(name)}"]`).textContent.trim();
const fields = (line) => {
  const found = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) || [];
  return found.slice(0, line.endsWith(",") ? undefined : -1).map((field) =>
    field.replace(/,$/, "").replace(/^"(.*)"$/, "$1").replaceAll('""', '"'));
};
const parse = (line) => {
  const row = fields(line);
  return row.length ? row : [line];
};

function fillTable(details) {
  if (details.dataset.filled) return;
  details.dataset.filled = "yes";
  const name = details.dataset.table;
  const text = tableText(name);
  const [header, ...lines] = text.split("\n");
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const field of parse(header)) head.append(make("th", field, { scope: "col" }));
  const body = table.createTBody();
  const add = (from, to) => {
    for (const line of lines.slice(from, to)) {
      const row = body.insertRow();
      for (const field of parse(line)) {
        const number = field !== "" && !Number.isNaN(Number(field));
        const short = number && field.length > 9 ? Number(Number(field).toPrecision(6)).toString() : field;
        row.append(make("td", short, number ? { class: "number", title: field } : {}));
      }
    }
  };
  add(0, FIRST_ROWS);
  const download = make("a", `Download (${lines.length} rows)`, {
    download: name.replace("/", "-"),
    href: URL.createObjectURL(new Blob([text + "\n"], { type: "text/csv" })),
  });
  const region = make("div", undefined, { class: "wide", tabindex: "0", role: "region", "aria-label": name });
  region.append(table);
  details.append(download, region);
  if (lines.length > FIRST_ROWS) {
    const more = make("button", `Show all ${lines.length} rows`, { type: "button" });
    more.addEventListener("click", () => {
      add(FIRST_ROWS, lines.length);
      more.remove();
    });
    details.append(more);
  }
}
for (const details of document.querySelectorAll("details.numbers")) {
  details.addEventListener("toggle", () => fillTable(details));
}

function fillSelect(select, labels) {
  select.replaceChildren(...labels.map((label, i) => make("option", label, { value: i })));
}

// The topic browser.
const SHOWN = 20;
function topicBrowser(models) {
  $("topics").hidden = false;
  const state = { model: 0, topic: 0 };
  const topics = () => models[state.model].topics;
  const label = (topic, i) => `${i + 1}: ${topic.words.slice(0, 4).map((word) => word.word).join(", ")}`;

  function drawMap() {
    const size = 500, margin = 40;
    const ends = (values) => [Math.min(...values), Math.max(...values)];
    const scale = ([low, high]) => (x) => margin + (size - 2 * margin) * (high > low ? (x - low) / (high - low) : 0.5);
    const [across, up] = ["x", "y"].map((axis) => scale(ends(topics().map((topic) => topic[axis]))));
    const largest = Math.max(...topics().map((topic) => topic.share));
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "Map of topics");
    topics().forEach((topic, i) => {
      const circle = document.createElementNS(ns, "circle");
      circle.setAttribute("cx", across(topic.x));
      circle.setAttribute("cy", up(topic.y));
      circle.setAttribute("r", Math.max(4, 30 * Math.sqrt(topic.share / largest)));
      circle.setAttribute("tabindex", "0");
      circle.setAttribute("role", "button");
      circle.setAttribute("aria-label", `Topic ${label(topic, i)}`);
      const title = document.createElementNS(ns, "title");
      title.textContent = label(topic, i);
      circle.append(title);
      circle.addEventListener("click", () => choose(i));
      circle.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(i);
      });
      svg.append(circle);
    });
    $("topic-map").replaceChildren(svg);
  }

  function drawWords() {
    const lambda = Number($("lambda").value);
    $("lambda-value").textContent = lambda.toFixed(2).replace(/0$/, "");
    const topic = topics()[state.topic];
    const relevance = (word) => Math.log(word.p) - (1 - lambda) * Math.log(word.overall);
    const words = [...topic.words].sort((a, b) => relevance(b) - relevance(a)).slice(0, SHOWN);
    const longest = Math.max(...words.map((word) => Math.max(word.overall, topic.share * word.p)));
    $("topic-words").replaceChildren(...words.map((word) => {
      const item = make("li");
      const bar = make("span", undefined, { class: "bar" });
      const part = (kind, value) => {
        const stripe = make("i", undefined, { class: kind });
        stripe.style.width = `${(100 * value) / longest}%`;
        bar.append(stripe);
      };
      part("overall", word.overall);
      part("within", Math.min(word.overall, topic.share * word.p));
      item.title = `${percent(word.p)} of the topic, ${percent(word.overall)} overall`;
      item.append(make("span", word.word), bar);
      return item;
    }));
  }

  function choose(i) {
    state.topic = (i + topics().length) % topics().length;
    const topic = topics()[state.topic];
    $("topic-choice").value = state.topic;
    $("topic-name").textContent =
      `Topic ${state.topic + 1}: ${percent(topic.share)} of tokens, coherence (NPMI) ${topic.npmi.toFixed(3)}`;
    document.querySelectorAll("#topic-map circle").forEach((circle, k) => {
      circle.classList.toggle("chosen", k === state.topic);
      circle.setAttribute("aria-pressed", k === state.topic);
    });
    drawWords();
  }

  function chooseModel(i) {
    state.model = i;
    fillSelect($("topic-choice"), topics().map(label));
    drawMap();
    choose(0);
  }

  fillSelect($("topic-model"), models.map((model) => `${model.method} (${model.settings})`));
  $("topic-model").addEventListener("change", (event) => chooseModel(Number(event.target.value)));
  $("topic-choice").addEventListener("change", (event) => choose(Number(event.target.value)));
  $("topic-previous").addEventListener("click", () => choose(state.topic - 1));
  $("topic-next").addEventListener("click", () => choose(state.topic + 1));
  $("lambda").addEventListener("input", drawWords);
  chooseModel(0);
}

// The cluster browser.
function clusterBrowser(models) {
  $("clusters-browser").hidden = false;
  function draw() {
    const clusters = models[Number($("cluster-model").value)].clusters;
    const wanted = $("cluster-filter").value.trim().toLowerCase();
    const largest = Math.max(...clusters.map((cluster) => cluster.weight));
    const matching = clusters.filter((cluster) => cluster.pages.some((page) => page.name.toLowerCase().includes(wanted)));
    const items = matching.map((cluster) => {
      const item = make("div", undefined, { class: "cluster" });
      item.append(make("strong", `${percent(cluster.weight)}, ${cluster.size.toLocaleString()} users`));
      const bar = make("div", undefined, { class: "bar" });
      const stripe = make("i", undefined, { class: "within" });
      stripe.style.width = `${(100 * cluster.weight) / largest}%`;
      bar.append(stripe);
      const pages = make("ul");
      for (const page of cluster.pages) pages.append(make("li", `${page.name}: ${percent(page.p)}`));
      item.append(bar, pages);
      return item;
    });
    $("cluster-list").replaceChildren(...(items.length ? items : [make("p", "No cluster has such a page.")]));
  }
  fillSelect($("cluster-model"), models.map((model) => model.method));
  $("cluster-model").addEventListener("change", draw);
  $("cluster-filter").addEventListener("input", draw);
  draw();
}

const topicModels = JSON.parse($("topics-data").textContent);
const clusterModels = JSON.parse($("clusters-data").textContent);
if (topicModels && topicModels.length) topicBrowser(topicModels);
if (clusterModels && clusterModels.length) clusterBrowser(clusterModels);
