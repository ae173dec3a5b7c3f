"use strict";
// Draws the graph in #data. Each open scope is laid out by itself, with its inputs and outputs as nodes of its own, so that
// opening one moves nothing but what lies around it. What a page says of a node comes from text nodes alone: the strings are the user's.
(() => {
  const started = performance.now();
  const graph = JSON.parse(document.getElementById("data").textContent);
  const svg = document.getElementById("graph"), view = document.getElementById("view");
  const details = document.getElementById("details"), query = document.getElementById("query"), count = document.getElementById("found");
  const FIRST = 40, MOST = 800;  // nodes shown at first, and by "Expand all"
  const COPIED = 3;  // an input that more nodes than that read is drawn beside each of them
  const root = graph.root, all = [];
  let chosen = null, matches = [], at = -1;

  const pencil = document.createElement("canvas").getContext("2d");
  const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
  const advance = size => { pencil.font = `${size}px ${MONO}`; return pencil.measureText("0000000000").width / 10; };
  const WIDE = advance(12) * 1.03, SMALL = advance(10.5) * 1.03;
  const short = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

  function prepare(node, parent) {
    node.parent = parent;
    node.open = false;
    all.push(node);
    node.size = 0;
    for (const child of node.c || []) { prepare(child, node); node.size += child.size; }
    if (node.kind) node.size += 1;
  }
  const isScope = node => node.c !== undefined;
  const type = name => graph.values[name] || "";
  const isLiteral = name => name.startsWith("=");
  const shown = name => isLiteral(name) ? name.slice(1) : name;
  const source = node => node.s === undefined ? null : graph.sources[node.s];
  const place = found => `${found[0].split(/[\\/]/).pop()}:${found[1]}`;
  const lineOf = node => { const found = source(node); return found ? `${found[1]}  ${found[2]}` : ""; };

  // --- layout ---

  function measure(node) {
    const right = isScope(node) ? `${node.size} ops` : (node.out.length ? type(node.out[0]) + (node.out.length > 1 ? ", …" : "") : "");
    node.title = (isScope(node) ? (node.open ? "▾ " : "▸ ") : "") + short(node.n, 36);
    node.right = short(right, 30);
    node.line = short(lineOf(node), 44);
    const head = (node.title.length + (node.right && !node.open ? node.right.length * 0.875 + 2 : 0)) * WIDE;
    return { width: Math.max(70, head + 18, node.line.length * SMALL + 18), height: node.line ? 40 : 26 };
  }

  function pill(name) {
    const text = short(`${name}  ${type(name)}`, 40);
    return { pill: true, value: name, text, w: Math.max(40, text.length * SMALL + 20), h: 20, in: [], out: [name] };
  }

  function lay(scope) {
    if (scope.drawn) return;
    const items = [], makers = new Map();
    for (const child of scope.c) {
      if (isScope(child) && child.open) lay(child);
      else { const size = measure(child); child.w = size.width; child.h = size.height; }
      items.push(child);
    }
    const needed = new Set(scope.o);
    for (const child of scope.c) for (const name of child.in) needed.add(name);
    const given = new Set(scope.i.filter(name => needed.has(name))), inputs = [];
    const outputs = [...new Set(scope.o)].filter(name => !isLiteral(name)).map(name => ({ ...pill(name), in: [name], out: [] }));
    for (const item of items) for (const name of item.out) makers.set(name, item);
    items.push(...outputs);
    const readers = name => items.filter(item => item.in.includes(name));
    for (const name of given) {
      const own = readers(name);
      if (own.length <= COPIED) { makers.set(name, pill(name)); inputs.push(makers.get(name)); continue; }
      for (const item of own) inputs.push({ ...pill(name), only: item });
    }
    items.unshift(...inputs);
    const g = new dagre.graphlib.Graph();
    g.setGraph({ ranksep: 26, nodesep: 18, edgesep: 8, marginx: 12, marginy: 12 });
    g.setDefaultEdgeLabel(() => ({}));
    items.forEach((item, k) => { item.key = "n" + k; g.setNode(item.key, { width: item.w, height: item.h }); });
    for (const item of inputs) if (item.only) g.setEdge(item.key, item.only.key);
    for (const item of items) for (const name of item.in) {
      const maker = makers.get(name);
      if (maker && maker !== item) g.setEdge(maker.key, item.key);
    }
    dagre.layout(g);
    const size = items.length ? g.graph() : { width: 80, height: 10 };
    for (const item of items) { const n = g.node(item.key); item.x = n.x - item.w / 2; item.y = n.y - item.h / 2; }
    const byKey = new Map(items.map(item => [item.key, item]));
    const edges = g.edges().map(e => ({ from: byKey.get(e.v), to: byKey.get(e.w), points: g.edge(e).points }));
    const head = scope === root ? { width: 0, height: 0 } : measure(scope);
    const width = Math.max(size.width, head.width + 24);
    scope.drawn = { items, edges, shift: (width - size.width) / 2, top: scope === root ? 0 : head.height - 4 };
    scope.w = width;
    scope.h = size.height + scope.drawn.top;
  }

  function forget(node) { for (; node; node = node.parent) node.drawn = null; }

  // --- drawing ---

  const SVG = "http://www.w3.org/2000/svg";
  function make(name, attributes, parent, text) {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.appendChild(element);
    return element;
  }

  function path(points) {
    let d = `M${points[0].x} ${points[0].y}`;
    for (let k = 1; k < points.length - 1; k++) {
      const a = points[k], b = points[k + 1], last = k === points.length - 2;
      d += `Q${a.x} ${a.y} ${last ? b.x : (a.x + b.x) / 2} ${last ? b.y : (a.y + b.y) / 2}`;
    }
    return points.length === 2 ? d + `L${points[1].x} ${points[1].y}` : d;
  }

  function paint(node, parent) {
    const kind = node.pill ? "pill" : isScope(node) ? `scope ${node.k}${node.open ? " open" : ""}` : "op";
    const g = make("g", { class: `node ${kind}`, transform: `translate(${node.x} ${node.y})` }, parent);
    node.element = g;
    g.model = node;
    make("rect", { class: "box", width: node.w, height: node.h, rx: node.pill ? 10 : 6 }, g);
    if (node.pill) {
      make("text", { class: "small", x: node.w / 2, y: 14, "text-anchor": "middle" }, g, node.text);
      make("title", {}, g, `${node.value}: ${type(node.value)}`);
      return;
    }
    g.setAttribute("tabindex", "0");
    g.setAttribute("role", "button");
    if (isScope(node)) g.setAttribute("aria-expanded", String(node.open));
    g.setAttribute("aria-label", `${node.n} ${lineOf(node)}`);
    make("text", { class: "name", x: 9, y: 17 }, g, node.title);
    if (!node.open) make("text", { class: "small", x: node.w - 9, y: 17, "text-anchor": "end" }, g, node.right);
    if (node.line) make("text", { class: "small", x: 9, y: 32 }, g, node.line);
    if (isScope(node) && node.open) inside(node, make("g", { transform: `translate(${node.drawn.shift} ${node.drawn.top})` }, g));
  }

  function inside(scope, g) {
    for (const edge of scope.drawn.edges) edge.element = make("path", { class: "edge", d: path(edge.points) }, g);
    for (const item of scope.drawn.items) paint(item, g);
  }

  function draw() {
    lay(root);
    for (const node of all) node.element = null;
    view.textContent = "";
    inside(root, make("g", {}, view));
    mark();
  }

  function mark() {
    for (const element of view.querySelectorAll(".found, .chosen, .near")) element.classList.remove("found", "chosen", "near");
    for (const node of matches) if (node.element) node.element.classList.add("found");
    if (!chosen || !chosen.element) return;
    chosen.element.classList.add("chosen");
    const around = chosen.parent && chosen.parent.drawn;
    for (const edge of around ? around.edges : []) if (edge.from === chosen || edge.to === chosen) edge.element.classList.add("near");
  }

  // --- the view ---

  let x = 0, y = 0, zoom = 1;
  const move = () => view.setAttribute("transform", `translate(${x} ${y}) scale(${zoom})`);
  function scale(factor, px, py) {
    const next = Math.min(4, Math.max(0.02, zoom * factor));
    x = px - (px - x) * next / zoom;
    y = py - (py - y) * next / zoom;
    zoom = next;
    move();
  }
  function fit(begin) {  // at the beginning letters are of a size to read, from the top on
    const box = svg.getBoundingClientRect(), wide = box.width / root.w * 0.98;
    zoom = begin ? Math.min(1, Math.max(0.7, wide)) : Math.min(1, Math.max(0.02, Math.min(wide, box.height / root.h * 0.98)));
    x = (box.width - root.w * zoom) / 2;
    y = Math.max(8, (box.height - root.h * zoom) / 2);
    move();
  }
  function corner(node) {
    let px = 0, py = 0;
    for (; node && node !== root; node = node.parent) {
      px += node.x; py += node.y;
      const around = node.parent.drawn;
      if (around) { px += around.shift; py += around.top; }
    }
    return { x: px, y: py };
  }
  function center(node) {
    const box = svg.getBoundingClientRect(), found = corner(node);
    if (zoom < 0.6) zoom = 1;
    x = box.width / 2 - (found.x + node.w / 2) * zoom;
    y = Math.max(box.height / 2 - (found.y + node.h / 2) * zoom, box.height * 0.25 - (found.y + 20) * zoom);
    y = node.h * zoom > box.height ? box.height * 0.15 - found.y * zoom : y;
    move();
  }

  function reveal(node) {  // moves the view as little as shows the node, or where it begins
    const box = svg.getBoundingClientRect(), found = corner(node), sheet = details.getBoundingClientRect();
    const height = !details.hidden && sheet.left <= box.left ? sheet.top - box.top : box.height;
    const shift = (begin, size, room) => {
      if (size > room - 24) return begin > 12 ? 12 - begin : 0;  // larger than the room: it is seen from its beginning on
      return Math.min(Math.max(begin, 12), room - 12 - size) - begin;
    };
    x += shift(x + found.x * zoom, node.w * zoom, box.width);
    y += shift(y + found.y * zoom, node.h * zoom, height);
    move();
  }

  function only(node) {  // a scope in which there is but one scope shows what is in that one
    return node.c.length === 1 && isScope(node.c[0]) ? node.c[0] : null;
  }
  function set(node, open) {
    node.open = open;
    forget(node);
    for (let inner = open && only(node); inner; inner = only(inner)) { inner.open = true; inner.drawn = null; }
  }
  function toggle(node) {
    const before = corner(node), width = node.w;
    set(node, !node.open);
    draw();
    const after = corner(node);
    x += (before.x - after.x + (width - node.w) / 2) * zoom;
    y += (before.y - after.y) * zoom;
    move();
  }
  function openUpTo(most) {
    let visible = root.c.length;
    const waiting = root.c.filter(isScope);
    for (let k = 0; k < waiting.length; k++) {
      const node = waiting[k];
      if (visible + node.c.length > most) continue;
      visible += node.c.length;
      node.open = true;
      waiting.push(...node.c.filter(isScope));
    }
  }
  function closeAll() { for (const node of all) { node.open = node === root; node.drawn = null; } }

  // --- details ---

  function tell(name, attributes, parent, text) {
    const element = document.createElement(name);
    for (const key in attributes) element[key] = attributes[key];
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  function list(title, names) {
    if (!names.length) return;
    tell("h3", {}, details, title);
    const ul = tell("ul", {}, details);
    for (const name of names.slice(0, 40)) tell("li", {}, ul, isLiteral(name) ? shown(name) : `${name}: ${type(name)}`);
    if (names.length > 40) tell("li", {}, ul, `and ${names.length - 40} more`);
  }
  function tellOf(node) {
    details.textContent = "";
    details.hidden = !node;
    if (!node) return;
    tell("button", { className: "close", type: "button", ariaLabel: "Close", onclick: () => choose(null) }, details, "×");
    tell("h2", {}, details, node.n);
    const kind = isScope(node) ? `${node.op ? node.op + ", " : ""}${node.size} operation${node.size === 1 ? "" : "s"}` : node.kind;
    if (kind !== node.n) tell("p", { className: "faint" }, details, kind);
    if (node.p) tell("p", {}, details, `in ${node.p}`);
    const found = source(node);
    if (found) {
      tell("h3", {}, details, place(found)).title = found[0];
      tell("pre", {}, details, found[2]);
    }
    list("takes", node.in);
    list("makes", node.out);
    const parameters = Object.entries(node.a || {});
    if (parameters.length) tell("h3", {}, details, "parameters");
    const dl = tell("dl", {}, details);
    for (const [key, value] of parameters) { tell("dt", {}, dl, key); tell("dd", {}, dl, value); }
  }
  function choose(node) {
    chosen = node;
    tellOf(node);
    mark();
    if (node && node.element) reveal(node);
  }

  // --- search ---

  function seek() {
    const words = query.value.trim().toLowerCase();
    const named = node => [node.n, node.op || "", node.kind || ""].join(" ").toLowerCase().includes(words);
    matches = words ? all.filter(node => node !== root && text(node).includes(words)) : [];
    matches.sort((a, b) => named(b) - named(a));
    at = -1;
    count.textContent = words ? (matches.length ? `${matches.length} found` : "none") : "";
    mark();
  }
  function text(node) {
    if (node.text === undefined) node.text = [node.n, node.op || "", node.kind || "", lineOf(node)].join("\n").toLowerCase();
    return node.text;
  }
  function next(step) {
    if (!matches.length) return;
    at = (at + step + matches.length) % matches.length;
    count.textContent = `${at + 1} of ${matches.length}`;
    const node = matches[at];
    if (!views.hidden) show("Graph");
    for (let around = node.parent; around; around = around.parent) if (!around.open) { around.open = true; forget(around); }
    draw();
    choose(node);
    center(node);
  }

  // --- events ---

  const modelAt = target => { const g = target.closest && target.closest(".node"); return g ? g.model : null; };
  function press(node) {
    if (!node || node.pill) { choose(null); return; }
    if (isScope(node)) toggle(node);
    choose(node);
  }
  const fingers = new Map();
  let travelled = 0;
  const middle = () => {
    const [a, b] = [...fingers.values()];
    return b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, gap: Math.hypot(a.x - b.x, a.y - b.y) } : { ...a, gap: 0 };
  };
  svg.addEventListener("pointerdown", event => {
    if (event.button) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 1) travelled = 0;
  });
  svg.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    const before = middle();
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const now = middle();
    travelled += Math.hypot(now.x - before.x, now.y - before.y) + Math.abs(now.gap - before.gap);
    if (travelled > 4) { svg.classList.add("moving"); svg.setPointerCapture(event.pointerId); }
    x += now.x - before.x;
    y += now.y - before.y;
    const box = svg.getBoundingClientRect();
    if (before.gap && now.gap) scale(now.gap / before.gap, now.x - box.left, now.y - box.top); else move();
  });
  const lift = event => { fingers.delete(event.pointerId); svg.classList.remove("moving"); };
  svg.addEventListener("pointerup", lift);
  svg.addEventListener("pointercancel", lift);
  svg.addEventListener("click", event => { if (travelled <= 4) press(modelAt(event.target)); });
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    scale(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  svg.addEventListener("keydown", event => {
    const node = modelAt(event.target);
    if (!node || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    press(node);
    if (node.element) node.element.focus();
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") choose(null);
    if (event.key === "/" && document.activeElement !== query) { event.preventDefault(); query.focus(); }
  });
  query.addEventListener("input", seek);
  document.getElementById("search").addEventListener("submit", event => { event.preventDefault(); next(1); });
  query.addEventListener("keydown", event => { if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); next(-1); } });
  const button = (id, action) => document.getElementById(id).addEventListener("click", action);
  const amid = factor => { const box = svg.getBoundingClientRect(); scale(factor, box.width / 2, box.height / 2); };
  button("in", () => amid(1.3));
  button("out", () => amid(1 / 1.3));
  button("fit", () => fit());
  button("collapse", () => { closeAll(); draw(); fit(true); });
  button("expand", () => { closeAll(); openUpTo(MOST); draw(); fit(true); });

  // --- the other forms of the program ---

  const views = document.getElementById("views"), program = document.getElementById("program");
  function show(title) {
    svg.toggleAttribute("hidden", title !== "Graph");
    program.hidden = title === "Graph";
    program.textContent = graph.texts[title] || "";
    choose(null);
    for (const each of views.children) each.setAttribute("aria-pressed", String(each.textContent === title));
  }
  if (Object.keys(graph.texts).length) {
    views.hidden = false;
    for (const title of ["Graph", ...Object.keys(graph.texts)]) {
      tell("button", { type: "button", onclick: () => show(title) }, views, title);
    }
    show("Graph");
  }

  prepare(root, null);
  closeAll();
  openUpTo(FIRST);
  draw();
  fit(true);
  document.documentElement.dataset.ready = Math.round(performance.now() - started);
})();
