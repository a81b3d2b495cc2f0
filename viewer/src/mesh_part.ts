// SPDX-License-Identifier: Apache-2.0
// A surface: smooth shading, colours by value, edges on demand, a cap where a section cuts it. Positions
// go to the graphics card out of the packet itself; everything else lives in memory that is used again.
import {
  BackSide, BufferAttribute, BufferGeometry, Color, DecrementWrapStencilOp, DoubleSide, DynamicDrawUsage, FrontSide,
  Group, IncrementWrapStencilOp, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, type ShaderMaterial, Sphere,
} from 'three';
import { Cap } from './cap.ts';
import { type Creased, splitCreases } from './creases.ts';
import { draftMaterial } from './draft.ts';
import { BY_BODY, type Look } from './look.ts';
import { computeNormals, edgesOf, finiteTriangles } from './normals.ts';
import { floatsOf, type Part, type Topology } from './packets.ts';
import { PartValues } from './part_values.ts';
import { colorByValue, COLLIDER_COLOR, type Shading } from './shading.ts';
import type { Extent } from './values.ts';

export class MeshPart {
  readonly object = new Group();
  readonly isBody: boolean;
  part: Part;
  topology: Topology | null = null;
  points: Float32Array = new Float32Array(0);
  hasGaps = false; // some points are not finite
  private readonly geometry = new BufferGeometry();
  private readonly values = new PartValues();
  private readonly material: MeshStandardMaterial;
  private readonly mesh: Mesh;
  private draft: ShaderMaterial | null = null;
  private edges: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
  private cap: Cap | null = null;
  private scratch: Float32Array | undefined;
  private creased: Creased = { triangles: new Uint32Array(0), extra: new Uint32Array(0) };
  private placed = new Float32Array(0); // points with those of creases; empty where there are none

  constructor(part: Part, private readonly shading: Shading, order: number, color: Color) {
    this.part = part;
    this.isBody = part.role === 'body';
    // never culled: nobody has to measure it
    this.geometry.boundingSphere = new Sphere();
    this.material = this.createMaterial(this.isBody ? color : COLLIDER_COLOR);
    this.mesh = new Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.isBody;
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = 4 * order + 2;
    this.object.add(this.mesh);
    if (this.isBody && !part.sheet) this.cap = this.createCap(order);
  }

  private createMaterial(color: Color): MeshStandardMaterial {
    const material = new MeshStandardMaterial({
      color, roughness: 0.62, metalness: 0, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    material.onBeforeCompile = (shader) => colorByValue(shader, this.shading, this.values.mode);
    return material;
  }

  // insides are where a ray to the eye leaves more often than it enters, counted by the stencil
  private createCap(order: number): Cap {
    const cap = new Cap(this.material.color, 4 * order + 1);
    for (const side of [BackSide, FrontSide] as const) {
      const counter = new MeshBasicMaterial({ side, depthTest: false, depthWrite: false, colorWrite: false, stencilWrite: true });
      const operation = side === BackSide ? IncrementWrapStencilOp : DecrementWrapStencilOp;
      counter.stencilFail = operation;
      counter.stencilZFail = operation;
      counter.stencilZPass = operation;
      const mesh = new Mesh(this.geometry, counter);
      mesh.frustumCulled = false;
      mesh.renderOrder = 4 * order;
      cap.counters.add(mesh);
    }
    this.object.add(cap.object);
    return cap;
  }

  // Takes a frame. Returns what its values reach.
  update(part: Part, topology: Topology, look: Look): Extent {
    this.part = part;
    const isNew = topology !== this.topology || part.points.data.length !== this.points.length;
    this.points = floatsOf(part.points, this.scratch);
    if (part.points.data !== this.points) this.scratch = this.points;
    if (isNew) this.rebuild(topology);
    const placed = this.placeExtra();
    const position = this.geometry.getAttribute('position') as BufferAttribute;
    const normal = this.geometry.getAttribute('normal') as BufferAttribute;
    position.array = placed;
    position.needsUpdate = true;
    const finite = computeNormals(placed, this.creased.triangles, normal.array as Float32Array);
    normal.needsUpdate = true;
    this.showGaps(!finite, placed);
    return this.recolor(look);
  }

  recolor(look: Look): Extent {
    return this.values.update(this.geometry, this.part, look, this.creased.extra);
  }

  // creases are those of the first frame seen; a sheet has folds instead
  private rebuild(topology: Topology): void {
    this.topology = topology;
    this.creased = topology.sheet ? { triangles: topology.triangles, extra: new Uint32Array(0) } : splitCreases(this.points, topology.triangles);
    const size = this.points.length + 3 * this.creased.extra.length;
    this.placed = new Float32Array(this.creased.extra.length > 0 ? size : 0);
    this.geometry.dispose();
    this.geometry.setAttribute('position', new BufferAttribute(this.placeExtra(), 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('normal', new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage));
    this.geometry.setIndex(new BufferAttribute(this.creased.triangles, 1));
    this.hasGaps = false;
    this.removeEdges();
  }

  // The points, and behind them those that stand at a crease a second time.
  private placeExtra(): Float32Array {
    const { extra } = this.creased;
    if (extra.length === 0) return this.points;
    this.placed.set(this.points);
    for (let i = 0, to = this.points.length; i < extra.length; i++, to += 3) {
      const from = 3 * extra[i];
      this.placed[to] = this.points[from];
      this.placed[to + 1] = this.points[from + 1];
      this.placed[to + 2] = this.points[from + 2];
    }
    return this.placed;
  }

  // triangles with a point that is not finite are left out, until all are finite again
  private showGaps(gaps: boolean, placed: Float32Array): void {
    if (!gaps && !this.hasGaps) return;
    this.hasGaps = gaps;
    const { triangles } = this.creased;
    this.geometry.setIndex(new BufferAttribute(gaps ? finiteTriangles(placed, triangles) : triangles, 1));
  }

  // Draws as a look says.
  apply(look: Look): void {
    const isHidden = look.hidden.has(this.part.name) || (!this.isBody && look.colliders === 'hide');
    this.object.visible = !isHidden && this.topology !== null;
    const isGlass = !this.isBody && look.colliders === 'glass';
    for (const material of [this.material, this.draft]) {
      if (!material) continue;
      material.transparent = isGlass;
      material.opacity = isGlass ? 0.3 : 1;
      material.depthWrite = !isGlass;
      material.side = isGlass && !this.part.sheet ? FrontSide : DoubleSide;
      this.shading.cutMaterial(material);
    }
    if (this.draft) {
      this.draft.uniforms.opacity.value = this.material.opacity;
      // of what is closed nobody sees the inside
      if (!this.part.sheet && !this.shading.isCut) this.draft.side = FrontSide;
    }
    this.mesh.castShadow = !isGlass;
    this.showEdges(look);
    this.cap?.apply(this.shading, this.object.visible && !this.hasGaps, look.field !== BY_BODY);
  }

  // Simple shading, or the whole of it.
  setDraft(isDraft: boolean, look: Look): void {
    if (isDraft === (this.mesh.material === this.draft)) return;
    if (isDraft && !this.draft) {
      this.draft = draftMaterial(this.shading, this.material.color, this.values.mode);
      this.apply(look);
    }
    this.mesh.material = isDraft && this.draft ? this.draft : this.material;
  }

  private showEdges(look: Look): void {
    if (!look.edges || !this.topology || (!this.isBody && look.colliders === 'glass')) {
      this.removeEdges();
      return;
    }
    this.edges ??= this.createEdges(this.topology);
    this.edges.material.color.set(look.dark ? 0xffffff : 0x10151c);
    this.edges.material.opacity = this.isBody ? 0.22 : 0.1;
    this.shading.cutMaterial(this.edges.material);
  }

  private createEdges(topology: Topology): LineSegments<BufferGeometry, LineBasicMaterial> {
    const geometry = new BufferGeometry();
    geometry.boundingSphere = new Sphere();
    geometry.setAttribute('position', this.geometry.getAttribute('position'));
    geometry.setIndex(new BufferAttribute(edgesOf(topology.triangles, this.points.length / 3), 1));
    const lines = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, depthWrite: false }));
    lines.frustumCulled = false;
    lines.renderOrder = this.mesh.renderOrder + 1;
    this.object.add(lines);
    return lines;
  }

  private removeEdges(): void {
    if (!this.edges) return;
    this.object.remove(this.edges);
    // the positions belong to the surface
    this.edges.geometry.deleteAttribute('position');
    this.edges.geometry.dispose();
    this.edges.material.dispose();
    this.edges = null;
  }

  dispose(): void {
    this.removeEdges();
    this.geometry.dispose();
    this.material.dispose();
    this.draft?.dispose();
    this.cap?.dispose();
  }
}
