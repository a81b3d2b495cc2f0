// SPDX-License-Identifier: Apache-2.0
// A view (docs/protocol.md, "A view"): what a person framed, as text that `pliant render --view` takes.
import type { MapName } from './colors.ts';
import type { ColliderLook, Section } from './look.ts';
import { isObject, type Json, numberOf, numbersOf, textOf, truthOf, type Vec3, vectorOf } from './protocol.ts';

export interface View {
  camera: { position: Vec3; target: Vec3; up: Vec3; fov: number };
  field: string;
  component: number;
  range: [number, number] | null;
  map: MapName;
  edges: boolean;
  dark: boolean;
  colliders: ColliderLook;
  hidden: string[];
  section: Section | null;
  size: [number, number];
}

export function writeView(view: View): string {
  const { camera, field, component, range, map, ...rest } = view;
  return JSON.stringify({ pliant_view: 1, camera, color: { field, component, range, map }, ...rest }, null, 2) + '\n';
}

export class ViewError extends Error {}

export function readView(text: string): View {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ViewError('This file is not a view: it is not JSON.');
  }
  if (!isObject(value) || numberOf(value, 'pliant_view') !== 1) throw new ViewError('This file is not a view that pliant saved.');
  const color = isObject(value.color) ? value.color : {};
  const size = numbersOf(value.size);
  return {
    camera: readCamera(value.camera),
    field: textOf(color, 'field'),
    component: numberOf(color, 'component', -1),
    range: readRange(color.range),
    map: readMap(textOf(color, 'map')),
    edges: truthOf(value, 'edges'),
    dark: truthOf(value, 'dark'),
    colliders: readColliders(textOf(value, 'colliders')),
    hidden: Array.isArray(value.hidden) ? value.hidden.filter((name) => typeof name === 'string') : [],
    section: readSection(value.section),
    size: size.length === 2 ? [size[0], size[1]] : [960, 600],
  };
}

function readCamera(value: unknown): View['camera'] {
  const camera: Json = isObject(value) ? value : {};
  const position = vectorOf(camera.position);
  const target = vectorOf(camera.target);
  if (!position || !target) throw new ViewError('This view does not say where its camera is.');
  const fov = numberOf(camera, 'fov', 30);
  return { position, target, up: vectorOf(camera.up) ?? [0, 1, 0], fov: fov > 1 && fov < 170 ? fov : 30 };
}

function readRange(value: unknown): [number, number] | null {
  const range = numbersOf(value);
  return range.length === 2 && range[0] < range[1] ? [range[0], range[1]] : null;
}

function readMap(text: string): MapName {
  return text === 'diverging' || text === 'categories' ? text : 'sequential';
}

function readColliders(text: string): ColliderLook {
  return text === 'show' || text === 'hide' ? text : 'glass';
}

function readSection(value: unknown): Section | null {
  if (!isObject(value)) return null;
  const normal = vectorOf(value.normal);
  return normal && Math.hypot(...normal) > 0 ? { normal, offset: numberOf(value, 'offset') } : null;
}
