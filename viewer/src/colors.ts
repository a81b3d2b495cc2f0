// SPDX-License-Identifier: Apache-2.0
// Colour maps in OKLab, a space in which equal steps look equal (Ottosson 2020): the same as those of
// `pliant render`, so that page and picture agree.
import type { Extent } from './values.ts';

export type MapName = 'sequential' | 'diverging' | 'categories';
export type Rgb = [number, number, number];

export const SHADES = 256;

// lightness, chroma, hue (degrees) of a stop
type Stop = readonly [number, number, number];

// lightness grows in equal steps, so that the map survives a print in grey
const sequentialStops: readonly Stop[] = [
  [0.27, 0.1, 305], [0.4, 0.115, 285], [0.53, 0.105, 245], [0.66, 0.105, 190], [0.79, 0.15, 145], [0.93, 0.165, 105],
];

// both arms lose the same lightness, so that neither sign looks larger
const divergingStops: readonly Stop[] = [
  [0.42, 0.135, 262], [0.62, 0.12, 255], [0.8, 0.07, 250], [0.94, 0.006, 90], [0.8, 0.085, 40], [0.62, 0.16, 32],
  [0.42, 0.155, 24],
];

// sRGB, in the order in which bodies get them: neighbours differ in hue and in lightness
const bodyColors: readonly Rgb[] = [
  [224, 122, 95], [61, 139, 186], [242, 184, 75], [90, 167, 134], [142, 107, 176],
  [227, 154, 192], [163, 184, 92], [140, 109, 90], [91, 192, 190], [107, 122, 143],
];

export const CATEGORIES = bodyColors.length;

export function categoryColor(index: number): Rgb {
  return bodyColors[((Math.round(index) % CATEGORIES) + CATEGORIES) % CATEGORIES];
}

export function cssColor(color: Rgb): string {
  return `rgb(${color.join(' ')})`;
}

function labOfStop([lightness, chroma, hue]: Stop): Rgb {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

function srgbFromLinear(value: number): number {
  const clamped = Math.min(1, Math.max(0, value));
  return clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055;
}

// sRGB bytes of an OKLab colour; the matrices are those of the definition
export function srgbFromLab([L, a, b]: Rgb): Rgb {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((value) => Math.round(255 * srgbFromLinear(value))) as Rgb;
}

// Catmull-Rom curve through the stops, t in [0, 1]; its ends are continued straight
function labOnCurve(stops: readonly Stop[], t: number): Rgb {
  const place = t * (stops.length - 1);
  const i = Math.min(Math.floor(place), stops.length - 2);
  const f = place - i;
  const at = (index: number): Rgb => labOfStop(stops[Math.max(0, Math.min(index, stops.length - 1))]);
  const [before, from, to, after] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
  return from.map((p1, k) => {
    const p2 = to[k];
    const p0 = i === 0 ? 2 * p1 - p2 : before[k];
    const p3 = i === stops.length - 2 ? 2 * p2 - p1 : after[k];
    const slope = 0.5 * (p2 - p0);
    const bend = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3;
    const twist = 0.5 * (p3 - p0) + 1.5 * (p1 - p2);
    return p1 + f * (slope + f * (bend + f * twist));
  }) as Rgb;
}

export function mapColor(name: 'sequential' | 'diverging', t: number): Rgb {
  const stops = name === 'diverging' ? divergingStops : sequentialStops;
  return srgbFromLab(labOnCurve(stops, Math.min(1, Math.max(0, t))));
}

// A row of pixels, RGBA: the map from left to right, or one pixel a category.
export function mapPixels(name: MapName): Uint8Array {
  const width = name === 'categories' ? CATEGORIES : SHADES;
  const pixels = new Uint8Array(4 * width);
  for (let i = 0; i < width; i++) {
    const color = name === 'categories' ? categoryColor(i) : mapColor(name, i / (SHADES - 1));
    pixels.set([...color, 255], 4 * i);
  }
  return pixels;
}

// Ends of a map for values that were seen: never empty, and zero in the middle where a diverging map
// shows values of both signs.
export function rangeOf(seen: Extent, map: MapName): [number, number] {
  let [low, high] = seen.low <= seen.high ? [seen.low, seen.high] : [0, 1];
  if (map === 'diverging' && low < 0 && high > 0) {
    high = Math.max(-low, high);
    low = -high;
  }
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
    const half = low !== 0 ? 0.5 * Math.abs(low) : 0.5;
    return [low - half, high + half];
  }
  return [low, high];
}
