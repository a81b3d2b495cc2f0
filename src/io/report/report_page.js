// SPDX-License-Identifier: Apache-2.0
// Plots of a run: data come from the element "data", charts go into the element "charts".
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const W = 560, H = 250, L = 70, R = 12, T = 10, B = 34;
const NS = 'http://www.w3.org/2000/svg';
const color = i => `var(--c${i % 8})`;

function element(parent, name, attributes, text) {
  const svg = ['svg', 'g', 'path', 'line', 'text', 'circle', 'rect'].includes(name);
  const node = svg ? document.createElementNS(NS, name) : document.createElement(name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

const minus = text => text.replaceAll('-', '\u2212');

function exponential(value) {
  return minus(value.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e'));
}

function number(value) {
  const size = Math.abs(value);
  if (size >= 1e5 || (size < 1e-3 && size > 0)) return exponential(value);
  return minus(String(Number(value.toPrecision(4))));
}

// the texts of an axis: all of them plain, with as many decimals as their step has, or none
function labels(list) {
  const step = list.length > 1 ? list[1] - list[0] : Math.abs(list[0]) || 1;
  const size = Math.max(...list.map(Math.abs));
  if (size >= 1e6 || step < 1e-4) return list.map(v => v === 0 ? '0' : exponential(Number(v.toPrecision(10))));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return list.map(v => minus(v.toFixed(decimals).replace(/^-(0\.?0*)$/, '$1')));
}

// round steps of 1, 2 or 5 times a power of ten
function ticks(low, high, wanted) {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(k => k * power >= raw);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) list.push(k * step);
  return list;
}

function decades(low, high) {
  const list = [], skip = Math.max(1, Math.ceil((high - low) / 6));
  for (let k = Math.ceil(low); k <= high; k += skip) list.push(k);
  return list;
}

function rangeOf(plot) {
  let low = Infinity, high = -Infinity;
  const shown = plot.series.filter(s => !s.off);
  if (plot.stack) {
    low = 0;
    data.time.forEach((_, i) => { high = Math.max(high, shown.reduce((sum, s) => sum + s.mean[i], 0)); });
  } else for (const s of shown) for (let i = 0; i < s.mean.length; ++i) {
    const a = s.min[i], b = s.max[i];
    if (!plot.log || a > 0) low = Math.min(low, a);
    if (!plot.log || b > 0) high = Math.max(high, b);
  }
  if (plot.include !== undefined) { low = Math.min(low, plot.include); high = Math.max(high, plot.include); }
  if (!(high >= low)) { low = plot.log ? 1e-6 : 0; high = 1; }
  if (plot.log) return [Math.log10(low) - 0.3, Math.log10(high) + 0.3];
  if (high === low) { const pad = Math.abs(high) || 1; return [plot.zero ? 0 : low - pad * 0.5, high + pad * 0.5]; }
  const pad = (high - low) * 0.06;
  return [plot.zero || plot.stack ? Math.min(0, low) : low - pad, high + pad];
}

function draw(plot) {
  const svg = plot.svg, [low, high] = rangeOf(plot);
  svg.replaceChildren();
  const last = data.time[data.time.length - 1] || 1;
  const x = t => L + (W - L - R) * t / last;
  const value = v => plot.log ? (v > 0 ? Math.log10(v) : low) : v;
  const y = v => T + (H - T - B) * (1 - (Math.min(high, Math.max(low, value(v))) - low) / (high - low));
  plot.x = x; plot.y = y;

  const rows = plot.log ? decades(low, high) : ticks(low, high, 6);
  const texts = plot.log ? rows.map(k => minus('1e' + k)) : labels(rows);
  rows.forEach((tick, i) => {
    const at = y(plot.log ? 10 ** tick : tick);
    element(svg, 'line', { class: 'grid', x1: L, x2: W - R, y1: at, y2: at });
    element(svg, 'text', { x: L - 8, y: at + 4, 'text-anchor': 'end' }, texts[i]);
  });
  const columns = ticks(0, last, 6), moments = labels(columns);
  columns.forEach((tick, i) => {
    element(svg, 'line', { class: 'axis', x1: x(tick), x2: x(tick), y1: H - B, y2: H - B + 4 });
    element(svg, 'text', { x: x(tick), y: H - B + 21, 'text-anchor': 'middle' }, i === 0 ? '0 s' : moments[i]);
  });
  element(svg, 'line', { class: 'axis', x1: L, x2: W - R, y1: H - B, y2: H - B });
  if (plot.include !== undefined && !plot.log) element(svg, 'line', { class: 'rule', x1: L, x2: W - R, y1: y(plot.include), y2: y(plot.include) });

  const path = (values, from) => values.map((v, i) => `${i + from ? 'L' : 'M'}${x(data.time[i]).toFixed(1)},${y(v).toFixed(1)}`).join('');
  const closed = (upper, lower) => path(upper, 0) + lower.map((_, k) => { const i = lower.length - 1 - k; return `L${x(data.time[i]).toFixed(1)},${y(lower[i]).toFixed(1)}`; }).join('') + 'Z';
  let floor = data.time.map(() => 0);
  for (const s of plot.series) {
    if (s.off) continue;
    if (plot.stack) {
      const top = floor.map((v, i) => v + s.mean[i]);
      element(svg, 'path', { class: 'area', d: closed(top, floor), style: `fill:${s.color}` });
      floor = top;
    } else {
      if (data.stride > 1) element(svg, 'path', { class: 'band', d: closed(s.max, s.min), style: `fill:${s.color}` });
      element(svg, 'path', { class: 'trace' + (s.dashed ? ' dashed' : ''), d: path(s.mean, 0), style: `stroke:${s.color}` });
      // few steps are shown as what they are: single values
      if (s.mean.length === 1 || (s.mean.length <= 32 && !s.dashed)) s.mean.forEach((v, i) => element(svg, 'circle', { cx: x(data.time[i]), cy: y(v), r: 2.4, style: `fill:${s.color}` }));
    }
  }
  plot.cursor = element(svg, 'g', {});
}

function point(plot, event) {
  const box = plot.svg.getBoundingClientRect(), at = (event.clientX - box.left) * W / box.width;
  let best = 0;
  data.time.forEach((t, i) => { if (Math.abs(plot.x(t) - at) < Math.abs(plot.x(data.time[best]) - at)) best = i; });
  plot.cursor.replaceChildren();
  const px = plot.x(data.time[best]);
  element(plot.cursor, 'line', { class: 'cursor', x1: px, x2: px, y1: T, y2: H - B });
  plot.tip.hidden = false;
  plot.tip.replaceChildren();
  const head = element(plot.tip, 'div', {});
  element(head, 'b', {}, `${number(data.time[best])} s`);
  element(head, 'span', {}, ` \u00b7 ${data.stride > 1 ? 'up to step' : 'step'} ${data.step[best]}`);
  for (const s of plot.series) {
    if (s.off) continue;
    const row = element(plot.tip, 'div', {});
    element(row, 'i', { style: `background:${s.color}` });
    const spread = data.stride > 1 && !plot.stack && s.max[best] > s.min[best] ? ` (${number(s.min[best])} \u2026 ${number(s.max[best])})` : '';
    element(row, 'span', {}, `${s.name}: ${number(s.mean[best])}${spread}`);
    if (!plot.stack) element(plot.cursor, 'circle', { cx: px, cy: plot.y(s.mean[best]), r: 3, style: `fill:${s.color}` });
  }
  const right = px * box.width / W, width = plot.tip.offsetWidth, host = plot.host.getBoundingClientRect();
  const left = right + 14 + width > host.width - 8 ? right - width : right + 28;
  plot.tip.style.left = Math.max(4, left) + 'px';
  plot.tip.style.top = (box.top - host.top + 12) + 'px';
}

function chart(title, unit, series, options) {
  if (series.length === 0 || data.time.length === 0) return;
  const charts = document.getElementById('charts');
  const host = element(charts, 'section', { class: 'card chart' });
  charts.insertBefore(host, document.getElementById('phases'));
  const heading = element(host, 'h2', {}, title);
  element(heading, 'span', { class: 'unit' }, unit);
  const legend = element(host, 'div', { class: 'legend' });
  const plot = { host, series, ...options };
  plot.svg = element(host, 'svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': title });
  plot.tip = element(host, 'div', { class: 'tip' });
  plot.tip.hidden = true;
  for (const s of series) {
    const button = element(legend, 'button', { type: 'button' });
    element(button, 'i', { style: `--swatch:${s.color}`, ...(s.dashed && { class: 'dash' }) });
    button.append(s.name);
    button.onclick = () => { s.off = !s.off; button.classList.toggle('off', s.off); draw(plot); };
  }
  plot.svg.addEventListener('pointermove', event => point(plot, event));
  plot.svg.addEventListener('pointerleave', () => { plot.tip.hidden = true; plot.cursor.replaceChildren(); });
  draw(plot);
}

function lines(list) {
  const used = list.filter(([key]) => data.channels[key].max.some((v, i) => v !== 0 || data.channels[key].min[i] !== 0));
  return used.map(([key, name, c, dashed]) => ({ name, color: color(c), dashed, ...data.channels[key] }));
}

for (const key in data.channels) {
  const c = data.channels[key];
  c.min = c.min || c.mean;
  c.max = c.max || c.mean;
}
chart('Energy', 'J', lines([['kinetic', 'kinetic', 0], ['elastic', 'elastic', 1], ['gravity', 'gravity', 2], ['attachment', 'attachment', 3], ['load', 'loads', 4], ['cavity', 'cavities', 7], ['contact', 'contact', 6], ['total', 'total', 5, true]]), {});
chart('Momentum', 'kg m/s', lines([['momentum_x', 'x', 0], ['momentum_y', 'y', 1], ['momentum_z', 'z', 2]]), {});
chart('Angular momentum', 'kg m\u00b2/s, about the origin', lines([['angular_x', 'x', 0], ['angular_y', 'y', 1], ['angular_z', 'z', 2]]), {});
chart('Residual against tolerance', data.tolerance_unit || (data.implicit ? 'scaled residual' : ''), lines([['residual', 'residual', 0], ['tolerance', 'tolerance', 6, true]]), { log: true });
chart('Iterations', 'outer, per step', lines([['iterations', 'iterations', 0]]), { zero: true });
chart('Linear iterations', 'all systems of a step together', lines([['linear_iterations', 'linear iterations', 1]]), { zero: true });
chart('Particles', 'after each step', lines([['particles', 'particles', 0]]), { zero: true });
chart('Sweeps', 'per step', lines([['sweeps', 'sweeps', 1]]), { zero: true });
chart('Nodes', 'of the grid, in the last substep of each step', lines([['nodes', 'nodes', 0]]), { zero: true });
chart('Substeps', 'that steps were cut into', lines([['substeps', 'substeps', 1]]), { zero: true });
if (data.implicit) chart('Lengths of substeps', 's', lines([['longest_step', 'longest', 2], ['shortest_step', 'shortest', 0], ['dt', 'all of it', 6, true]]), { log: true });
else if (data.matter) chart('Steps of blocks', 's', lines([['longest_step', 'longest', 2], ['shortest_step', 'shortest', 0], ['dt', 'all of it', 6, true]]), { log: true });
else chart('Step size', 's', lines([['dt', 'step', 0]]), { zero: true });
if (data.tets) chart('Smallest J', `volume of the most compressed ${data.matter ? 'particle' : 'tetrahedron'}, relative to rest`, lines([['min_J', 'smallest J', 2]]), { include: 0 });
chart(data.matter ? 'Inverted particles' : 'Inverted tetrahedra', 'after each step', lines([['inverted', 'inverted', 6]]), { zero: true });
if (Math.max(...data.channels.contacts.max) > 0) {
  chart('Contacts', 'pairs that touch, after each step', lines([['contacts', 'contacts', 0]]), { zero: true });
  chart('Penetration', 'm, the deepest', lines([['max_depth', 'depth', 6]]), { zero: true });
}
if (Math.max(...data.channels.barrier_distance.max) > 0) {
  chart('Smallest gap', 'm, of what barriers keep apart', lines([['min_gap', 'gap', 0], ['barrier_distance', 'where contact begins', 6, true]]), { log: true });
  chart('Bodies in contact', 'pairs of bodies, or of a body and a plane', lines([['pairs', 'pairs', 1]]), { zero: true });
}
if (data.time.length > 1) chart('Time by phase', 'ms per step', data.phases.map((p, i) => ({ name: p.name, color: color(i), mean: p.ms })), { stack: true });
