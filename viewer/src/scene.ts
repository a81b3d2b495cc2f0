// SPDX-License-Identifier: Apache-2.0
// The scene: parts of the frame that is shown, light, ground, camera. Draws when something changed, and
// never otherwise.
import {
  Box3, Color, DataTexture, DirectionalLight, HemisphereLight, LinearFilter, MathUtils, PCFShadowMap, PerspectiveCamera,
  Quaternion, Scene, SRGBColorSpace, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { categoryColor } from './colors.ts';
import { Ground } from './ground.ts';
import type { Look } from './look.ts';
import { MeshPart } from './mesh_part.ts';
import type { Frame, Part } from './packets.ts';
import { type Hit, pickSurface, type Ray } from './pick.ts';
import { PointsPart } from './points_part.ts';
import type { Vec3 } from './protocol.ts';
import { isSoftwareName, type Level, Quality, WHOLE } from './quality.ts';
import { LIGHT, Shading } from './shading.ts';
import { Signal } from './signal.ts';
import { type Balls, LARGEST } from './splat.ts';
import { SplatLayer } from './splat_layer.ts';
import { stopwatch } from './stopwatch.ts';
import type { Topologies } from './topologies.ts';

export interface PickedPoint extends Hit {
  part: MeshPart;
}

const UPS = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
const FIELD_OF_VIEW = 30; // degrees, vertical
const FOLLOWING = 0.25; // share of the way to the bodies' middle that the camera goes with each frame
const LAGGING = 0.2; // of the bodies' size
const REST = 400; // milliseconds without a picture: nothing moves any more

export interface StageOptions {
  lite: boolean; // no shadows, no smoothing of edges
  whole: boolean; // never less than the whole picture
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  controls: OrbitControls;
  readonly scene = new Scene();
  readonly drawn = new Signal(); // a picture has been drawn
  readonly lost = new Signal<boolean>(); // the graphics card left us (true) or came back
  readonly bounds = new Box3(); // of the bodies of all frames seen
  ticking: (seconds: number) => boolean = () => false; // before each picture; true: go on
  frame: Frame | null = null;
  private readonly parts = new Map<string, MeshPart | PointsPart>();
  private readonly shading = new Shading();
  private readonly ground = new Ground();
  private readonly sky = new HemisphereLight(LIGHT.sky, LIGHT.ground, LIGHT.hemisphere);
  private readonly key = new DirectionalLight(0xffffff, LIGHT.key);
  private readonly up = UPS.y.clone();
  private readonly keyDirection = LIGHT.direction.clone();
  private readonly background = new DataTexture(new Uint8Array(4 * 2 * 64), 2, 64);
  private painted: boolean | null = null; // how the background is
  private readonly frameBounds = new Box3(); // of the bodies of the frame that is shown
  private followed: Vector3 | null = null; // the place that the camera goes with
  private isSeen = false; // the camera has been put
  private isUntouched = false; // nobody has moved the camera since
  private firstExtent = 0; // m, of the first frame
  private fittedExtent = 0; // m, of what the camera was put for
  readonly isLite: boolean;
  level: Level = WHOLE; // of what was drawn last
  private readonly quality: Quality | null; // null: it never changes
  private readonly splats = new SplatLayer();
  private readonly plainBackground = new Color();
  private finished = -Infinity; // when the last picture was there (ms)
  private rest = 0; // timer
  private isAsked = false;
  private isDirty = true;
  private isLost = false;
  private before = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly look: Look,
    options: StageOptions,
  ) {
    const isSoftware = isSoftwareName(rendererName());
    const lite = options.lite || (isSoftware && !options.whole);
    this.isLite = lite;
    this.quality = options.whole ? null : new Quality(isSoftware);
    this.renderer = new WebGLRenderer({ canvas, antialias: !lite, stencil: true, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(this.wholeRatio);
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = !lite;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.look.shadows = !lite;
    this.controls = this.createControls();
    this.setUpLight();
    this.scene.add(this.sky, this.key, this.key.target, this.ground.object, this.splats.object);
    this.scene.background = this.background;
    this.watchContext();
    this.applyLook();
  }

  private createControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = true;
    controls.dampingFactor = 0.18;
    controls.addEventListener('change', () => this.invalidate());
    controls.addEventListener('start', () => (this.isUntouched = false));
    return controls;
  }

  private setUpLight(): void {
    const { shadow } = this.key;
    shadow.mapSize.set(2048, 2048);
    shadow.radius = 3;
    shadow.bias = -0.0004;
    this.background.colorSpace = SRGBColorSpace;
    this.background.magFilter = LinearFilter;
    this.background.minFilter = LinearFilter;
  }

  private watchContext(): void {
    this.canvas.addEventListener('webglcontextlost', () => {
      this.isLost = true;
      this.lost.emit(true);
    });
    this.canvas.addEventListener('webglcontextrestored', () => {
      this.isLost = false;
      this.lost.emit(false);
      this.applyLook();
    });
  }

  // ---- what is shown

  show(frame: Frame, topologies: Topologies): void {
    this.frame = frame;
    const kept = new Set<string>();
    for (const part of frame.parts) {
      const key = keyOf(part, kept);
      kept.add(key);
      this.updatePart(key, part, topologies);
    }
    for (const key of this.parts.keys()) if (!kept.has(key)) this.removePart(key);
    this.growBounds(frame);
    this.applyLook();
  }

  clear(keepsCamera: boolean): void {
    for (const key of this.parts.keys()) this.removePart(key);
    this.frame = null;
    this.bounds.makeEmpty();
    this.frameBounds.makeEmpty();
    if (!keepsCamera) this.isSeen = false;
    this.invalidate();
  }

  private updatePart(key: string, part: Part, topologies: Topologies): void {
    const shown = this.parts.get(key) ?? this.addPart(key, part);
    if (shown instanceof PointsPart) {
      this.look.see(shown.update(part, this.look));
      return;
    }
    const topology = topologies.of(part);
    const fits = topology !== null && 3 * topology.vertices.length === part.points.data.length;
    if (fits) this.look.see(shown.update(part, topology, this.look));
  }

  private addPart(key: string, part: Part): MeshPart | PointsPart {
    const order = this.parts.size;
    const bodies = [...this.parts.values()].filter((other) => other.isBody).length;
    const color = new Color().setRGB(...unit(categoryColor(bodies)), SRGBColorSpace);
    const kind = part.kind === 'points' ? PointsPart : MeshPart;
    const added = new kind(part, this.shading, order, color);
    this.parts.set(key, added);
    this.scene.add(added.object);
    return added;
  }

  private removePart(key: string): void {
    const part = this.parts.get(key);
    if (!part) return;
    this.scene.remove(part.object);
    part.dispose();
    this.parts.delete(key);
  }

  private growBounds(frame: Frame): void {
    if (frame.bounds) {
      this.frameBounds.set(new Vector3(...frame.bounds[0]), new Vector3(...frame.bounds[1]));
      this.bounds.union(this.frameBounds);
    }
    this.keepInSight();
    this.follow();
    this.placeSurroundings();
  }

  // As long as nobody has moved the camera it follows what grows, but not what flies away.
  private keepInSight(): void {
    if (this.bounds.isEmpty()) return;
    const extent = this.extent;
    if (!this.isSeen) {
      this.firstExtent = extent;
      this.fit();
      this.isUntouched = true;
    } else if (this.isUntouched && this.controls.enabled && extent > 1.001 * this.fittedExtent && extent < 4 * this.firstExtent) {
      this.fit();
      this.isUntouched = true;
    }
  }

  // The camera goes with the middle of the bodies, gently: what shakes does not shake it.
  private follow(): void {
    if (!this.look.follows || this.frameBounds.isEmpty()) {
      this.followed = null;
      return;
    }
    const middle = this.frameBounds.getCenter(new Vector3());
    this.followed ??= this.controls.target.clone();
    const gap = middle.sub(this.followed);
    // what is quick is never further behind than a part of its own size
    const allowed = LAGGING * this.frameBounds.getSize(new Vector3()).length();
    const move = gap.multiplyScalar(Math.max(FOLLOWING, 1 - allowed / Math.max(gap.length(), 1e-30)));
    this.followed.add(move);
    this.controls.target.add(move);
    this.camera.position.add(move);
    this.isUntouched = false;
  }

  // The field or its component changed: values of the frame that is shown become colours anew.
  recolor(): void {
    for (const part of this.parts.values()) this.look.see(part.recolor(this.look));
    this.applyLook();
  }

  applyLook(): void {
    this.shading.apply(this.look);
    for (const part of this.parts.values()) part.apply(this.look);
    this.ground.object.visible = this.look.ground;
    this.ground.setColors(this.look.dark);
    this.key.castShadow = this.look.shadows;
    this.paintBackground(this.look.dark);
    this.invalidate();
  }

  private paintBackground(dark: boolean): void {
    if (this.painted === dark) return;
    this.painted = dark;
    const [bottom, top] = dark ? [[26, 30, 36], [18, 21, 26]] : [[240, 242, 244], [252, 252, 253]];
    const pixels = this.background.image.data as Uint8Array;
    for (let i = 0; i < pixels.length / 4; i++) {
      const t = Math.floor(i / 2) / 63;
      for (let k = 0; k < 3; k++) pixels[4 * i + k] = Math.round(bottom[k] + t * (top[k] - bottom[k]));
      pixels[4 * i + 3] = 255;
    }
    this.background.needsUpdate = true;
    this.plainBackground.setRGB(...unit(bottom.map((value, k) => 0.5 * (value + top[k])) as Vec3), SRGBColorSpace);
  }

  partsShown(): (MeshPart | PointsPart)[] {
    return [...this.parts.values()];
  }

  partNamed(name: string): MeshPart | PointsPart | undefined {
    return this.partsShown().find((part) => part.part.name === name);
  }

  // ---- camera

  setUp(axis: 'x' | 'y' | 'z'): void {
    this.up.copy(UPS[axis]);
    const turn = new Quaternion().setFromUnitVectors(UPS.y, this.up);
    this.keyDirection.copy(LIGHT.direction).applyQuaternion(turn);
    this.shading.uniforms.upDirection.value.copy(this.up);
    this.shading.uniforms.keyDirection.value.copy(this.keyDirection);
    this.sky.position.copy(this.up);
    this.camera.up.copy(this.up);
    // controls take the direction upwards when they are made
    this.controls.dispose();
    this.controls = this.createControls();
  }

  // All bodies in sight, from where the camera stands, or from a direction.
  fit(direction?: Vector3): void {
    const box = this.boundsToFit();
    const center = box.getCenter(new Vector3());
    const from = direction ?? (this.isSeen ? this.camera.position.clone().sub(this.controls.target) : this.firstDirection());
    const distance = fitDistance(box, center, from.normalize(), this.camera);
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(from, distance);
    this.isSeen = true;
    this.isUntouched = false;
    this.fittedExtent = this.extent;
    this.controls.update();
    this.invalidate();
  }

  // where the bodies were and are; of what has gone far only where it is
  private boundsToFit(): Box3 {
    if (this.bounds.isEmpty()) return new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const now = this.frameBounds.isEmpty() ? this.extent : this.frameBounds.getSize(new Vector3()).length();
    return this.extent > 6 * now ? this.frameBounds : this.bounds;
  }

  private firstDirection(): Vector3 {
    const [azimuth, elevation] = [MathUtils.degToRad(32), MathUtils.degToRad(20)];
    const level = new Vector3(Math.sin(azimuth), 0, Math.cos(azimuth)).multiplyScalar(Math.cos(elevation));
    level.y = Math.sin(elevation);
    return level.applyQuaternion(new Quaternion().setFromUnitVectors(UPS.y, this.up));
  }

  lookFrom(position: Vec3, target: Vec3, fov: number): void {
    this.camera.position.set(...position);
    this.controls.target.set(...target);
    this.camera.fov = fov;
    this.isSeen = true;
    this.isUntouched = false;
    this.controls.update();
    this.invalidate();
  }

  private get extent(): number {
    return this.bounds.isEmpty() ? 2 : Math.max(this.bounds.getSize(new Vector3()).length(), 1e-6);
  }

  private placeSurroundings(): void {
    const center = this.bounds.isEmpty() ? new Vector3() : this.bounds.getCenter(new Vector3());
    const extent = this.extent;
    const lowest = this.bounds.isEmpty() ? 0 : this.bounds.min.dot(this.up);
    // most floors are at zero; what hangs above one shows it
    const height = lowest > -0.02 * extent && lowest < 0.75 * extent ? Math.min(0, lowest) : lowest;
    this.ground.place(this.up, center, height - 1e-3 * extent, extent);
    this.shading.extent.center.copy(center);
    this.shading.extent.size = 3 * extent;
    this.key.target.position.copy(center);
    this.key.position.copy(center).addScaledVector(this.keyDirection, 2 * extent);
    const box = this.key.shadow.camera;
    Object.assign(box, { left: -extent, right: extent, top: extent, bottom: -extent, near: 0.1 * extent, far: 6 * extent });
    this.key.shadow.normalBias = 0.004 * extent;
    box.updateProjectionMatrix();
  }

  // ---- pointer

  rayAt(clientX: number, clientY: number): Ray {
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (clientY - box.top)) / box.height;
    const origin = this.camera.position;
    const direction = new Vector3(x, y, 0.5).unproject(this.camera).sub(origin).normalize();
    return { origin: origin.toArray() as Vec3, direction: direction.toArray() as Vec3 };
  }

  // The nearest point of a body that is not hidden or cut away.
  pick(clientX: number, clientY: number): PickedPoint | null {
    const ray = this.rayAt(clientX, clientY);
    const keeps = (place: Vec3): boolean => !this.shading.isCut || this.shading.plane.distanceToPoint(new Vector3(...place)) >= 0;
    let best: PickedPoint | null = null;
    for (const part of this.parts.values()) {
      if (!(part instanceof MeshPart) || !part.isBody || !part.object.visible || !part.topology) continue;
      const hit = pickSurface(part.points, part.topology.triangles, ray, keeps);
      if (hit && (!best || hit.distance < best.distance)) best = { ...hit, part };
    }
    return best;
  }

  // Where a place is on the screen, in pixels of the page.
  onScreen(place: Vec3): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const point = new Vector3(...place).project(this.camera);
    return [box.left + (0.5 * point.x + 0.5) * box.width, box.top + (0.5 - 0.5 * point.y) * box.height];
  }

  // ---- drawing

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  // Something looks different now.
  invalidate(): void {
    this.isDirty = true;
    this.ask();
  }

  // Something may have happened: `ticking` is asked before the screen's next picture.
  ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.isAsked = false;
    // after a pause no time has passed
    const seconds = now - this.before > 1000 ? 0 : Math.max(0, (now - this.before) / 1000);
    this.before = now;
    const goesOn = this.ticking(seconds);
    if (this.controls.enabled) this.controls.update();
    if (this.isDirty) this.drawMoving(now, goesOn);
    if (goesOn) this.ask();
  }

  // A picture of many is drawn as well as there is time for; the last of them is drawn again as well as can be.
  private drawMoving(now: number, goesOn: boolean): void {
    clearTimeout(this.rest);
    const moves = goesOn || now - this.finished < REST;
    this.setLevel(moves && this.quality ? this.quality.level : WHOLE);
    this.draw();
    requestAnimationFrame((later) => {
      this.finished = later;
      if (moves) this.quality?.took(later - now);
    });
    if (this.level !== WHOLE) this.rest = window.setTimeout(() => this.comeToRest(), REST);
  }

  // while frames are played the next one is what is waited for
  private comeToRest(): void {
    if (this.isDirty || this.isAsked) {
      this.rest = window.setTimeout(() => this.comeToRest(), REST);
      return;
    }
    this.drawAt(WHOLE);
  }

  draw(): void {
    if (this.isLost || this.canvas.clientWidth < 1 || this.canvas.clientHeight < 1) return;
    this.isDirty = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(1e-3 * distance, distance - 4 * this.extent, 1e-6);
    this.camera.far = distance + 14 * this.extent;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.aimPoints();
    stopwatch.time('draw', () => this.render(distance));
    this.drawn.emit();
  }

  // Draws at once, as well as can be or as a level says.
  drawAt(level: Level): void {
    this.setLevel(level);
    this.draw();
  }

  // The size of the whole picture, in pixels.
  get size(): [number, number] {
    const { width, height } = this.canvas.getBoundingClientRect();
    return [Math.floor(Math.floor(width) * this.wholeRatio), Math.floor(Math.floor(height) * this.wholeRatio)];
  }

  private get wholeRatio(): number {
    return this.isLite ? 1 : Math.min(devicePixelRatio, 2);
  }

  private setLevel(level: Level): void {
    if (level.ratio !== this.level.ratio) this.renderer.setPixelRatio(level.ratio * this.wholeRatio);
    this.level = level;
    this.ground.setDraft(level.isDraft);
    this.scene.background = level.isDraft ? this.plainBackground : this.background;
    for (const part of this.parts.values()) if (part instanceof MeshPart) part.setDraft(level.isDraft, this.look);
  }

  private render(distance: number): void {
    const splatted = this.level.isDraft ? this.partsShown().filter((part) => part instanceof PointsPart && part.object.visible && this.isSmall(part, distance)) : [];
    this.splats.object.visible = splatted.length > 0;
    if (splatted.length > 0) this.splat(splatted as PointsPart[]);
    for (const part of splatted) part.object.visible = false;
    this.renderer.render(this.scene, this.camera);
    for (const part of splatted) part.object.visible = true;
  }

  // balls of many pixels are few in the picture, and better left to the renderer
  private isSmall(part: MeshPart | PointsPart, distance: number): boolean {
    return (this.canvas.height * this.camera.projectionMatrix.elements[5] * part.part.radius) / distance < LARGEST;
  }

  private splat(parts: PointsPart[]): void {
    const light = {
      up: this.inView(this.up), key: this.inView(this.keyDirection),
      sky: LIGHT.hemisphere / Math.PI, ground: (LIGHT.ground.g * LIGHT.hemisphere) / Math.PI, lamp: LIGHT.key / Math.PI,
    };
    const balls: Balls[] = parts.map((part) => part.balls(this.camera, this.look));
    this.splats.draw(balls, this.camera, this.canvas.width, this.canvas.height, light);
  }

  private inView(direction: Vector3): Vector3 {
    return direction.clone().transformDirection(this.camera.matrixWorldInverse);
  }

  private aimPoints(): void {
    const [up, key] = [this.inView(this.up), this.inView(this.keyDirection)];
    for (const part of this.parts.values()) {
      if (part instanceof PointsPart) part.aim(up, key, this.renderer.domElement.height);
    }
  }
}

// Who draws, as the browser says; asked before the first picture, because it decides how.
function rendererName(): string {
  const gl = document.createElement('canvas').getContext('webgl2');
  const about = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && about ? String(gl.getParameter(about.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return name;
}

// names can occur twice
function keyOf(part: Part, taken: Set<string>): string {
  let key = `${part.kind} ${part.name}`;
  while (taken.has(key)) key += '+';
  return key;
}

function unit(color: Vec3): Vec3 {
  return [color[0] / 255, color[1] / 255, color[2] / 255];
}

// how far away a camera sees all corners of a box
function fitDistance(box: Box3, center: Vector3, from: Vector3, camera: PerspectiveCamera): number {
  const right = new Vector3().crossVectors(camera.up, from);
  if (right.lengthSq() < 1e-8) right.set(from.z, from.x, from.y);
  right.normalize();
  const up = new Vector3().crossVectors(from, right);
  const tall = Math.tan(MathUtils.degToRad(camera.fov / 2)) * 0.8;
  const wide = tall * camera.aspect;
  let distance = 1e-4;
  for (let corner = 0; corner < 8; corner++) {
    const arm = new Vector3(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y, corner & 4 ? box.max.z : box.min.z).sub(center);
    const needed = Math.max(Math.abs(arm.dot(right)) / wide, Math.abs(arm.dot(up)) / tall);
    distance = Math.max(distance, needed + arm.dot(from));
  }
  return distance;
}
