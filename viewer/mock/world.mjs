// SPDX-License-Identifier: Apache-2.0
// A small world by formulas: a jelly that bounces, a cloth that falls over a ball, grains that collapse.
// It is no simulation: it looks like one, and what is pulled follows.

const smooth = (t) => {
  const x = Math.min(1, Math.max(0, t));
  return x * x * (3 - 2 * x);
};

// ---- shapes at rest

// Surface of a box of n cells an edge, rounded: points [-1, 1]^3 between a cube and a ball.
function roundedBox(n) {
  const points = [];
  const triangles = [];
  const known = new Map();
  const pointAt = (cell) => {
    const key = cell.join();
    if (known.has(key)) return known.get(key);
    const cube = cell.map((c) => Math.tan(((2 * c) / n - 1) * Math.PI / 4));
    const power = 5;
    const norm = cube.reduce((sum, c) => sum + Math.abs(c) ** power, 0) ** (1 / power);
    points.push(...cube.map((c) => c / norm));
    known.set(key, known.size);
    return known.size - 1;
  };
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [0, n]) {
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const corner = (a, b) => {
            const cell = [0, 0, 0];
            cell[axis] = side;
            cell[(axis + 1) % 3] = a;
            cell[(axis + 2) % 3] = b;
            return pointAt(cell);
          };
          const quad = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
          if (side === 0) quad.reverse();
          triangles.push(quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]);
        }
      }
    }
  }
  return { points: Float32Array.from(points), triangles: Uint32Array.from(triangles) };
}

function sheet(n) {
  const points = [];
  const triangles = [];
  for (let i = 0; i <= n; i++) for (let j = 0; j <= n; j++) points.push((2 * i) / n - 1, 0, (2 * j) / n - 1);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const a = i * (n + 1) + j;
      const [b, c, d] = [a + 1, a + n + 1, a + n + 2];
      if ((i + j) % 2) triangles.push(a, b, c, b, d, c);
      else triangles.push(a, b, d, a, d, c);
    }
  }
  return { points: Float32Array.from(points), triangles: Uint32Array.from(triangles) };
}

function ball(n) {
  const box = roundedBox(n);
  for (let i = 0; i < box.points.length; i += 3) {
    const length = Math.hypot(box.points[i], box.points[i + 1], box.points[i + 2]);
    for (let k = 0; k < 3; k++) box.points[i + k] /= length;
  }
  return box;
}

// Numbers that look random and are always the same.
function* random(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 4294967296;
  }
}

// ---- motion

const JELLY = { center: [-0.75, 0, 0.05], size: 0.34 };
const BALL = { center: [0.62, 0.36, 0], radius: 0.34 };

function jellyAt([x, y, z], time) {
  const phase = (time % 1.2) / 1.2;
  const height = 1.1 * 4 * phase * (1 - phase);
  const near = Math.exp(-9 * height);
  const squash = 1 - 0.3 * near * Math.cos(18 * (phase < 0.5 ? phase : 1 - phase));
  const wide = 1 / Math.sqrt(squash);
  const twist = 0.5 * Math.sin((2 * Math.PI * time) / 1.2) * y;
  const wobble = 0.05 * Math.sin(7 * time + 3 * y);
  const px = wide * (Math.cos(twist) * x - Math.sin(twist) * z) + wobble;
  const pz = wide * (Math.sin(twist) * x + Math.cos(twist) * z);
  const { center, size } = JELLY;
  return [center[0] + size * px, size * (squash * y + 1) * 0.98 + 0.004 + 0.4 * height, center[2] + size * pz];
}

function clothAt([u, , v], time) {
  const [cx, cy, cz] = BALL.center;
  const R = BALL.radius + 0.012;
  const reach = 0.62;
  const r = Math.hypot(u, v) * reach;
  const angle = Math.atan2(v, u);
  const turn = 1.5;
  const arc = Math.min(r / R, turn);
  const rest = Math.max(0, r - turn * R);
  const fold = 0.3 + 0.22 * Math.cos(7 * angle + 0.4) + 0.08 * Math.sin(3 * angle);
  const away = R * Math.sin(arc) + fold * rest;
  const draped = [cx + away * Math.cos(angle), cy + R * Math.cos(arc) - 0.97 * rest, cz + away * Math.sin(angle)];
  const start = 1.05 - 2 * time * time;
  const t = smooth((time - 0.25 - 0.25 * r) / 0.7);
  const wave = 0.03 * Math.exp(-time) * Math.sin(9 * u + 5 * time) * Math.cos(7 * v);
  const flat = [cx + reach * u, Math.max(cy + R, start) + wave, cz + reach * v];
  return draped.map((value, k) => Math.max(k === 1 ? 0.008 : -1e9, flat[k] + t * (value - flat[k])));
}

function grainsAt(grain, time) {
  const t = smooth(time / 1.4);
  const hop = 0.25 * grain.push * Math.sin(Math.PI * t);
  return grain.from.map((value, k) => value + t * (grain.to[k] - value) + (k === 1 ? hop * (1 - t) : 0));
}

function makeGrains(count) {
  const next = random(7);
  const draw = () => next.next().value;
  return Array.from({ length: count }, () => {
    const from = [-0.15 + 0.3 * draw(), 0.006 + 0.75 * draw(), 0.62 + 0.3 * draw()];
    const r = 0.5 * Math.sqrt(draw());
    const angle = 2 * Math.PI * draw();
    const top = 0.34 * Math.max(0, 1 - r / 0.5) ** 1.2;
    // what was high lands high and near the middle
    const to = [r * Math.cos(angle), 0.006 + top * draw(), 0.77 + 0.9 * r * Math.sin(angle)];
    return { from, to, push: draw() };
  });
}

// ---- the world

function topologyOf(name, shape, isSheet) {
  const vertices = Uint32Array.from({ length: shape.points.length / 3 }, (_, i) => i);
  return { name, sheet: isSheet, triangles: shape.triangles, vertices };
}

export class World {
  constructor({ detail = 1, grains = 20000, names = {}, spoiled = false } = {}) {
    this.spoiled = spoiled;
    this.names = { jelly: 'jelly', cloth: 'cloth', ball: 'ball', grains: 'grains', ...names };
    this.jelly = roundedBox(Math.round(26 * detail));
    this.cloth = sheet(Math.round(56 * detail));
    this.ball = ball(20);
    this.grains = makeGrains(grains);
    // surfaces of tetrahedra have vertices that are not in order
    this.topologies = {
      jelly: topologyOf('a1', this.jelly, false),
      cloth: topologyOf('b2', this.cloth, true),
      ball: topologyOf('c3', this.ball, false),
    };
    this.topologies.jelly.vertices = this.topologies.jelly.vertices.map((vertex) => 2 * vertex + 5);
    this.hands = []; // {body, vertex, from, shift, target}
  }

  pointOfVertex(body, vertex) {
    const key = Object.keys(this.names).find((name) => this.names[name] === body);
    const topology = this.topologies[key];
    return topology ? topology.vertices.indexOf(vertex) : -1;
  }

  // Where the formulas put a point, without hands.
  placeOf(key, point, time) {
    const shape = this[key].points;
    const rest = [shape[3 * point], shape[3 * point + 1], shape[3 * point + 2]];
    return key === 'jelly' ? jellyAt(rest, time) : clothAt(rest, time);
  }

  // Hands pull their point towards its target; what is near comes along.
  pull(time) {
    for (const hand of this.hands) {
      const place = this.placeOf(hand.key, hand.point, time);
      hand.shift = hand.shift.map((value, k) => value + 0.5 * (hand.target[k] - place[k] - value));
    }
  }

  moving(key, time) {
    const shape = this[key].points;
    const points = new Float32Array(shape.length);
    const hands = this.hands.filter((hand) => hand.key === key);
    for (let i = 0; i < shape.length; i += 3) {
      const place = this.placeOf(key, i / 3, time);
      for (const { point, shift } of hands) {
        const d2 = (shape[i] - shape[3 * point]) ** 2 + (shape[i + 1] - shape[3 * point + 1]) ** 2 + (shape[i + 2] - shape[3 * point + 2]) ** 2;
        const weight = Math.exp(-2.2 * d2);
        for (let k = 0; k < 3; k++) place[k] += weight * shift[k];
      }
      points.set(place, i);
    }
    return points;
  }

  surface(key, time) {
    const points = this.moving(key, time);
    const before = this.moving(key, time - 0.01);
    const velocity = points.map((value, i) => (value - before[i]) / 0.01);
    const count = points.length / 3;
    const stress = Float32Array.from({ length: count }, (_, i) => {
      const rest = this[key].points;
      return 4e4 * (1 + Math.sin(4 * rest[3 * i] + 3 * time) * Math.cos(3 * rest[3 * i + 1] + 2 * rest[3 * i + 2])) + 2e3;
    });
    const J = stress.map((value) => 1 + 0.2 * Math.sin(value / 1e4));
    const partition = Float32Array.from({ length: count }, (_, i) => Math.floor(2 + this[key].points[3 * i] * 1.9) + 4 * (this[key].points[3 * i + 2] > 0));
    if (this.spoiled && key === 'jelly') {
      // on the side that the camera sees first
      points.fill(NaN, points.length - 30);
      stress.fill(NaN, count - 60, count - 20);
    }
    const fields = [
      { name: 'velocity', unit: 'm/s', components: 3, whole: false, values: velocity },
      { name: 'von_mises', unit: 'Pa', components: 1, whole: false, values: stress },
      { name: 'J', unit: '-', components: 1, whole: false, values: J },
      { name: 'partition', unit: '-', components: 1, whole: true, values: partition },
    ];
    const isSheet = key === 'cloth';
    return { name: this.names[key], kind: 'mesh', role: 'body', sheet: isSheet, topology: this.topologies[key], points, fields };
  }

  grainPart(time) {
    const points = Float32Array.from(this.grains.flatMap((grain) => grainsAt(grain, time)));
    const before = Float32Array.from(this.grains.flatMap((grain) => grainsAt(grain, time - 0.01)));
    const velocity = points.map((value, i) => (value - before[i]) / 0.01);
    const material = Float32Array.from(this.grains, (_, i) => i % 3);
    const radius = 0.22 / Math.cbrt(this.grains.length + 1);
    const radii = Float32Array.from(this.grains, (grain) => radius * (0.6 + 0.7 * grain.push));
    return {
      name: this.names.grains, kind: 'points', role: 'body', radius, points,
      fields: [
        { name: 'velocity', unit: 'm/s', components: 3, whole: false, values: velocity },
        { name: 'material', unit: '-', components: 1, whole: true, values: material },
        { name: 'radius', unit: 'm', components: 1, whole: false, values: radii },
      ],
    };
  }

  frame(number, time) {
    const points = this.ball.points.map((value, i) => BALL.center[i % 3] + BALL.radius * value);
    const ballPart = { name: this.names.ball, kind: 'mesh', role: 'collider', sheet: false, topology: this.topologies.ball, points, fields: [] };
    const parts = [this.surface('jelly', time), this.surface('cloth', time)];
    if (this.grains.length) parts.push(this.grainPart(time));
    return { number, step: 10 * number, time, parts: [...parts, ballPart] };
  }
}
