// SPDX-License-Identifier: Apache-2.0
// The ground: a soft plane with a grid that fades into the distance, and the shadows on it.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineSegments, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector3,
} from 'three';

const VERTEX = /* glsl */ `
varying vec2 vPlace;
uniform float size;
void main() {
  vPlace = position.xy * size;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
varying vec2 vPlace;
uniform vec2 middle;
uniform float reach;
uniform float spacing;
uniform vec3 floorColor;
uniform vec3 lineColor;
float lines(float width) {
  vec2 place = (vPlace + middle) / width;
  vec2 step = fwidth(place);
  vec2 distance = abs(fract(place - 0.5) - 0.5) / max(step, vec2(1e-6));
  // lines that come too near to each other vanish
  vec2 strength = (1.0 - min(distance, 1.0)) * (1.0 - smoothstep(0.15, 0.5, step));
  return max(strength.x, strength.y);
}
void main() {
  float away = length(vPlace) / reach;
  float fade = 1.0 - smoothstep(0.15, 1.0, away);
  float line = max(0.35 * lines(spacing), 0.75 * lines(5.0 * spacing)) * fade;
  gl_FragColor = vec4(mix(floorColor, lineColor, line), fade);
  #include <colorspace_fragment>
}
`;

const REACH = 40; // lines on each side of the middle
const PIECE = 10; // lines that a piece of one crosses: strength is reckoned at its ends

// the grid as lines, for machines to which every pixel counts
const LINES_VERTEX = /* glsl */ `
uniform vec2 middle;
uniform float size;
uniform float reach;
uniform float spacing;
attribute vec2 line;
varying float vStrength;
void main() {
  vec2 place = position.xy * spacing;
  // which line it is, counted from the origin
  float number = line.x + floor(mix(middle.x, middle.y, line.y) / spacing + 0.5);
  float fade = 1.0 - smoothstep(0.15, 1.0, length(place) / min(reach, ${REACH.toFixed(1)} * spacing));
  vStrength = (mod(abs(number) + 0.5, 5.0) < 1.0 ? 0.75 : 0.3) * fade;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(place / size, 0.0, 1.0);
}
`;

const LINES_FRAGMENT = /* glsl */ `
uniform vec3 lineColor;
varying float vStrength;
void main() {
  gl_FragColor = vec4(lineColor, vStrength);
  #include <colorspace_fragment>
}
`;

// Pieces of lines in steps of the spacing; `line` is the number of each, and 0 where it runs along y, 1 along x.
function linePieces(): BufferGeometry {
  const [places, lines]: [number[], number[]] = [[], []];
  for (let i = -REACH; i <= REACH; i++) {
    for (let j = -REACH; j < REACH; j += PIECE) {
      places.push(i, j, 0, i, j + PIECE, 0, j, i, 0, j + PIECE, i, 0);
      lines.push(i, 0, i, 0, i, 1, i, 1);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
  geometry.setAttribute('line', new BufferAttribute(new Float32Array(lines), 2));
  return geometry;
}

export class Ground {
  readonly object = new Group();
  private readonly uniforms = {
    middle: { value: [0, 0] },
    size: { value: 1 },
    reach: { value: 1 },
    spacing: { value: 0.1 },
    floorColor: { value: new Color() },
    lineColor: { value: new Color() },
  };
  private readonly shadow = new ShadowMaterial({ opacity: 0.2, depthWrite: false });
  private readonly turn = new Quaternion();
  private readonly planes = new Group();
  private readonly lines: LineSegments;

  constructor() {
    const plane = new PlaneGeometry(1, 1);
    const grid = new ShaderMaterial({
      uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
    });
    const floor = new Mesh(plane, grid);
    floor.renderOrder = -2;
    const shade = new Mesh(plane, this.shadow);
    shade.receiveShadow = true;
    shade.renderOrder = -1;
    const lines = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: LINES_VERTEX, fragmentShader: LINES_FRAGMENT, transparent: true, depthWrite: false });
    this.lines = new LineSegments(linePieces(), lines);
    this.lines.renderOrder = -2;
    this.planes.add(floor, shade);
    this.object.add(this.planes, this.lines);
    for (const part of [floor, shade, this.lines]) part.frustumCulled = false;
    this.setDraft(false);
  }

  // Lines alone, or a plane with shadows.
  setDraft(isDraft: boolean): void {
    this.lines.visible = isDraft;
    this.planes.visible = !isDraft;
  }

  setColors(dark: boolean): void {
    this.uniforms.floorColor.value.set(dark ? 0x1f242b : 0xf4f5f6);
    this.uniforms.lineColor.value.set(dark ? 0x3b434e : 0xcbd0d6);
    this.shadow.opacity = dark ? 0.42 : 0.2;
  }

  // Below a middle, so far along the direction upwards; `extent` is the size of what stands on it (m).
  place(up: Vector3, middle: Vector3, height: number, extent: number): void {
    this.turn.setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.object.quaternion.copy(this.turn);
    const spacing = niceLength(extent / 8);
    const reach = 5 * extent;
    // on multiples of the spacing, so that lines stand still
    const local = middle.clone().applyQuaternion(this.turn.clone().invert());
    local.set(Math.round(local.x / spacing) * spacing, Math.round(local.y / spacing) * spacing, height);
    this.uniforms.middle.value = [local.x, local.y];
    this.object.position.copy(local.applyQuaternion(this.turn));
    this.object.scale.set(2 * reach, 2 * reach, 1);
    this.uniforms.size.value = 2 * reach;
    this.uniforms.reach.value = reach;
    this.uniforms.spacing.value = spacing;
  }
}

// 1, 2 or 5 times a power of ten, not larger than a length.
export function niceLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(length, 1e-9)));
  const factor = length / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}
