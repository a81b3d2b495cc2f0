// SPDX-License-Identifier: Apache-2.0
// Balls drawn by the page itself, for machines without a graphics card: there a ball costs more than a microsecond, here about
// ten nanoseconds and one for each of its pixels. All balls of one diameter in pixels look alike, so each diameter has a stencil:
// which pixels it covers, how far each bulges towards the eye, and how much light it gets. The result is a picture with depths,
// in rows from below, with a border into which balls may reach.

export const BORDER = 17; // pixels, on each side
export const LARGEST = 2 * BORDER - 1; // diameter in pixels
const LIGHTS = 32; // levels of light
const COLORS = 256; // the last one is for values that are not finite
const DARKEST = 0.3; // light is reckoned from here to 1.3
const REACH = 1;

export interface Vec {
  x: number;
  y: number;
  z: number;
}

export interface Light {
  up: Vec; // towards the sky, and towards the lamp: in the eye's frame
  key: Vec;
  sky: number; // what a white surface gets of each
  ground: number;
  lamp: number;
}

export interface Balls {
  points: ArrayLike<number>; // [3 * count] as they are stored
  matrix: ArrayLike<number>; // [16] from there to the clip space, column by column
  plane: readonly [number, number, number, number] | null; // what is kept of the same space: a x + b y + c z + d >= 0
  radius: number; // m
  radii: Float32Array | null; // [count] of each, where they differ
  values: Float32Array | null; // [count] null: all have color 0
  range: readonly [number, number];
  categories: number; // values are numbers of so many colours; 0: they are not
  table: Uint32Array; // colorTable
}

export class Splatter {
  width = 0; // with the border
  height = 0;
  image = new Uint32Array(0); // [height * width] RGBA
  depth = new Float32Array(0); // [height * width] -1 (near) to 1: nothing
  readonly box = { left: 0, bottom: 0, right: 0, top: 0 }; // what was drawn, in pixels without the border
  private readonly first = new Int32Array(LARGEST + 2); // [diameter] of its stencil
  private offset = new Int32Array(0);
  private bulge = new Float32Array(0);
  private light = new Int32Array(0); // times COLORS
  private normals = new Float32Array(0); // [2 * entries]

  constructor() {
    this.cutStencils();
  }

  // Nothing is drawn yet, at this size in pixels and in this light.
  begin(width: number, height: number, light: Light): void {
    const [wide, high] = [width + 2 * BORDER, height + 2 * BORDER];
    if (wide !== this.width || high !== this.height) {
      [this.width, this.height] = [wide, high];
      this.image = new Uint32Array(wide * high);
      this.depth = new Float32Array(wide * high);
      this.placeStencils();
    }
    this.depth.fill(1);
    this.lightStencils(light);
    Object.assign(this.box, { left: wide, bottom: high, right: 0, top: 0 });
  }

  private cutStencils(): void {
    const [bulge, normals]: [number[], number[]] = [[], []];
    for (let diameter = 1; diameter <= LARGEST; diameter++) {
      this.first[diameter] = bulge.length;
      const radius = diameter / 2;
      for (let row = 0; row < diameter; row++) {
        for (let column = 0; column < diameter; column++) {
          const [x, y] = [(column + 0.5 - radius) / radius, (row + 0.5 - radius) / radius];
          if (x * x + y * y > 1) continue;
          bulge.push(Math.sqrt(1 - x * x - y * y));
          normals.push(x, y);
        }
      }
    }
    this.first[LARGEST + 1] = bulge.length;
    this.bulge = new Float32Array(bulge);
    this.normals = new Float32Array(normals);
    this.offset = new Int32Array(bulge.length);
    this.light = new Int32Array(bulge.length);
  }

  private placeStencils(): void {
    for (let diameter = 1; diameter <= LARGEST; diameter++) {
      const radius = diameter / 2;
      for (let k = this.first[diameter]; k < this.first[diameter + 1]; k++) {
        const column = Math.round(radius * this.normals[2 * k] + radius - 0.5) - (diameter >> 1);
        const row = Math.round(radius * this.normals[2 * k + 1] + radius - 0.5) - (diameter >> 1);
        this.offset[k] = row * this.width + column;
      }
    }
  }

  private lightStencils({ up, key, sky, ground, lamp }: Light): void {
    for (let k = 0; k < this.bulge.length; k++) {
      const [x, y, z] = [this.normals[2 * k], this.normals[2 * k + 1], this.bulge[k]];
      const height = 0.5 * (x * up.x + y * up.y + z * up.z) + 0.5;
      const amount = ground + height * (sky - ground) + lamp * Math.max(0, x * key.x + y * key.y + z * key.z);
      this.light[k] = COLORS * Math.max(0, Math.min(LIGHTS - 1, Math.round(((amount - DARKEST) / REACH) * (LIGHTS - 1))));
    }
  }

  // Draws balls into what is there. `size` is the diameter in pixels of a ball of radius 1 at distance 1, `bulging` how much
  // its depth changes towards the eye there.
  // long because: the loop over all points has to be one piece to be quick
  add(balls: Balls, size: number, bulging: number): void {
    const { points, matrix: m, plane, radii, values, table, categories } = balls;
    const { width, height, image, depth, first, offset, bulge, light, box } = this;
    const [halfX, halfY] = [0.5 * (width - 2 * BORDER), 0.5 * (height - 2 * BORDER)];
    // clip space to pixels, as long as it is not divided yet
    const [ax, ay, az, aw] = [0, 4, 8, 12].map((k) => halfX * m[k] + (halfX + BORDER) * m[k + 3]);
    const [bx, by, bz, bw] = [0, 4, 8, 12].map((k) => halfY * m[k + 1] + (halfY + BORDER) * m[k + 3]);
    const [cx, cy, cz, cw] = [m[2], m[6], m[10], m[14]];
    const [dx, dy, dz, dw] = [m[3], m[7], m[11], m[15]];
    const [px, py, pz, pw] = plane ?? [0, 0, 0, 0];
    const low = balls.range[0];
    const scale = (COLORS - 2) / Math.max(balls.range[1] - low, 1e-35);
    const base = low * -scale + 0.5;
    let radius = balls.radius;
    const count = Math.floor(points.length / 3);
    const step = firstIsNearer(points, m) ? 1 : -1;
    for (let n = 0, i = step > 0 ? 0 : count - 1; n < count; n++, i += step) {
      const p = 3 * i;
      const x = points[p];
      const y = points[p + 1];
      const z = points[p + 2];
      const w = dx * x + dy * y + dz * z + dw;
      // what is not finite is none of these
      if (!(w > 0 && px * x + py * y + pz * z + pw >= 0)) continue;
      const near = 1 / w;
      const column = ((ax * x + ay * y + az * z + aw) * near) | 0;
      const row = ((bx * x + by * y + bz * z + bw) * near) | 0;
      if (column < BORDER - 1 || row < BORDER - 1 || column > width - BORDER || row > height - BORDER) continue;
      if (radii) radius = radii[i];
      const away = (cx * x + cy * y + cz * z + cw) * near;
      const rise = bulging * radius * near * near;
      const at = row * width + column;
      // behind what is nearer by more than its own thickness
      if (!(away - rise < depth[at] + 2 * rise) || away < -1) continue;
      const diameter = Math.max(1, Math.min(LARGEST, (size * radius * near + 0.5) | 0));
      let color = 0;
      if (values) {
        const value = values[i];
        if (!(value < 1e30 && value > -1e30)) color = COLORS - 1;
        else if (categories > 0) color = wrapped(value, categories);
        else color = Math.max(0, Math.min(COLORS - 2, value * scale + base)) | 0;
      }
      for (let k = first[diameter]; k < first[diameter + 1]; k++) {
        const pixel = at + offset[k];
        const place = away - rise * bulge[k];
        if (place < depth[pixel]) {
          depth[pixel] = place;
          image[pixel] = table[light[k] + color];
        }
      }
      if (column < box.left) box.left = column;
      if (column > box.right) box.right = column;
      if (row < box.bottom) box.bottom = row;
      if (row > box.top) box.top = row;
    }
  }
}

// Points come in the order of their places: from the nearer end most of those behind are found hidden at once.
function firstIsNearer(points: ArrayLike<number>, m: ArrayLike<number>): boolean {
  const count = Math.floor(points.length / 3);
  const stride = Math.max(1, Math.floor(count / 256));
  let sum = 0;
  for (let i = 0; i < count; i += stride) {
    const away = m[3] * points[3 * i] + m[7] * points[3 * i + 1] + m[11] * points[3 * i + 2];
    if (away - away === 0) sum += (i < count / 2 ? 1 : -1) * away;
  }
  return sum <= 0;
}

function wrapped(value: number, count: number): number {
  const place = Math.round(value) % count;
  return place < 0 ? place + count : place;
}

// Colours (sRGB, bytes, [3 * up to 255]) in every light; the last is that of values that are not finite.
export function colorTable(colors: ArrayLike<number>, notFinite: ArrayLike<number>): Uint32Array {
  const table = new Uint32Array(LIGHTS * COLORS);
  const bytes = new Uint8Array(table.buffer);
  const count = colors.length / 3;
  for (let level = 0; level < LIGHTS; level++) {
    // a product of lights is nearly a product of bytes under the same curve
    const factor = (DARKEST + (REACH * level) / (LIGHTS - 1)) ** (1 / 2.2);
    for (let k = 0; k < COLORS; k++) {
      const isLast = k === COLORS - 1;
      for (let c = 0; c < 3; c++) {
        const byte = isLast ? notFinite[c] : colors[3 * (k % count) + c];
        bytes[4 * (level * COLORS + k) + c] = Math.min(255, byte * factor);
      }
      bytes[4 * (level * COLORS + k) + 3] = 255;
    }
  }
  return table;
}
