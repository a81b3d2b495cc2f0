// SPDX-License-Identifier: Apache-2.0
// The cut surface of a closed mesh: a large square in the section plane, drawn where the stencil counted
// more back sides than front sides, hatched as in a drawing.
import {
  AlwaysStencilFunc, Color, DoubleSide, Group, Mesh, type MeshBasicMaterial, MeshStandardMaterial, NotEqualStencilFunc,
  PlaneGeometry, ReplaceStencilOp, Vector3, type WebGLRenderer,
} from 'three';
import { NO_VALUE_COLOR, type Shading } from './shading.ts';

const HATCH = /* glsl */ `
float hatchLine = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / 9.0) - 0.5);
diffuseColor.rgb *= mix(0.8, 1.0, smoothstep(0.04, 0.16, hatchLine));
`;

const SQUARE = new PlaneGeometry(1, 1);

export class Cap {
  readonly object = new Group();
  readonly counters = new Group();
  private readonly face: Mesh<PlaneGeometry, MeshStandardMaterial>;
  private readonly color: Color;

  constructor(color: Color, order: number) {
    this.color = color.clone().lerp(new Color(1, 1, 1), 0.12);
    const material = new MeshStandardMaterial({
      color: this.color.clone(), roughness: 0.9, side: DoubleSide, stencilWrite: true, stencilRef: 0,
      stencilFunc: NotEqualStencilFunc, stencilFail: ReplaceStencilOp, stencilZFail: ReplaceStencilOp, stencilZPass: ReplaceStencilOp,
    });
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace('#include <color_fragment>', HATCH);
    };
    this.face = new Mesh(SQUARE, material);
    this.face.frustumCulled = false;
    this.face.renderOrder = order;
    this.face.onAfterRender = (renderer: WebGLRenderer) => renderer.clearStencil();
    this.object.add(this.counters, this.face);
  }

  // Values inside are not known to the page: between colours of values the cut has none.
  apply(shading: Shading, visible: boolean, byValue: boolean): void {
    this.object.visible = visible && shading.isCut;
    this.face.material.color.copy(byValue ? NO_VALUE_COLOR : this.color);
    for (const counter of this.counters.children) {
      const material = (counter as Mesh).material as MeshBasicMaterial;
      material.stencilFunc = AlwaysStencilFunc;
      material.clippingPlanes = shading.clippingPlanes;
    }
    this.place(shading);
  }

  private place(shading: Shading): void {
    const { center, size } = shading.extent;
    const plane = shading.plane;
    plane.projectPoint(center, this.face.position);
    this.face.lookAt(new Vector3().copy(this.face.position).add(plane.normal));
    this.face.scale.setScalar(size);
    this.face.updateMatrixWorld();
  }

  dispose(): void {
    this.face.material.dispose();
    for (const counter of this.counters.children) ((counter as Mesh).material as MeshBasicMaterial).dispose();
  }
}
