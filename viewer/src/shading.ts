// SPDX-License-Identifier: Apache-2.0
// What all materials share: the light, the colour map as a texture, the section plane. Values become
// colours on the graphics card, so another range or map costs nothing.
import {
  Color, DataTexture, LinearFilter, type Material, NearestFilter, NoColorSpace, Plane, RGBAFormat, SRGBColorSpace, type Texture,
  UnsignedByteType, Vector3, Vector4, type WebGLProgramParametersWithUniforms,
} from 'three';
import { CATEGORIES, type MapName, mapPixels, SHADES } from './colors.ts';
import type { Look } from './look.ts';
import { colorTable } from './splat.ts';

export const COLLIDER_COLOR = new Color().setRGB(0.71, 0.71, 0.7, SRGBColorSpace);
export const NO_VALUE_COLOR = new Color(0.48, 0.5, 0.54);
const NOT_FINITE_BYTES = [255, 0, 200];

// intensities are those of three.js: a surface reflects its colour times the sum over pi
export const LIGHT = {
  sky: new Color(1.0, 1.0, 1.0),
  ground: new Color(0.6, 0.585, 0.57),
  hemisphere: 1.9,
  key: 2.0,
  fill: 0.35,
  direction: new Vector3(0.45, 0.8, 0.42).normalize(), // towards the light, y upwards
};

function mapTexture(name: MapName, space: typeof SRGBColorSpace | typeof NoColorSpace): DataTexture {
  const width = name === 'categories' ? CATEGORIES : SHADES;
  const texture = new DataTexture(mapPixels(name), width, 1, RGBAFormat, UnsignedByteType);
  const filter = name === 'categories' ? NearestFilter : LinearFilter;
  texture.minFilter = filter;
  texture.magFilter = filter;
  texture.colorSpace = space;
  texture.needsUpdate = true;
  return texture;
}

export class Shading {
  readonly extent = { center: new Vector3(), size: 1 }; // of the scene: how large a cap has to be
  readonly plane = new Plane(new Vector3(-1, 0, 0), 0); // three.js keeps the side it points to
  readonly uniforms = {
    colorMap: { value: null as Texture | null },
    screenMap: { value: null as Texture | null }, // the same in the numbers of the screen
    colorRange: { value: [0, 1] },
    colorCategories: { value: 0 },
    noValueColor: { value: NO_VALUE_COLOR },
    sectionPlane: { value: new Vector4(0, 0, 0, 1) }, // of zeros and one: keeps everything
    upDirection: { value: new Vector3(0, 1, 0) },
    keyDirection: { value: LIGHT.direction.clone() },
  };
  private readonly maps = new Map<MapName, { linear: DataTexture; screen: DataTexture; table: Uint32Array }>();
  private readonly plainTables = new Map<number, Uint32Array>();
  private cut = false;

  get clippingPlanes(): Plane[] {
    return this.cut ? [this.plane] : [];
  }

  get isCut(): boolean {
    return this.cut;
  }

  apply(look: Look): void {
    const { linear, screen } = this.mapOf(look.map);
    this.uniforms.colorMap.value = linear;
    this.uniforms.screenMap.value = screen;
    this.uniforms.colorRange.value = [...look.range];
    this.uniforms.colorCategories.value = look.map === 'categories' ? CATEGORIES : 0;
    this.cut = look.section !== null;
    const keep = this.uniforms.sectionPlane.value.set(0, 0, 0, 1);
    if (!look.section) return;
    const normal = new Vector3(...look.section.normal).normalize();
    this.plane.set(normal.negate(), look.section.offset);
    keep.set(this.plane.normal.x, this.plane.normal.y, this.plane.normal.z, this.plane.constant);
  }

  // The section goes through everything but the ground.
  cutMaterial(material: Material): void {
    material.clippingPlanes = this.clippingPlanes;
    material.clipShadows = true;
  }

  private mapOf(name: MapName): { linear: DataTexture; screen: DataTexture; table: Uint32Array } {
    let map = this.maps.get(name);
    if (!map) {
      const bytes = mapPixels(name).filter((_, i) => i % 4 !== 3);
      map = { linear: mapTexture(name, SRGBColorSpace), screen: mapTexture(name, NoColorSpace), table: colorTable(bytes, NOT_FINITE_BYTES) };
      this.maps.set(name, map);
    }
    return map;
  }

  // Colours for balls that the page draws itself: of values by a map, or one for all.
  tableOf(color: MapName | Color): Uint32Array {
    if (!(color instanceof Color)) return this.mapOf(color).table;
    let table = this.plainTables.get(color.getHex());
    if (!table) {
      const hex = color.getHex();
      table = colorTable([hex >> 16, (hex >> 8) & 255, hex & 255], NOT_FINITE_BYTES);
      this.plainTables.set(hex, table);
    }
    return table;
  }
}

// colour of a value; whole ones are not interpolated between points
export const COLOR_OF_VALUE = /* glsl */ `
uniform sampler2D colorMap;
uniform vec2 colorRange;
uniform float colorCategories;
uniform vec3 noValueColor;
uniform float colorMode;
vec3 colorOfValue(float value, float whole, vec3 plain) {
  if (colorMode < 0.5) return plain;
  if (colorMode > 1.5) return noValueColor;
  if (abs(value) > 1e30) return vec3(1.0, 0.0, 0.58);
  if (colorCategories > 0.5) {
    float place = mod(floor(whole + 0.5), colorCategories);
    return texture2D(colorMap, vec2((place + 0.5) / colorCategories, 0.5)).rgb;
  }
  float width = max(colorRange.y - colorRange.x, 1e-35);
  float place = clamp((value - colorRange.x) / width, 0.0, 1.0);
  return texture2D(colorMap, vec2((place * ${(SHADES - 1).toFixed(1)} + 0.5) / ${SHADES.toFixed(1)}, 0.5)).rgb;
}
`;

export const PLAIN = 0;
export const BY_VALUE = 1;
export const NO_VALUE = 2;

// Teaches a material of three.js to take its colour from the attribute `value`.
export function colorByValue(shader: WebGLProgramParametersWithUniforms, shading: Shading, mode: { value: number }): void {
  Object.assign(shader.uniforms, shading.uniforms, { colorMode: mode });
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', '#include <common>\nattribute float value;\nvarying float vValue;\nflat varying float vWhole;')
    .replace('#include <begin_vertex>', '#include <begin_vertex>\nvValue = value;\nvWhole = value;');
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <common>', `#include <common>\nvarying float vValue;\nflat varying float vWhole;\n${COLOR_OF_VALUE}`)
    .replace('#include <color_fragment>', 'diffuseColor.rgb = colorOfValue(vValue, vWhole, diffuseColor.rgb);');
}
