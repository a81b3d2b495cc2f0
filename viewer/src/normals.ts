// SPDX-License-Identifier: Apache-2.0
// Smooth normals: the sum of the triangles' normals around a point, longer for larger triangles.

// Fills `normals` [3 * points]. Returns whether every point of the mesh is finite.
export function computeNormals(points: Float32Array, triangles: Uint32Array, normals: Float32Array): boolean {
  normals.fill(0);
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
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    // one point that is not finite does not spoil its neighbours
    if (!(nx * nx + ny * ny + nz * nz < Infinity)) continue;
    normals[a] += nx;
    normals[a + 1] += ny;
    normals[a + 2] += nz;
    normals[b] += nx;
    normals[b + 1] += ny;
    normals[b + 2] += nz;
    normals[c] += nx;
    normals[c + 1] += ny;
    normals[c + 2] += nz;
  }
  normalize(normals);
  return allFinite(points);
}

function normalize(normals: Float32Array): void {
  for (let i = 0; i < normals.length; i += 3) {
    const x = normals[i];
    const y = normals[i + 1];
    const z = normals[i + 2];
    const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    normals[i] = x * scale;
    normals[i + 1] = y * scale;
    normals[i + 2] = z * scale;
  }
}

// a sum is not finite if one of its terms is not
export function allFinite(numbers: Float32Array): boolean {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] * 0;
  return sum === 0;
}

// The triangles whose three points are finite.
export function finiteTriangles(points: Float32Array, triangles: Uint32Array): Uint32Array {
  const isFinitePoint = (p: number): boolean => Number.isFinite(points[3 * p] + points[3 * p + 1] + points[3 * p + 2]);
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t], triangles[t + 1], triangles[t + 2]];
    if (corners.every(isFinitePoint)) kept.push(...corners);
  }
  return new Uint32Array(kept);
}

// Each edge of the triangles once, two points an edge.
export function edgesOf(triangles: Uint32Array, pointCount: number): Uint32Array {
  const keys = new Float64Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k];
      const b = triangles[t + ((k + 1) % 3)];
      keys[t + k] = Math.min(a, b) * pointCount + Math.max(a, b);
    }
  }
  keys.sort();
  const edges = new Uint32Array(2 * keys.length);
  let count = 0;
  for (let i = 0; i < keys.length; i++) {
    if (i > 0 && keys[i] === keys[i - 1]) continue;
    edges[count++] = Math.floor(keys[i] / pointCount);
    edges[count++] = keys[i] % pointCount;
  }
  return edges.slice(0, count);
}
