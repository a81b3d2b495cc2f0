// SPDX-License-Identifier: Apache-2.0
// Sharp edges: where triangles around a point fall into groups that a crease divides, each group gets a point of its own to
// be shaded with. Most shapes have few of them or none.

const SMOOTH = Math.cos((38 * Math.PI) / 180); // normals that are nearer than this belong together

export interface Creased {
  triangles: Uint32Array; // over the points and those that were added behind them
  extra: Uint32Array; // [added] the point that each is a copy of
}

export function splitCreases(points: Float32Array, triangles: Uint32Array): Creased {
  const normals = faceNormals(points, triangles);
  const { start, corners } = cornersOfPoints(triangles, points.length / 3);
  const split = triangles.slice();
  const extra: number[] = [];
  for (let p = 0; p + 1 < start.length; p++) {
    const own = corners.subarray(start[p], start[p + 1]);
    const groups = groupsOf(own, normals);
    for (let i = 0; i < own.length; i++) {
      if (groups[i] > 0) split[own[i]] = points.length / 3 + extra.length + groups[i] - 1;
    }
    for (let added = Math.max(0, ...groups); added > 0; added--) extra.push(p);
  }
  return { triangles: split, extra: new Uint32Array(extra) };
}

function faceNormals(points: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
    const [vx, vy, vz] = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const scale = 1 / (Math.hypot(x, y, z) || 1);
    normals[t] = x * scale;
    normals[t + 1] = y * scale;
    normals[t + 2] = z * scale;
  }
  return normals;
}

// the places in `triangles` where each point stands: those of point p from start[p] to start[p + 1]
function cornersOfPoints(triangles: Uint32Array, count: number): { start: Uint32Array; corners: Uint32Array } {
  const start = new Uint32Array(count + 1);
  for (const p of triangles) start[p + 1]++;
  for (let p = 0; p < count; p++) start[p + 1] += start[p];
  const next = start.slice();
  const corners = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) corners[next[triangles[i]]++] = i;
  return { start, corners };
}

// Group of each corner, from 0: a triangle is in the group of all whose normals are near to its own, and so on.
function groupsOf(corners: Uint32Array, normals: Float32Array): number[] {
  const groups: number[] = new Array<number>(corners.length).fill(-1);
  let count = 0;
  for (let first = 0; first < corners.length; first++) {
    if (groups[first] >= 0) continue;
    const reached = [first];
    groups[first] = count;
    for (let at = reached.pop(); at !== undefined; at = reached.pop()) {
      for (let i = 0; i < corners.length; i++) {
        if (groups[i] >= 0 || !areNear(corners[at], corners[i], normals)) continue;
        groups[i] = count;
        reached.push(i);
      }
    }
    count++;
  }
  return groups;
}

// what has no normal belongs to anything
function areNear(a: number, b: number, normals: Float32Array): boolean {
  const [i, j] = [a - (a % 3), b - (b % 3)];
  return !(normals[i] * normals[j] + normals[i + 1] * normals[j + 1] + normals[i + 2] * normals[j + 2] < SMOOTH);
}
