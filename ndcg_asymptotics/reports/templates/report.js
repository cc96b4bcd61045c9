"use strict";
(() => {
  const root = document.documentElement;
  const pick = (selector, within = document) => [...within.querySelectorAll(selector)];

  // ---- light and dark: the system's theme until the reader chooses one; printing is light
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const paint = (paper) => {
    const theme = paper ? "light" : chosen || (dark.matches ? "dark" : "light");
    root.dataset.theme = theme;
    document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
  };
  document.getElementById("theme").addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    paint(false);
  });
  dark.addEventListener("change", () => paint(false));
  paint(false);

  // ---- meanings of terms, on hover, focus and tap
  const meaning = document.getElementById("meaning");
  const explain = (node) => {
    meaning.textContent = document.getElementById(`term-${node.dataset.term}`).textContent;
    meaning.hidden = false;
    const box = node.getBoundingClientRect();
    const left = Math.min(box.left, root.clientWidth - meaning.offsetWidth - 8);
    const below = box.bottom + 6 + meaning.offsetHeight < innerHeight;
    meaning.style.left = `${Math.max(8, left)}px`;
    meaning.style.top = `${below ? box.bottom + 6 : Math.max(8, box.top - meaning.offsetHeight - 6)}px`;
  };
  const forget = () => { meaning.hidden = true; };
  for (const node of pick("[data-term]")) {
    node.addEventListener("pointerenter", () => explain(node));
    node.addEventListener("pointerleave", forget);
    node.addEventListener("focus", () => explain(node));
    node.addEventListener("blur", forget);
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") forget(); });
  addEventListener("scroll", forget, { capture: true, passive: true });

  // ---- texts to copy
  const say = (button, text) => {
    const before = button.dataset.text ?? (button.dataset.text = button.textContent);
    button.textContent = text;
    setTimeout(() => { button.textContent = before; }, 1500);
  };
  for (const button of pick("button.copy")) {
    const pre = button.parentNode.querySelector("pre");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        say(button, "Copied");
      } catch {  // without permission: select the text for the reader
        getSelection().selectAllChildren(pre);
        say(button, "Selected");
      }
    });
  }

  // ---- tables: sort by raw values, empty ones last
  for (const button of pick("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = head.closest("table");
      const column = [...head.parentNode.children].indexOf(head);
      const up = head.getAttribute("aria-sort") !== "ascending";
      pick("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => row.children[column].dataset.value ?? "";
      const rows = pick("tbody tr", table).map((row, i) => ({ row, i, v: value(row) }));
      const numeric = rows.every((item) => item.v === "" || Number.isFinite(Number(item.v)));
      rows.sort((a, b) => {
        if (a.v === "" || b.v === "") return (a.v === "") - (b.v === "") || a.i - b.i;
        const order = numeric ? Number(a.v) - Number(b.v) : a.v.localeCompare(b.v);
        return (up ? order : -order) || a.i - b.i;
      });
      table.tBodies[0].append(...rows.map((item) => item.row));
    });
  }

  // ---- filters of tables
  for (const tools of pick(".tools[data-table]")) {
    const filters = pick("select", tools);
    const filter = () => {
      const rows = pick("tbody tr", document.getElementById(tools.dataset.table));
      for (const row of rows) {
        row.hidden = !filters.every((select) =>
          select.value === "" ||
          JSON.parse(select.dataset.columns).some((i) => row.children[i].textContent === select.value));
      }
      const seen = rows.filter((row) => !row.hidden).length;
      tools.querySelector(".count").textContent = `${seen} of ${rows.length} rows`;
    };
    filters.forEach((select) => select.addEventListener("change", filter));
    filter();
  }

  // ---- charts
  const charts = JSON.parse(document.getElementById("charts-data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const make = (parent, tag, attributes = {}, text = null) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== null) node.textContent = text;
    parent.append(node);
    return node;
  };
  const DASHES = { solid: "", dashed: "8 3", dashdot: "6 2 1.5 2", dotted: "3 2" };
  const colorOf = (look) => `var(--${look.color.slice(1)})`;
  // corners of markers around 0, of about the area of a circle with radius 1
  const ring = (count, radius, turn) =>
    Array.from({ length: count }, (_, i) => [radius * Math.sin((2 * Math.PI * i) / count + turn), -radius * Math.cos((2 * Math.PI * i) / count + turn)]);
  const cross = (arm, turn) => [[-1, -arm], [-1, arm], [-arm, arm], [-arm, 1], [arm, 1], [arm, arm], [1, arm], [1, -arm], [arm, -arm], [arm, -1], [-arm, -1], [-arm, -arm]]
    .map(([a, b]) => [1.25 * (a * Math.cos(turn) - b * Math.sin(turn)), 1.25 * (a * Math.sin(turn) + b * Math.cos(turn))]);
  const CORNERS = {
    s: ring(4, 1.27, Math.PI / 4), D: ring(4, 1.27, 0), "^": ring(3, 1.45, 0), v: ring(3, 1.45, Math.PI),
    h: ring(6, 1.15, 0), P: cross(0.42, 0), X: cross(0.42, Math.PI / 4),
  };
  const marker = (parent, look, x, y, r, style = { class: "mean" }) => {
    const known = { ...style, stroke: colorOf(look) };
    const corners = CORNERS[look.marker];
    if (!corners) return make(parent, "circle", { ...known, cx: x, cy: y, r });
    return make(parent, "path", { ...known, d: `M${corners.map(([a, b]) => `${(x + r * a).toFixed(2)},${(y + r * b).toFixed(2)}`).join("L")}Z` });
  };
  for (const sample of pick("svg[data-look]")) {
    const look = JSON.parse(sample.dataset.look);
    make(sample, "path", { class: "exact", d: "M1,7H27", stroke: colorOf(look), "stroke-dasharray": DASHES[look.dashes] });
    marker(sample, look, 14, 7, 3.5);
  }
  const there = (v) => v !== null && v !== undefined;
  const short = (n) => {
    if (n < 1e4) return String(Number(n.toPrecision(6)));
    const [digits, power] = n.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`;
  };
  const show = (value, kind) => {
    if (!there(value)) return "–";
    if (kind === "exponent") return value.toExponential(1);
    if (kind === "whole") return value.toFixed(0);
    return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(2) : value.toFixed(5);
  };
  const steps = (low, high) => {
    const rough = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough * 0.999);
    const found = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) found.push(v);
    return { ticks: found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  };
  const decades = (low, high) => {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const every = Math.max(1, Math.ceil((Math.log10(high) - first) / 6));
    const found = [];
    for (let p = first; 10 ** p <= high * (1 + 1e-9); p += every) found.push(10 ** p);
    if (found.length > 1) return found;
    return steps(low, high).ticks.filter((n) => n > 0);
  };
  // on the axis of values: 1, 2 and 5 times powers of ten, or on many the powers alone
  const multiples = (low, high) => {
    const found = [];
    const powers = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5];
    const every = Math.max(1, Math.ceil(Math.log10(high / low) / 7));
    for (let p = Math.floor(Math.log10(low)); p <= Math.log10(high); p += 1) {
      if (p % every === 0) found.push(...powers.map((m) => Number(`${m}e${p}`)).filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)));
    }
    return found;
  };
  const chosenOf = (figure, name) =>
    document.querySelector(`input[name="${name}-${figure.closest("section").id}"]:checked`)?.value;
  const chartOf = (figure) => charts[Number(figure.dataset.chart)];
  const hidden = new WeakMap(pick("section").map((section) => [section, new Set()]));
  const seen = (figure) => chartOf(figure).series.filter((s) => !hidden.get(figure.closest("section")).has(s.name));
  const padded = (low, high) => {
    const room = 0.05 * (high - low) || 0.05 * Math.abs(low) || 0.05;
    return [low - room, high + room];
  };

  const frame = (figure, width, height, box) => {
    const svg = figure.querySelector("svg");
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const inner = { width: width - box.left - box.right, height: height - box.top - box.bottom };
    return { svg, inner };
  };

  const draw = (figure, paper) => (chartOf(figure).rows ? forest : lines)(figure, paper);

  const lines = (figure, paper) => {
    const chart = chartOf(figure);
    const series = seen(figure);
    const width = paper ? 400 : Math.max(260, figure.clientWidth);
    const height = Math.round(Math.min(320, Math.max(230, width * 0.56)));
    const logarithmic = chart.log && chosenOf(figure, "scale") !== "linear";
    const box = { left: 50, right: 12, top: 10, bottom: 38 };
    const { svg, inner } = frame(figure, width, height, box);
    let [first, last] = figure.zoom ?? [chart.x[0], chart.x[chart.x.length - 1]];
    if (first === last) [first, last] = logarithmic ? [first / 2, last * 2] : [first - 0.5, last + 0.5];
    const inside = (i) => chart.x[i] >= first && chart.x[i] <= last;
    const known = series.flatMap((s) => [
      ...[s.y, s.low ?? [], s.high ?? [], s.line ?? [], s.dots ?? [], s.ticks ?? []].flatMap((values) => values.filter((v, i) => there(v) && inside(i))),
      ...(there(s.limit) ? [s.limit] : []),
    ]);
    let [bottom, top] = chart.range ?? [0, 1];
    if (!chart.ylog && (figure.zoom || !chart.range || chosenOf(figure, "range") === "fit") && known.length) {
      [bottom, top] = padded(Math.min(...known), Math.max(...known));
      if (chart.range) [bottom, top] = [Math.max(chart.range[0], bottom), Math.min(chart.range[1], top)];
      if (bottom >= top) [bottom, top] = padded(bottom, bottom);
    }
    const scale = logarithmic ? Math.log10 : (v) => v;
    const x = (n) => box.left + 6 + ((inner.width - 12) * (scale(n) - scale(first))) / (scale(last) - scale(first));
    const back = (at) => {
      const v = scale(first) + ((at - box.left - 6) / (inner.width - 12)) * (scale(last) - scale(first));
      return logarithmic ? 10 ** v : v;
    };
    const rise = chart.ylog ? (v) => Math.log10(Math.max(v, 1e-300)) : (v) => v;
    const y = (v) => box.top + inner.height * (1 - (rise(v) - rise(bottom)) / (rise(top) - rise(bottom)));
    const drawable = (v) => there(v) && (!chart.ylog || v > 0);

    const { ticks, digits } = chart.ylog ? { ticks: multiples(bottom, top), digits: null } : steps(bottom, top);
    for (const v of ticks) {
      make(svg, "line", { class: "grid", x1: box.left, x2: width - box.right, y1: y(v), y2: y(v) });
      const text = digits === null ? short(v) : v.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
      make(svg, "text", { x: box.left - 6, y: y(v) + 4, "text-anchor": "end" }, text);
    }
    let room = -Infinity;
    for (const n of logarithmic ? decades(first, last) : steps(first, last).ticks) {
      make(svg, "line", { class: "axis", x1: x(n), x2: x(n), y1: height - box.bottom, y2: height - box.bottom + 4 });
      const text = short(n);
      if (x(n) - 3.6 * text.length < room) continue;
      room = x(n) + 3.6 * text.length + 4;
      make(svg, "text", { x: x(n), y: height - box.bottom + 17, "text-anchor": "middle" }, text);
    }
    make(svg, "line", { class: "axis", x1: box.left, x2: width - box.right, y1: height - box.bottom, y2: height - box.bottom });
    make(svg, "text", { x: width - box.right, y: height - 5, "text-anchor": "end" }, chart.label);

    const clip = make(make(svg, "clipPath", { id: `clip${figure.dataset.chart}` }), "rect", {
      x: box.left, y: box.top - 4, width: inner.width, height: inner.height + 8,
    });
    const area = make(svg, "g", { "clip-path": `url(#${clip.parentNode.id})` });
    const path = (values, at = chart.x) => {
      let d = "";
      let pen = "M";
      values.forEach((v, i) => {
        if (!drawable(v)) { pen = "M"; return; }
        d += `${pen}${x(at[i]).toFixed(2)},${y(v).toFixed(2)}`;
        pen = "L";
      });
      return d;
    };
    for (const s of series) {
      if (!s.low) continue;
      const ends = s.high.flatMap((v, i) => (drawable(v) && drawable(s.y[i]) ? [[x(chart.x[i]), y(v), y(s.low[i])]] : []));
      if (!ends.length) continue;
      const along = ends.map(([at, high]) => `${at.toFixed(2)},${high.toFixed(2)}`);
      const home = ends.map(([at, , low]) => `${at.toFixed(2)},${low.toFixed(2)}`).reverse();
      make(area, "path", { class: "band", d: `M${along.join("L")}L${home.join("L")}Z`, fill: colorOf(s.look) });
    }
    for (const s of series) {
      const color = colorOf(s.look);
      if (there(s.limit)) {
        make(area, "line", { class: "limit", stroke: color, x1: box.left, x2: width - box.right, y1: y(s.limit), y2: y(s.limit) });
      }
      make(area, "path", { class: "exact", d: s.curve ? path(s.curve.y, s.curve.x) : path(s.solid ? s.y : s.line ?? s.y), stroke: color, "stroke-dasharray": DASHES[s.look.dashes] });
    }
    // markers: as many as do not overlap
    for (const s of series) {
      const values = s.solid ? s.dots ?? [] : s.y;
      let before = Infinity;
      for (let i = chart.x.length - 1; i >= 0; i -= 1) {
        if (!drawable(values[i]) || !inside(i) || before - x(chart.x[i]) < 14) continue;
        before = x(chart.x[i]);
        marker(area, s.look, before, y(values[i]), 3);
      }
      (s.ticks ?? []).forEach((v, i) => {
        if (there(v) && inside(i)) make(area, "path", { class: "exact tick", d: `M${x(chart.x[i]) - 5},${y(v)}h10`, stroke: colorOf(s.look) });
      });
      // from the first n on at which, and after which, a logarithmic axis has no value: the end of the interval
      const none = s.y.reduce((from, v, i) => (v === 0 ? from : i + 1), 0);
      if (chart.ylog && none < s.y.length && inside(none)) {
        const [at, end] = [x(chart.x[none]), y(s.high[none])];
        make(area, "path", { class: "none", d: `M${at},${end - 5}v10m-3.5,-3.5l3.5,3.5l3.5,-3.5`, stroke: colorOf(s.look) });
      }
    }
    figure.geometry = {
      chart, width, height, box, back, first, last,
      at: (i) => [x(chart.x[i]), null],
      dot: (s, i) => [x(chart.x[i]), y(s.y[i])],
      nearest: (px) => {
        let best = -1;
        chart.x.forEach((n, i) => { if (inside(i) && (best < 0 || Math.abs(x(n) - px) < Math.abs(x(chart.x[best]) - px))) best = i; });
        return Math.max(best, 0);
      },
      inside,
    };
    figure.querySelector('[data-save="all"]').hidden = !figure.zoom;
  };

  // one row for each name, with a point and its interval
  const forest = (figure, paper) => {
    const chart = chartOf(figure);
    const [s] = chart.series;
    const width = paper ? 400 : Math.max(260, figure.clientWidth);
    const widest = Math.max(...chart.rows.map((name) => name.length));
    const box = { left: Math.min(0.45 * width, 14 + 7.2 * widest), right: 12, top: 10, bottom: 38 };
    const height = box.top + box.bottom + 30 * chart.rows.length;
    const { svg, inner } = frame(figure, width, height, box);
    const known = [...s.y, ...s.low, ...s.high].filter(there);
    const reach = 1.08 * Math.max(...known.map(Math.abs), 1e-9);
    const x = (v) => box.left + (inner.width * (v + reach)) / (2 * reach);
    const y = (i) => box.top + 30 * (i + 0.5);
    const { ticks, digits } = steps(-reach, reach);
    for (const v of ticks.filter((_, i) => width > 500 || i % 2 === (ticks.length - 1) / 2 % 2)) {
      make(svg, "line", { class: Math.abs(v) < 1e-12 ? "axis" : "grid", x1: x(v), x2: x(v), y1: box.top, y2: height - box.bottom });
      make(svg, "text", { x: x(v), y: height - box.bottom + 17, "text-anchor": "middle" }, (Math.abs(v) < 1e-12 ? 0 : v).toFixed(digits));
    }
    make(svg, "text", { x: x(0) - 10, y: height - 5, "text-anchor": "end" }, chart.ends[0]);
    make(svg, "text", { x: x(0) + 10, y: height - 5 }, chart.ends[1]);
    const most = Math.floor((box.left - 14) / 7.1);
    chart.rows.forEach((name, i) => {
      const text = name.length > most ? `${name.slice(0, most - 1)}…` : name;
      const color = colorOf(s.look[i]);
      make(svg, "text", { x: box.left - 8, y: y(i) + 4, "text-anchor": "end" }, text);
      if (there(s.low[i])) make(svg, "line", { class: "exact", stroke: color, x1: x(s.low[i]), x2: x(s.high[i]), y1: y(i), y2: y(i) });
      marker(svg, s.look[i], x(s.y[i]), y(i), 4, s.filled[i] ? { class: "filled", fill: color } : { class: "mean" });
    });
    figure.geometry = {
      chart, width, height, box, at: (i) => [null, y(i)], dot: (one, i) => [x(one.y[i]), y(i)], inside: () => true,
      nearest: (px, py) => Math.max(0, Math.min(chart.rows.length - 1, Math.floor((py - box.top) / 30))),
    };
  };

  const hide = (figure) => {
    figure.querySelector(".tip").hidden = true;
    figure.querySelectorAll(".rule, .dot, .drag").forEach((node) => node.remove());
  };
  const named = (chart, i) => (chart.rows ? chart.rows[i] : `${chart.xname} = ${chart.x[i].toLocaleString("en", { maximumSignificantDigits: 15 })}`);
  const point = (figure, index) => {
    const { chart, width, height, box, at, dot } = figure.geometry;
    hide(figure);
    figure.index = index;
    const svg = figure.querySelector("svg");
    const [px, py] = at(index);
    if (px !== null) make(svg, "line", { class: "rule", x1: px, x2: px, y1: box.top, y2: height - box.bottom });
    const tip = figure.querySelector(".tip");
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const text of [named(chart, index), ...chart.fields.map((f) => f.label)]) {
      head.append(Object.assign(document.createElement("th"), { textContent: text }));
    }
    const body = table.createTBody();
    for (const s of seen(figure)) {
      const row = body.insertRow();
      const name = row.insertCell();
      const color = colorOf(chart.rows ? s.look[index] : s.look);
      const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
      swatch.style.background = color;
      name.append(swatch, " ", Object.assign(document.createElement("bdi"), { textContent: s.name }));
      for (const f of chart.fields) {
        const value = Array.isArray(s[f.key]) ? s[f.key][index] : s[f.key];
        row.append(Object.assign(document.createElement("td"), { className: "number", textContent: show(value, f.kind) }));
      }
      if (there(s.y[index]) && !(chart.ylog && s.y[index] === 0)) {
        const [cx, cy] = dot(s, index);
        make(svg, "circle", { class: "dot", cx, cy, r: 3.5, fill: color });
      }
    }
    tip.replaceChildren(table);
    tip.hidden = false;
    const from = px ?? width / 2;
    const left = from + 14 + tip.offsetWidth > width ? from - 14 - tip.offsetWidth : from + 14;
    tip.style.left = `${Math.max(0, Math.min(left, width - tip.offsetWidth))}px`;
    tip.style.top = `${svg.getBoundingClientRect().top - figure.getBoundingClientRect().top + (py === null ? height - box.bottom : py + 10) + 6}px`;
  };

  const zoom = (figure, range) => {
    const { x } = chartOf(figure);
    if (range && x.filter((n) => n >= range[0] && n <= range[1]).length < 2) return;
    figure.zoom = range && [Math.max(range[0], x[0]), Math.min(range[1], x[x.length - 1])];
    if (figure.zoom && figure.zoom[0] <= x[0] && figure.zoom[1] >= x[x.length - 1]) figure.zoom = null;
    hide(figure);
    draw(figure);
  };
  const closer = (figure, factor) => {
    const { chart, first, last } = figure.geometry;
    const logarithmic = chart.log && chosenOf(figure, "scale") !== "linear";
    const to = logarithmic ? Math.log10 : (v) => v;
    const from = logarithmic ? (v) => 10 ** v : (v) => v;
    const centre = to(chart.x[figure.index ?? Math.floor(chart.x.length / 2)]);
    zoom(figure, [from(centre - (centre - to(first)) * factor), from(centre + (to(last) - centre) * factor)]);
  };

  // ---- saving a chart
  const download = (blob, name) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const fileName = (chart, kind) =>
    `${[chart.title, chart.remark].join(" ").replace(/[^\p{L}\p{N}.]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80)}.${kind}`;
  const cell = (value) => {
    if (!there(value)) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;  // no formula in a spreadsheet
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (figure) => {
    const chart = chartOf(figure);
    const rows = [["series", chart.xname, ...chart.fields.map((f) => f.label)]];
    const band = chart.series.some((s) => s.low) && !chart.fields.some((f) => f.key === "low");
    if (band) rows[0].push("band from", "band to");
    for (const s of seen(figure)) {
      chart.x.forEach((n, i) => {
        const row = [s.name, chart.rows ? chart.rows[i] : n];
        for (const f of chart.fields) row.push(Array.isArray(s[f.key]) ? s[f.key][i] : s[f.key]);
        if (band) row.push(s.low?.[i], s.high?.[i]);
        rows.push(row);
      });
    }
    const text = rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
    download(new Blob([text], { type: "text/csv;charset=utf-8" }), fileName(chart, "csv"));
  };
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];
  const picture = (figure) => {
    hide(figure);
    const chart = chartOf(figure);
    const svg = figure.querySelector("svg");
    const { width, height } = figure.geometry;
    const copy = svg.cloneNode(true);
    const [from, to] = [pick("*", svg), pick("*", copy)];
    to.forEach((node, i) => {
      const style = getComputedStyle(from[i]);
      for (const name of STYLES) node.style.setProperty(name, style.getPropertyValue(name));
    });
    const ink = getComputedStyle(figure);
    const shown = chart.rows ? [] : seen(figure);
    const head = 30;
    const foot = 20 * shown.length + (shown.length ? 8 : 0);
    const whole = make(document.createDocumentFragment(), "svg", {
      xmlns: SVG, width, height: height + head + foot, viewBox: `0 0 ${width} ${height + head + foot}`,
    });
    make(whole, "rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor });
    const text = { "font-family": ink.fontFamily, fill: ink.color };
    make(whole, "text", { ...text, x: 8, y: 20, "font-size": 15, "font-weight": 600 }, chart.title);
    make(whole, "text", { ...text, x: width - 12, y: 20, "font-size": 12, "text-anchor": "end" }, chart.remark);
    for (const [name, value] of Object.entries({ x: 0, y: head, width, height })) copy.setAttribute(name, value);
    whole.append(copy);
    shown.forEach((s, i) => {
      const at = head + height + 16 + 20 * i;
      const color = getComputedStyle(root).getPropertyValue(`--${s.look.color.slice(1)}`).trim();
      const ground = getComputedStyle(document.body).backgroundColor;
      make(whole, "line", { x1: 50, x2: 80, y1: at - 4, y2: at - 4, stroke: color, "stroke-width": 1.8, "stroke-dasharray": DASHES[s.look.dashes] });
      if (!s.solid || s.dots) marker(whole, s.look, 65, at - 4, 3.5, { fill: ground, "stroke-width": 1.5 }).setAttribute("stroke", color);
      make(whole, "text", { ...text, x: 88, y: at, "font-size": 12 }, s.name);
    });
    return { text: new XMLSerializer().serializeToString(whole), width, height: height + head + foot };
  };
  const png = (figure) => new Promise((done) => {
    const { text, width, height } = picture(figure);
    const image = new Image();
    image.onload = () => {
      const sharp = 3;
      const canvas = Object.assign(document.createElement("canvas"), { width: sharp * width, height: sharp * height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => { download(blob, fileName(chartOf(figure), "png")); done(); }, "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });

  const figures = pick("figure[data-chart]");
  for (const figure of figures) {
    const svg = figure.querySelector("svg");
    const place = (event) => {
      const { width } = figure.geometry;
      const box = svg.getBoundingClientRect();
      return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * width) / box.width];
    };
    let start = null;
    svg.addEventListener("pointerdown", (event) => {
      if (chartOf(figure).rows || event.button !== 0) return;
      start = place(event)[0];
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const [px, py] = place(event);
      point(figure, figure.geometry.nearest(px, py));
      if (start === null || Math.abs(px - start) < 8) return;
      const { box, height } = figure.geometry;
      make(svg, "rect", { class: "drag", x: Math.min(px, start), width: Math.abs(px - start), y: box.top, height: height - box.top - box.bottom });
    });
    svg.addEventListener("pointerup", (event) => {
      const end = place(event)[0];
      if (start !== null && Math.abs(end - start) >= 8) {
        zoom(figure, [figure.geometry.back(Math.min(start, end)), figure.geometry.back(Math.max(start, end))]);
      }
      start = null;
    });
    svg.addEventListener("pointercancel", () => { start = null; hide(figure); });
    svg.addEventListener("dblclick", () => { if (!chartOf(figure).rows) zoom(figure, null); });
    svg.addEventListener("pointerleave", () => { if (document.activeElement !== svg) hide(figure); });
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) point(figure, figure.index ?? chartOf(figure).x.length - 1); });
    svg.addEventListener("blur", () => hide(figure));
    svg.addEventListener("keydown", (event) => {
      const { chart, inside } = figure.geometry;
      const places = chart.x.map((_, i) => i).filter(inside);
      const end = places[places.length - 1];
      const now = figure.index ?? end;
      const next = {
        ArrowLeft: now - 1, ArrowRight: now + 1, ArrowUp: now - 1, ArrowDown: now + 1, Home: places[0], End: end,
      }[event.key];
      if (event.key === "Escape") hide(figure);
      if (!chart.rows && "+=".includes(event.key)) closer(figure, 0.5);
      if (!chart.rows && event.key === "-") closer(figure, 2);
      if (!chart.rows && event.key === "0") zoom(figure, null);
      if (next === undefined) return;
      event.preventDefault();
      point(figure, Math.max(places[0], Math.min(end, next)));
    });
    const save = { csv, png, all: (one) => zoom(one, null) };
    pick("button[data-save]", figure).forEach((button) => button.addEventListener("click", () => save[button.dataset.save](figure)));
  }
  const redraw = (paper = false, within = document) =>
    pick("figure[data-chart]", within).forEach((figure) => { hide(figure); draw(figure, paper); });
  for (const input of pick('.tools input[type="radio"]')) {
    input.addEventListener("change", () => redraw(false, input.closest("section")));
  }
  for (const button of pick(".key button")) {
    button.addEventListener("click", () => {
      const section = button.closest("section");
      const set = hidden.get(section);
      const on = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(!on));
      if (on) set.add(button.dataset.name);
      else set.delete(button.dataset.name);
      redraw(false, section);
    });
  }
  let wide = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === wide) return;
    wide = document.body.clientWidth;
    redraw();
  }).observe(document.body);
  addEventListener("beforeprint", () => { paint(true); redraw(true); });
  addEventListener("afterprint", () => { paint(false); redraw(); });
  redraw();
})();
