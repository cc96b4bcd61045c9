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

  // ---- tables: sort by raw values, empty ones last
  for (const button of pick("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = head.closest("table");
      const column = [...head.parentNode.children].indexOf(head);
      const up = head.getAttribute("aria-sort") !== "ascending";
      pick("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const numeric = head.classList.contains("number");
      const value = (row) => row.children[column].dataset.value ?? "";
      const rows = pick("tbody tr", table).map((row, i) => ({ row, i, v: value(row) }));
      rows.sort((a, b) => {
        if (a.v === "" || b.v === "") return (a.v === "") - (b.v === "") || a.i - b.i;
        const order = numeric ? Number(a.v) - Number(b.v) : a.v.localeCompare(b.v);
        return (up ? order : -order) || a.i - b.i;
      });
      table.tBodies[0].append(...rows.map((item) => item.row));
    });
  }

  // ---- the filter of the verdicts
  const filters = pick("select[data-filter]");
  const filter = () => {
    const rows = pick("#verdict-table tbody tr");
    for (const row of rows) {
      row.hidden = !filters.every((select) => {
        const values = JSON.parse(row.dataset.facets)[select.dataset.filter];
        return select.value === "" || values.includes(select.value);
      });
    }
    const seen = rows.filter((row) => !row.hidden).length;
    document.getElementById("count").textContent = `${seen} of ${rows.length} rows`;
  };
  filters.forEach((select) => select.addEventListener("change", filter));
  if (filters.length) filter();

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
  const DASHES = ["", "8 3", "6 2 1.5 2", "3 2"];
  const lineStyle = (slot) => ({ color: `var(--c${slot % 7})`, dashes: DASHES[slot % 4] });
  const marker = (parent, slot, x, y, r) => {
    const style = { class: "mean", stroke: lineStyle(slot).color };
    const [a, b] = [r * 0.9, r * 1.25];
    if (slot % 3 === 0) return make(parent, "circle", { ...style, cx: x, cy: y, r });
    if (slot % 3 === 1) return make(parent, "rect", { ...style, x: x - a, y: y - a, width: 2 * a, height: 2 * a });
    return make(parent, "path", { ...style, d: `M${x},${y - b}L${x + b},${y + a}H${x - b}Z` });
  };
  const short = (n) => {
    if (n < 1e4) return String(n);
    const [digits, power] = n.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`;
  };
  const show = (value, kind) => {
    if (value === null || value === undefined) return "–";
    return kind === "exponent" ? value.toExponential(1) : value.toFixed(5);
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
    return found.length > 1 ? found : [...new Set([low, high])];
  };
  const chosenOf = (name) => document.querySelector(`input[name="${name}"]:checked`).value;

  const draw = (figure, paper) => {
    const chart = charts[Number(figure.dataset.chart)];
    const svg = figure.querySelector("svg");
    const width = paper ? 400 : Math.max(260, figure.clientWidth);
    const height = Math.round(Math.min(320, Math.max(230, width * 0.56)));
    const logarithmic = chosenOf("scale") === "log";
    const box = { left: 46, right: 12, top: 10, bottom: 38 };
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const all = chart.series.flatMap((s) => [s.y, s.low ?? [], s.high ?? [], s.line ?? [], [s.limit ?? null]]).flat();
    const known = all.filter((v) => v !== null && v !== undefined);
    let [bottom, top] = [0, chart.top ?? 1];
    if (chosenOf("range") === "fit" && known.length) {
      [bottom, top] = [Math.min(...known), Math.max(...known)];
      const room = 0.05 * (top - bottom) || 0.05;
      [bottom, top] = [Math.max(0, bottom - room), Math.min(chart.top ?? 1, top + room)];
    }
    const scale = logarithmic ? Math.log10 : (v) => v;
    let [first, last] = [chart.n[0], chart.n[chart.n.length - 1]];
    if (first === last) [first, last] = [first / 2, last * 2];
    const inner = { width: width - box.left - box.right, height: height - box.top - box.bottom };
    const x = (n) => box.left + 6 + ((inner.width - 12) * (scale(n) - scale(first))) / (scale(last) - scale(first));
    const y = (v) => box.top + inner.height * (1 - (v - bottom) / (top - bottom));

    const { ticks, digits } = steps(bottom, top);
    for (const v of ticks) {
      make(svg, "line", { class: "grid", x1: box.left, x2: width - box.right, y1: y(v), y2: y(v) });
      make(svg, "text", { x: box.left - 6, y: y(v) + 4, "text-anchor": "end" }, v.toFixed(digits));
    }
    const across = logarithmic ? decades(first, last) : steps(0, last).ticks.filter((n) => n >= first);
    for (const n of across) {
      make(svg, "line", { class: "axis", x1: x(n), x2: x(n), y1: height - box.bottom, y2: height - box.bottom + 4 });
      make(svg, "text", { x: x(n), y: height - box.bottom + 17, "text-anchor": "middle" }, short(n));
    }
    make(svg, "line", { class: "axis", x1: box.left, x2: width - box.right, y1: height - box.bottom, y2: height - box.bottom });
    make(svg, "text", { x: width - box.right, y: height - 5, "text-anchor": "end" }, "list length n");

    const clip = make(make(svg, "clipPath", { id: `clip${figure.dataset.chart}` }), "rect", {
      x: box.left, y: box.top - 4, width: inner.width, height: inner.height + 8,
    });
    const area = make(svg, "g", { "clip-path": `url(#${clip.parentNode.id})` });
    const path = (values) => {
      let d = "";
      let pen = "M";
      values.forEach((v, i) => {
        if (v === null) { pen = "M"; return; }
        d += `${pen}${x(chart.n[i]).toFixed(2)},${y(v).toFixed(2)}`;
        pen = "L";
      });
      return d;
    };
    chart.series.forEach((s) => {
      if (!s.low) return;
      const back = s.high.map((v, i) => `L${x(chart.n[i]).toFixed(2)},${y(v).toFixed(2)}`).reverse().join("");
      make(area, "path", { class: "band", d: `${path(s.low)}${back}Z`, fill: lineStyle(s.slot).color });
    });
    chart.series.forEach((s) => {
      const { color, dashes } = lineStyle(s.slot);
      if (s.limit !== null && s.limit !== undefined) {
        make(area, "line", { class: "limit", stroke: color, x1: box.left, x2: width - box.right, y1: y(s.limit), y2: y(s.limit) });
      }
      make(area, "path", { class: "exact", d: path(s.line ?? s.y), stroke: color, "stroke-dasharray": dashes });
    });
    // markers: as many as do not overlap
    let before = -Infinity;
    const marked = chart.n.map((_, i) => i).reverse().filter((i) => {
      const at = -x(chart.n[i]);
      if (at - before < 14) return false;
      before = at;
      return true;
    });
    for (const s of chart.series) for (const i of marked) if (s.y[i] !== null) marker(area, s.slot, x(chart.n[i]), y(s.y[i]), 3);
    figure.geometry = { chart, x, y, width, height, box };
  };

  const hide = (figure) => {
    figure.querySelector(".tip").hidden = true;
    figure.querySelectorAll(".rule, .dot").forEach((node) => node.remove());
  };
  const point = (figure, index) => {
    const { chart, x, y, width, height, box } = figure.geometry;
    hide(figure);
    figure.index = index;
    const svg = figure.querySelector("svg");
    const at = x(chart.n[index]);
    make(svg, "line", { class: "rule", x1: at, x2: at, y1: box.top, y2: height - box.bottom });
    const tip = figure.querySelector(".tip");
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const text of [`n = ${chart.n[index].toLocaleString("en")}`, ...chart.fields.map((f) => f.label)]) {
      head.append(Object.assign(document.createElement("th"), { textContent: text }));
    }
    const body = table.createTBody();
    for (const s of chart.series) {
      const row = body.insertRow();
      const name = row.insertCell();
      const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
      swatch.style.background = lineStyle(s.slot).color;
      name.append(swatch, " ", Object.assign(document.createElement("bdi"), { textContent: s.name }));
      for (const f of chart.fields) {
        const value = Array.isArray(s[f.key]) ? s[f.key][index] : s[f.key];
        const cell = row.insertCell();
        cell.className = "number";
        cell.textContent = show(value, f.kind);
      }
      if (s.y[index] !== null) {
        make(svg, "circle", { class: "dot", cx: at, cy: y(s.y[index]), r: 3.5, fill: lineStyle(s.slot).color });
      }
    }
    tip.replaceChildren(table);
    tip.hidden = false;
    const left = at + 14 + tip.offsetWidth > width ? at - 14 - tip.offsetWidth : at + 14;
    tip.style.left = `${Math.max(0, Math.min(left, width - tip.offsetWidth))}px`;
    tip.style.top = `${svg.offsetTop + height - box.bottom + 6}px`;
  };

  const figures = pick("figure[data-chart]");
  for (const figure of figures) {
    const svg = figure.querySelector("svg");
    const nearest = (event) => {
      const { chart, x, width } = figure.geometry;
      const frame = svg.getBoundingClientRect();
      const at = ((event.clientX - frame.left) * width) / frame.width;
      let best = 0;
      chart.n.forEach((n, i) => { if (Math.abs(x(n) - at) < Math.abs(x(chart.n[best]) - at)) best = i; });
      return best;
    };
    svg.addEventListener("pointermove", (event) => point(figure, nearest(event)));
    svg.addEventListener("pointerleave", () => { if (document.activeElement !== svg) hide(figure); });
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) point(figure, figure.index ?? figure.geometry.chart.n.length - 1); });
    svg.addEventListener("blur", () => hide(figure));
    svg.addEventListener("keydown", (event) => {
      const end = figure.geometry.chart.n.length - 1;
      const now = figure.index ?? end;
      const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: end }[event.key];
      if (event.key === "Escape") hide(figure);
      if (next === undefined) return;
      event.preventDefault();
      point(figure, Math.max(0, Math.min(end, next)));
    });
  }
  const redraw = (paper = false) => figures.forEach((figure) => { hide(figure); draw(figure, paper); });
  pick('input[name="scale"], input[name="range"]').forEach((input) => input.addEventListener("change", () => redraw()));
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
