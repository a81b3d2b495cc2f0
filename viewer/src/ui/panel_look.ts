// SPDX-License-Identifier: Apache-2.0
// Edges, colliders, ground, shadows, and a camera that follows.
import type { ColliderLook, Look } from '../look.ts';
import { checkbox, row, select } from './dom.ts';

const COLLIDERS = [['glass', 'Glass'], ['show', 'Solid'], ['hide', 'Hidden']] as const;

export class LookPanel {
  readonly rows: HTMLElement[];
  private readonly edges = checkbox('Edges of triangles', (on) => this.look.update(() => (this.look.edges = on)));
  private readonly ground = checkbox('Ground', (on) => this.look.update(() => (this.look.ground = on)));
  private readonly shadows = checkbox('Shadows', (on) => this.look.update(() => (this.look.shadows = on)));
  private readonly follows = checkbox('Camera follows', (on) => this.look.update(() => (this.look.follows = on)));
  private readonly colliders = select(COLLIDERS, (value) => this.look.update(() => (this.look.colliders = value as ColliderLook)));

  constructor(private readonly look: Look, lite: boolean) {
    this.rows = [this.edges.row, this.ground.row, ...(lite ? [] : [this.shadows.row]), this.follows.row, row('Colliders', this.colliders)];
    this.show();
  }

  show(): void {
    this.edges.input.checked = this.look.edges;
    this.ground.input.checked = this.look.ground;
    this.shadows.input.checked = this.look.shadows;
    this.follows.input.checked = this.look.follows;
    this.colliders.value = this.look.colliders;
  }
}
