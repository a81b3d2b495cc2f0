// SPDX-License-Identifier: Apache-2.0
// Which point of a surface lies under the pointer (Möller and Trumbore 1997).
import type { Vec3 } from './protocol.ts';

export interface Hit {
  distance: number; // along the ray (m)
  place: Vec3;
  point: number; // of the triangle, the nearest to the place
}

export interface Ray {
  origin: Vec3;
  direction: Vec3; // of length 1
}

export function pickSurface(points: Float32Array, triangles: Uint32Array, ray: Ray, keeps: (place: Vec3) => boolean): Hit | null {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  let best: Hit | null = null;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = points[b] - points[a];
    const uy = points[b + 1] - points[a + 1];
    const uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a];
    const vy = points[c + 1] - points[a + 1];
    const vz = points[c + 2] - points[a + 2];
    const px = dy * vz - dz * vy;
    const py = dz * vx - dx * vz;
    const pz = dx * vy - dy * vx;
    const determinant = ux * px + uy * py + uz * pz;
    if (!(Math.abs(determinant) > 1e-30)) continue;
    const sx = ox - points[a];
    const sy = oy - points[a + 1];
    const sz = oz - points[a + 2];
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (!(u >= 0 && u <= 1)) continue;
    const qx = sy * uz - sz * uy;
    const qy = sz * ux - sx * uz;
    const qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (!(v >= 0 && u + v <= 1)) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / determinant;
    if (!(distance > 0) || (best && distance >= best.distance)) continue;
    const place: Vec3 = [ox + distance * dx, oy + distance * dy, oz + distance * dz];
    if (!keeps(place)) continue;
    best = { distance, place, point: nearestCorner(u, v, t, triangles) };
  }
  return best;
}

// the corner with the largest weight is the nearest one, near enough
function nearestCorner(u: number, v: number, t: number, triangles: Uint32Array): number {
  const w = 1 - u - v;
  if (w >= u && w >= v) return triangles[t];
  return u >= v ? triangles[t + 1] : triangles[t + 2];
}
