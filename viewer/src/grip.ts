// SPDX-License-Identifier: Apache-2.0
// Takes hold of matter with the pointer: a press on a body drags it in the plane parallel to the screen
// through the place that was hit; a press beside turns the camera. Alt or the pin tool pins instead.
import { Plane, Ray, Vector3 } from 'three';
import type { Marks } from './marks.ts';
import type { Command, Vec3 } from './protocol.ts';
import type { PickedPoint, Stage } from './scene.ts';

export type Tool = 'drag' | 'pin' | 'turn';

interface Held {
  pointer: number;
  id: number;
  body: string;
  part: PickedPoint['part'];
  point: number;
  vertex: number;
  plane: Plane;
  offset: Vector3; // from the place that was hit to the point
  target: Vec3;
  isSent: boolean;
}

export class Grip {
  tool: Tool = 'drag';
  enabled = false;
  private held: Held | null = null;
  private nextId = 1;

  constructor(
    private readonly stage: Stage,
    private readonly marks: Marks,
    private readonly send: (command: Command) => void,
  ) {
    const { canvas } = stage;
    // before the controls hear of it
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(type, (event) => this.lift(event), { capture: true });
    }
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  private press(event: PointerEvent): void {
    // a second finger turns and zooms
    if (this.held) {
      this.letGo();
      return;
    }
    const isMain = event.button === 0 && event.isPrimary && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!this.enabled || !isMain || (this.tool === 'turn' && !event.altKey)) return;
    const isPin = this.tool === 'pin' || event.altKey;
    const taken = isPin ? this.pinAt(event) : this.take(event);
    if (!taken) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  }

  private pinAt(event: PointerEvent): boolean {
    const old = this.marks.pinAt(event.clientX, event.clientY);
    if (old) {
      this.send({ type: 'unpin', id: old.id });
      return true;
    }
    const hit = this.stage.pick(event.clientX, event.clientY);
    const topology = hit?.part.topology;
    if (!hit || !topology) return false;
    this.send({ type: 'pin', body: hit.part.part.name, vertex: topology.vertices[hit.point] });
    return true;
  }

  private take(event: PointerEvent): boolean {
    const hit = this.stage.pick(event.clientX, event.clientY);
    const topology = hit?.part.topology;
    if (!hit || !topology) return false;
    const place = new Vector3(...hit.place);
    const towards = this.stage.camera.getWorldDirection(new Vector3());
    this.held = {
      pointer: event.pointerId,
      id: this.nextId++,
      body: hit.part.part.name,
      part: hit.part,
      point: hit.point,
      vertex: topology.vertices[hit.point],
      plane: new Plane().setFromNormalAndCoplanarPoint(towards, place),
      offset: pointAt(hit.part.points, hit.point).sub(place),
      target: pointAt(hit.part.points, hit.point).toArray() as Vec3,
      isSent: false,
    };
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.controls.enabled = false;
    this.stage.canvas.classList.add('holding');
    this.stage.invalidate();
    return true;
  }

  private move(event: PointerEvent): void {
    const held = this.held;
    if (!held || event.pointerId !== held.pointer) return;
    const { origin, direction } = this.stage.rayAt(event.clientX, event.clientY);
    const place = new Ray(new Vector3(...origin), new Vector3(...direction)).intersectPlane(held.plane, new Vector3());
    if (place) held.target = place.add(held.offset).toArray() as Vec3;
    held.isSent = false;
    this.stage.invalidate();
  }

  private lift(event: PointerEvent): void {
    if (this.held?.pointer === event.pointerId) this.letGo();
  }

  letGo(): void {
    if (!this.held) return;
    this.send({ type: 'release', id: this.held.id });
    this.held = null;
    this.marks.hand = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.classList.remove('holding');
    this.stage.invalidate();
  }

  // Before each picture: at most one message a picture, and the line to where the point is now.
  tick(): void {
    const held = this.held;
    if (!held) return;
    if (!held.isSent) {
      this.send({ type: 'drag', id: held.id, body: held.body, vertex: held.vertex, target: held.target });
      held.isSent = true;
    }
    this.marks.hand = { from: pointAt(held.part.points, held.point).toArray() as Vec3, to: held.target };
  }
}

function pointAt(points: Float32Array, point: number): Vector3 {
  return new Vector3(points[3 * point], points[3 * point + 1], points[3 * point + 2]);
}
