// SPDX-License-Identifier: Apache-2.0
// Puts the page together: one look, one stage, one of two modes, and the panels that change them.
import { Vector3 } from 'three';
import { Connection } from './connection.ts';
import { BY_BODY, type Change, Look } from './look.ts';
import { MeshPart } from './mesh_part.ts';
import type { Mode, Workshop } from './mode.ts';
import { LiveMode } from './mode_live.ts';
import { ViewMode } from './mode_view.ts';
import type { FieldInfo, Frame } from './packets.ts';
import type { Session, Vec3 } from './protocol.ts';
import { Stage } from './scene.ts';
import { Shell } from './shell.ts';
import { takePicture } from './snapshot.ts';
import { stopwatch } from './stopwatch.ts';
import { Supervisor } from './supervisor.ts';
import { Theme } from './theme.ts';
import { Topologies } from './topologies.ts';
import { Axes } from './ui/axes.ts';
import { download, element, setIcon, textButton } from './ui/dom.ts';
import { Help } from './ui/help.ts';
import { Legend } from './ui/legend.ts';
import { Notices } from './ui/notices.ts';
import { BodiesPanel } from './ui/panel_bodies.ts';
import { ColorPanel } from './ui/panel_color.ts';
import { LookPanel } from './ui/panel_look.ts';
import { SectionPanel } from './ui/panel_section.ts';
import { Meter, Readout } from './ui/readout.ts';
import { readView, type View, writeView } from './view_file.ts';

const CACHE_BYTES = 384 << 20;

export class App {
  readonly look = new Look();
  readonly topologies = new Topologies();
  readonly notices = new Notices();
  readonly readout = new Readout();
  readonly meter = new Meter(); // of pictures
  readonly frameMeter = new Meter(); // of frames of the run
  readonly connection = new Connection();
  readonly shell: Shell;
  readonly stage: Stage;
  readonly colors: ColorPanel;
  readonly section: SectionPanel;
  framesShown = 0;
  pictures = 0;
  mode: Mode | null = null;
  readonly supervisor = new Supervisor(this.connection, this.notices, (session, isNew) => this.found(session, isNew));
  private readonly bodies: BodiesPanel;
  private readonly looks: LookPanel;
  private readonly legend: Legend;
  private readonly axes: Axes;
  private readonly help = new Help(() => this.mode instanceof LiveMode);
  private readonly theme: Theme;
  private fieldsKey = '';
  private availableKey = '';
  private title = ''; // of the scene

  constructor(private readonly parameters: URLSearchParams) {
    this.shell = new Shell({
      fit: () => this.stage.fit(),
      picture: () => this.savePicture(),
      theme: () => this.theme.toggle(),
      help: () => this.help.toggle(),
    });
    this.stage = new Stage(this.shell.canvas, this.look, { lite: parameters.has('lite'), whole: parameters.has('whole') });
    if (this.stage.isLite) document.documentElement.dataset.lite = '';
    this.colors = new ColorPanel(this.look);
    this.bodies = new BodiesPanel(this.look);
    this.section = new SectionPanel(this.look, this.stage.bounds);
    this.looks = new LookPanel(this.look, this.stage.isLite);
    this.legend = new Legend(this.look);
    this.axes = new Axes((axis) => this.stage.fit(axis.clone()));
    this.layOut();
    this.listen();
    this.theme = new Theme(this.look);
  }

  private layOut(): void {
    const { shell } = this;
    shell.over.append(this.notices.banner, this.readout.element, this.legend.element, this.axes.element, this.notices.toasts);
    document.body.append(this.help.element);
    shell.setPanel('Colour', this.colors.rows);
    shell.setPanel('Bodies', [this.bodies.element]);
    shell.setPanel('Section', this.section.rows);
    shell.setPanel('Look', this.looks.rows);
    const save = textButton('Save view', () => void this.saveView(), 'Camera, colours and section as view.json, for pliant render --view');
    const load = textButton('Load view', () => this.chooseView());
    shell.setPanel('View', [element('div', { class: 'row buttons-row' }, save, load)], false);
    shell.setTitle('', 'connecting');
  }

  private listen(): void {
    const { stage, look } = this;
    look.changed.on((change) => this.lookChanged(change));
    stage.ticking = (seconds) => this.mode?.tick(seconds) ?? false;
    stage.drawn.on(() => this.drawn());
    stage.lost.on((isLost) => this.notices.set('graphics', isLost ? 'The graphics card is busy elsewhere; the picture comes back by itself…' : ''));
    const observer = new ResizeObserver(([entry]) => stage.resize(Math.floor(entry.contentRect.width), Math.floor(entry.contentRect.height)));
    observer.observe(this.shell.canvas);
    addEventListener('keydown', (event) => this.key(event));
    setInterval(() => this.showRate(), 500);
  }

  begin(): void {
    void this.supervisor.ask();
  }

  // nothing moves, nothing is drawn
  private showRate(): void {
    const now = performance.now();
    const rate = this.meter.rate(now);
    const { ratio } = this.stage.level;
    this.readout.set('Page', rate > 0 ? `${rate} fps${ratio < 1 ? ` at ${Math.round(100 * ratio)} %` : ''}` : 'idle');
    if (this.mode instanceof ViewMode) this.readout.set('Frames', this.framesText(this.frameMeter.rate(now), this.mode.dueRate));
  }

  // frames that came too late for their time are left out: it says so
  private framesText(shown: number, due: number): string {
    if (due === 0) return 'still';
    return shown < 0.9 * due ? `${shown} of ${Math.round(due)} per s` : `${shown} per s`;
  }

  // ---- the program

  private found(session: Session, isNew: boolean): void {
    const isSameScene = this.mode !== null && session.title === this.title;
    this.title = session.title;
    this.shell.setTitle(session.title, session.mode === 'live' ? 'live' : '');
    if (!isNew && this.mode) {
      this.mode.resume();
      return;
    }
    // a page that was opened on one kind of program and finds the other starts over
    if (this.mode && this.mode instanceof LiveMode !== (session.mode === 'live')) {
      location.reload();
      return;
    }
    // the same scene is looked at from where one stood
    this.stage.clear(isSameScene);
    if (!isSameScene) this.stage.setUp(session.up);
    this.look.forget();
    this.mode ??= this.createMode(session);
    this.mode.begin(session);
  }

  private createMode(session: Session): Mode {
    const shop: Workshop = {
      connection: this.connection, stage: this.stage, topologies: this.topologies, notices: this.notices, readout: this.readout,
      paused: this.parameters.has('paused'),
      cacheBytes: (Number(this.parameters.get('cache')) || 0) * (1 << 20) || CACHE_BYTES,
      show: (frame) => this.show(frame),
      lost: (cause) => {
        this.mode?.rest();
        this.supervisor.lost(cause);
      },
      reached: () => this.supervisor.reached(),
      renewed: () => void this.supervisor.ask(),
    };
    const mode = session.mode === 'live' ? new LiveMode(shop) : new ViewMode(shop);
    if (mode instanceof LiveMode) this.shell.over.prepend(mode.marks.element);
    this.shell.setBar(mode.bar);
    // what is touched while it runs comes first
    for (const { title, rows } of mode.panels.toReversed()) this.shell.setPanel(title, rows, true, session.mode === 'live');
    return mode;
  }

  // ---- frames

  // A frame that cannot be shown must not stop those after it.
  private show(frame: Frame): void {
    try {
      stopwatch.time('show', () => this.stage.show(frame, this.topologies));
    } catch (error) {
      this.notices.toast(`This frame cannot be shown: ${error instanceof Error ? error.message : String(error)}`, 'error');
      return;
    }
    this.framesShown++;
    this.frameMeter.count(performance.now());
    this.bodies.update(frame.parts);
    this.offerFields(frame);
    this.requestFields(frame);
    this.legend.update(this.colors.title());
    const gaps = this.stage.partsShown().filter((part) => part instanceof MeshPart && part.hasGaps).map((part) => part.part.name);
    this.notices.set('gaps', gaps.length ? `Some points of ${gaps.join(', ')} are not finite and are left out.` : '');
  }

  private offerFields(frame: Frame): void {
    const fields = new Map<string, FieldInfo>();
    for (const part of frame.parts) {
      for (const info of part.available) if (!fields.has(info.name)) fields.set(info.name, info);
    }
    const key = JSON.stringify([...fields.values()]);
    if (key === this.availableKey) return;
    this.availableKey = key;
    this.colors.update([...fields.values()]);
    // another program may have other fields
    if (this.look.field !== BY_BODY && !fields.has(this.look.field)) this.look.selectField(null);
  }

  // the field of the colours, and the sizes of particles where they differ
  private requestFields(frame: Frame | null): void {
    const sizes = frame?.parts.some((part) => part.kind === 'points' && part.available.some((info) => info.name === 'radius'));
    const names = [...(this.look.field === BY_BODY ? [] : [this.look.field]), ...(sizes && this.look.field !== 'radius' ? ['radius'] : [])];
    const key = names.join(',');
    if (key === this.fieldsKey) return;
    this.fieldsKey = key;
    this.mode?.setFields(names);
  }

  private lookChanged(change: Change): void {
    if (change === 'field') this.requestFields(this.stage.frame);
    if (change === 'look') this.stage.applyLook();
    else this.stage.recolor();
    this.colors.show();
    this.section.show();
    this.looks.show();
    this.bodies.update(this.stage.frame?.parts ?? []);
    this.legend.update(this.colors.title());
    setIcon(this.shell.theme, this.look.dark ? 'sun' : 'moon');
  }

  private drawn(): void {
    this.pictures++;
    this.meter.count(performance.now());
    this.axes.update(this.stage.camera);
    this.mode?.drawn();
  }

  // ---- files

  savePicture(): void {
    const name = `${(this.supervisor.session?.title || 'pliant').replace(/[^\w.-]+/g, '_')}.png`;
    takePicture(this.stage, this.look, this.colors.title()).toBlob((blob) => blob && download(name, blob), 'image/png');
  }

  view(): View {
    const { look, stage } = this;
    return {
      camera: {
        position: stage.camera.position.toArray() as Vec3, target: stage.controls.target.toArray() as Vec3,
        up: stage.camera.up.toArray() as Vec3, fov: stage.camera.fov,
      },
      field: look.field, component: look.component, range: look.locked, map: look.map,
      edges: look.edges, dark: look.dark, colliders: look.colliders, hidden: [...look.hidden], section: look.section,
      size: stage.size,
    };
  }

  private async saveView(): Promise<void> {
    const text = writeView(this.view());
    download('view.json', new Blob([text], { type: 'application/json' }));
    if (!(this.mode instanceof ViewMode)) return;
    try {
      await this.connection.keepView(text);
      this.notices.toast(`Kept as view.json in ${this.supervisor.session?.folder || "the run's folder"}.`);
    } catch {
      this.notices.toast("The view could not be kept in the run's folder.", 'error');
    }
  }

  private chooseView(): void {
    const input = element('input', { attributes: { type: 'file', accept: '.json,application/json' } });
    input.addEventListener('change', () => {
      void input.files?.[0]?.text().then((text) => this.loadView(text));
    });
    input.click();
  }

  loadView(text: string): void {
    try {
      this.applyView(readView(text));
    } catch (error) {
      this.notices.toast(error instanceof Error ? error.message : 'This view cannot be read.', 'error');
    }
  }

  private applyView(view: View): void {
    const { look } = this;
    look.selectField(this.colors.info(view.field), view.component);
    this.theme.set(view.dark);
    look.update(() => {
      look.map = view.map;
      look.locked = view.range;
      look.edges = view.edges;
      look.colliders = view.colliders;
      look.section = view.section;
      look.hidden.clear();
      for (const name of view.hidden) look.hidden.add(name);
    });
    this.stage.lookFrom(view.camera.position, view.camera.target, view.camera.fov);
  }

  // ---- keys

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (this.help.element.open && event.key !== '?') return;
    if (!this.mode?.key(event) && !this.commonKey(event.key)) return;
    event.preventDefault();
  }

  private commonKey(key: string): boolean {
    const { look, stage } = this;
    switch (key) {
      case 'f': stage.fit(); return true;
      case '1': stage.fit(new Vector3(1, 0, 0)); return true;
      case '2': stage.fit(new Vector3(0, 1, 0)); return true;
      case '3': stage.fit(new Vector3(0, 0, 1)); return true;
      case 'c': look.update(() => (look.follows = !look.follows)); return true;
      case 'e': look.update(() => (look.edges = !look.edges)); return true;
      case 'x': this.section.toggle(look.section === null); return true;
      case 'd': this.theme.toggle(); return true;
      case 's': this.savePicture(); return true;
      case 'b': this.shell.toggleSide(); return true;
      case '?': this.help.toggle(); return true;
      default: return false;
    }
  }
}

// letters go into fields; a focused button takes space, a slider takes arrows
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLInputElement) {
    const isPlain = target.type === 'checkbox' || target.classList.contains('line');
    return !isPlain || (event.key === ' ' && target.type === 'checkbox');
  }
  const presses = target instanceof HTMLButtonElement || (target instanceof Element && target.matches('summary, [role=button]'));
  return presses && (event.key === ' ' || event.key === 'Enter');
}
