// SPDX-License-Identifier: Apache-2.0
// Shows what a splatter drew, with its depths, so that it goes together with everything else.
import {
  DataTexture, FloatType, type Matrix4, Mesh, NearestFilter, type PerspectiveCamera, PlaneGeometry, RedFormat, RGBAFormat, ShaderMaterial, UnsignedByteType,
  Vector4,
} from 'three';
import { type Balls, BORDER, type Light, Splatter } from './splat.ts';

const VERTEX = /* glsl */ `
uniform vec4 box;
void main() {
  gl_Position = vec4(mix(box.xy, box.zw, 0.5 * position.xy + 0.5), 0.0, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
uniform sampler2D colors;
uniform highp sampler2D depths;
void main() {
  ivec2 place = ivec2(gl_FragCoord.xy) + ${BORDER};
  float depth = texelFetch(depths, place, 0).r;
  if (depth >= 1.0) discard;
  gl_FragDepth = 0.5 * depth + 0.5;
  gl_FragColor = texelFetch(colors, place, 0);
}
`;

export class SplatLayer {
  readonly object: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly splatter = new Splatter();
  private colors: DataTexture | null = null;
  private depths: DataTexture | null = null;
  private readonly uniforms = {
    box: { value: new Vector4(-1, -1, 1, 1) },
    colors: { value: null as DataTexture | null },
    depths: { value: null as DataTexture | null },
  };

  constructor() {
    const material = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT });
    this.object = new Mesh(new PlaneGeometry(2, 2), material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  // Draws all balls anew as the camera sees them, on a canvas of so many pixels.
  draw(balls: Iterable<Balls>, camera: PerspectiveCamera, width: number, height: number, light: Light): void {
    const { splatter } = this;
    splatter.begin(width, height, light);
    const { elements } = camera.projectionMatrix;
    for (const some of balls) splatter.add(some, height * elements[5], -elements[14]);
    const { left, bottom, right, top } = splatter.box;
    this.object.visible = right >= left;
    // from pixels to the clip space, as far as balls can reach
    const x = (column: number): number => (2 * (column - BORDER)) / width - 1;
    const y = (row: number): number => (2 * (row - BORDER)) / height - 1;
    this.uniforms.box.value.set(Math.max(-1, x(left - BORDER)), Math.max(-1, y(bottom - BORDER)), Math.min(1, x(right + BORDER)), Math.min(1, y(top + BORDER)));
    this.upload();
  }

  private upload(): void {
    const { width, height, image, depth } = this.splatter;
    if (!this.colors || !this.depths || this.colors.image.width !== width || this.colors.image.height !== height) {
      this.dispose();
      this.colors = plainTexture(new DataTexture(new Uint8Array(image.buffer), width, height, RGBAFormat, UnsignedByteType));
      this.depths = plainTexture(new DataTexture(depth, width, height, RedFormat, FloatType));
      this.uniforms.colors.value = this.colors;
      this.uniforms.depths.value = this.depths;
    }
    this.colors.needsUpdate = true;
    this.depths.needsUpdate = true;
  }

  dispose(): void {
    this.colors?.dispose();
    this.depths?.dispose();
  }
}

function plainTexture(texture: DataTexture): DataTexture {
  texture.minFilter = NearestFilter;
  texture.magFilter = NearestFilter;
  texture.generateMipmaps = false;
  return texture;
}

// From stored coordinates, scaled and moved, to the clip space.
export function clipMatrix(into: Matrix4, camera: PerspectiveCamera, low: { x: number; y: number; z: number }, scale: { x: number; y: number; z: number }): Matrix4 {
  const e = into.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
  for (let k = 0; k < 4; k++) {
    e[12 + k] += e[k] * low.x + e[4 + k] * low.y + e[8 + k] * low.z;
    e[k] *= scale.x;
    e[4 + k] *= scale.y;
    e[8 + k] *= scale.z;
  }
  return into;
}
