// SPDX-License-Identifier: Apache-2.0
// Particles: one square a particle, made a lit sphere with its own depth by the fragment shader.
// Positions of 16 bits go to the graphics card as they are and are scaled there.
import {
  BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Matrix4, NoBlending, type PerspectiveCamera, Points, ShaderMaterial, Sphere, Vector3,
} from 'three';
import { CATEGORIES } from './colors.ts';
import type { Look } from './look.ts';
import { floatsOf, type Part } from './packets.ts';
import { PartValues } from './part_values.ts';
import { COLLIDER_COLOR, COLOR_OF_VALUE, LIGHT, NO_VALUE, NO_VALUE_COLOR, type Shading } from './shading.ts';
import type { Balls } from './splat.ts';
import { clipMatrix } from './splat_layer.ts';
import type { Extent } from './values.ts';

const PLACE = /* glsl */ `
uniform vec3 low;
uniform vec3 scale;
uniform float radius;
uniform float pixels;
uniform vec4 sectionPlane;
#ifdef EACH_RADIUS
attribute float radiusOf;
#endif
varying float vRadius;
varying vec3 vCenter;
void place() {
  vec3 world = low + scale * position;
  #ifdef EACH_RADIUS
  vRadius = radiusOf;
  #else
  vRadius = radius;
  #endif
  vCenter = (viewMatrix * vec4(world, 1.0)).xyz;
  gl_Position = projectionMatrix * vec4(vCenter, 1.0);
  gl_PointSize = max(1.5, pixels * vRadius * projectionMatrix[1][1] / gl_Position.w);
  bool kept = dot(sectionPlane.xyz, world) + sectionPlane.w >= 0.0;
  bool finite = dot(world, world) < 1e30;
  if (!(kept && finite)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const SPHERE = /* glsl */ `
varying float vRadius;
varying vec3 vCenter;
uniform mat4 projectionMatrix;
vec3 sphereNormal() {
  vec2 disc = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
  float rest = 1.0 - dot(disc, disc);
  if (rest < 0.0) discard;
  return vec3(disc, sqrt(rest));
}
void setDepth(vec3 normal) {
  vec4 clip = projectionMatrix * vec4(vCenter + vRadius * normal, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
}
`;

const VERTEX = /* glsl */ `
attribute float value;
varying float vValue;
${PLACE}
void main() {
  vValue = value;
  place();
}
`;

const FRAGMENT = /* glsl */ `
#include <common>
uniform vec3 plainColor;
uniform vec3 skyColor;
uniform vec3 groundColor;
uniform float keyLight;
uniform vec3 upInView;
uniform vec3 keyInView;
varying float vValue;
${SPHERE}
${COLOR_OF_VALUE}
void main() {
  vec3 normal = sphereNormal();
  vec3 color = colorOfValue(vValue, vValue, plainColor);
  vec3 light = mix(groundColor, skyColor, 0.5 * dot(normal, upInView) + 0.5);
  light += keyLight * max(0.0, dot(normal, keyInView));
  float shine = pow(max(0.0, dot(normal, normalize(keyInView + vec3(0.0, 0.0, 1.0)))), 24.0);
  gl_FragColor = vec4(color * light * RECIPROCAL_PI + 0.045 * shine, 1.0);
  setDepth(normal);
  #include <colorspace_fragment>
}
`;

const SHADOW_VERTEX = `${PLACE}\nvoid main() { place(); }`;
const SHADOW_FRAGMENT = /* glsl */ `
#include <packing>
${SPHERE}
void main() {
  setDepth(sphereNormal());
  gl_FragColor = packDepthToRGBA(gl_FragDepth);
}
`;

const NO_EXTRA = new Uint32Array(0);

export class PointsPart {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  readonly isBody: boolean;
  part: Part;
  private readonly geometry = new BufferGeometry();
  private readonly values = new PartValues();
  private readonly shadowMaterial: ShaderMaterial;
  private readonly own = {
    low: { value: new Vector3() },
    scale: { value: new Vector3(1, 1, 1) },
    radius: { value: 0.01 },
    upInView: { value: new Vector3() },
    keyInView: { value: new Vector3() },
    pixels: { value: 1 },
  };

  private readonly clip = new Matrix4();

  constructor(part: Part, private readonly shading: Shading, order: number, private readonly color: Color) {
    this.part = part;
    this.isBody = part.role === 'body';
    // never culled: nobody has to measure it
    this.geometry.boundingSphere = new Sphere();
    const light = {
      plainColor: { value: this.isBody ? color : COLLIDER_COLOR },
      skyColor: { value: LIGHT.sky.clone().multiplyScalar(LIGHT.hemisphere) },
      groundColor: { value: LIGHT.ground.clone().multiplyScalar(LIGHT.hemisphere) },
      keyLight: { value: LIGHT.key },
      colorMode: this.values.mode,
    };
    const uniforms = { ...shading.uniforms, ...light, ...this.own };
    const material = new ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT });
    this.shadowMaterial = new ShaderMaterial({
      uniforms: { ...uniforms, pixels: { value: 2048 } }, vertexShader: SHADOW_VERTEX, fragmentShader: SHADOW_FRAGMENT, blending: NoBlending,
    });
    this.object = new Points(this.geometry, material);
    this.object.customDepthMaterial = this.shadowMaterial;
    this.object.frustumCulled = false;
    this.object.castShadow = true;
    this.object.renderOrder = 4 * order + 2;
  }

  // Positions in metres; a copy where they are stored in 16 bits.
  get points(): Float32Array {
    return floatsOf(this.part.points);
  }

  update(part: Part, look: Look): Extent {
    this.part = part;
    this.setPositions(part);
    this.setRadii(part);
    return this.recolor(look);
  }

  recolor(look: Look): Extent {
    return this.values.update(this.geometry, this.part, look, NO_EXTRA);
  }

  private setPositions(part: Part): void {
    const { data, low, high } = part.points;
    const isPacked = data instanceof Uint16Array;
    this.own.low.value.set(...(isPacked ? ([low[0], low[1], low[2]] as const) : ([0, 0, 0] as const)));
    this.own.scale.value.set(1, 1, 1);
    if (isPacked) this.own.scale.value.set(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    this.setAttribute('position', data as Float32Array | Uint16Array, 3);
    this.geometry.setDrawRange(0, data.length / 3);
  }

  private setRadii(part: Part): void {
    this.own.radius.value = part.radius;
    const field = part.fields.find((item) => item.name === 'radius');
    const has = field !== undefined && field.components === 1;
    if (has) this.setAttribute('radiusOf', floatsOf(field.values), 1);
    for (const material of [this.object.material, this.shadowMaterial]) {
      if (('EACH_RADIUS' in material.defines) === has) continue;
      if (has) material.defines.EACH_RADIUS = '';
      else delete material.defines.EACH_RADIUS;
      material.needsUpdate = true;
    }
  }

  // the memory on the card is used again as long as the size stays
  private setAttribute(name: string, data: Float32Array | Uint16Array, size: number): void {
    const old = this.geometry.getAttribute(name) as BufferAttribute | undefined;
    if (old && old.array.byteLength === data.byteLength && old.array.constructor === data.constructor) {
      old.array = data;
      old.needsUpdate = true;
      return;
    }
    if (old) this.geometry.dispose();
    this.geometry.setAttribute(name, new BufferAttribute(data, size, data instanceof Uint16Array).setUsage(DynamicDrawUsage));
  }

  apply(look: Look): void {
    this.object.visible = !look.hidden.has(this.part.name) && (this.isBody || look.colliders !== 'hide');
  }

  // The same as balls for a splatter.
  balls(camera: PerspectiveCamera, look: Look): Balls {
    const { low, scale } = this.own;
    const matrix = clipMatrix(this.clip, camera, low.value, this.unpack(scale.value));
    const values = this.values.numbers;
    const plain = this.values.mode.value === NO_VALUE ? NO_VALUE_COLOR : this.isBody ? this.color : COLLIDER_COLOR;
    const radii = this.geometry.getAttribute('radiusOf') as BufferAttribute | undefined;
    return {
      points: this.part.points.data, matrix: matrix.elements, plane: this.storedPlane(), radius: this.part.radius,
      radii: 'EACH_RADIUS' in this.object.material.defines && radii ? (radii.array as Float32Array) : null,
      values, range: look.range, categories: look.map === 'categories' ? CATEGORIES : 0, table: this.shading.tableOf(values ? look.map : plain),
    };
  }

  // metres for a step of what is stored; on the card those of 16 bits arrive as 0 to 1
  private unpack(scale: Vector3): Vector3 {
    return this.part.points.data instanceof Uint16Array ? scale.clone().divideScalar(65535) : scale;
  }

  private storedPlane(): [number, number, number, number] | null {
    if (!this.shading.isCut) return null;
    const { x, y, z, w } = this.shading.uniforms.sectionPlane.value;
    const low = this.own.low.value;
    const scale = this.unpack(this.own.scale.value);
    return [x * scale.x, y * scale.y, z * scale.z, w + x * low.x + y * low.y + z * low.z];
  }

  // What depends on the camera: the light in its frame, pixels on the canvas.
  aim(up: Vector3, key: Vector3, pixels: number): void {
    this.own.upInView.value.copy(up);
    this.own.keyInView.value.copy(key);
    this.own.pixels.value = pixels;
  }

  dispose(): void {
    this.geometry.dispose();
    this.object.material.dispose();
    this.shadowMaterial.dispose();
  }
}
