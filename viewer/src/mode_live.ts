// SPDX-License-Identifier: Apache-2.0
// A simulation runs in front of one: packets are shown as they come, hands and pins go back.
import { Grip, type Tool } from './grip.ts';
import { Marks } from './marks.ts';
import type { Mode, Workshop } from './mode.ts';
import type { LiveState, Pin, Session, Setting } from './protocol.ts';
import { LiveSource } from './source_live.ts';
import { element, textButton } from './ui/dom.ts';
import { SettingsPanel } from './ui/panel_settings.ts';
import { LiveTransport } from './ui/transport_live.ts';

export class LiveMode implements Mode {
  readonly bar: HTMLElement;
  readonly panels: Mode['panels'];
  readonly marks: Marks;
  state: LiveState | null = null;
  settings: Setting[] = [];
  private readonly source: LiveSource;
  private readonly grip: Grip;
  private readonly transport: LiveTransport;
  private readonly settingsPanel: SettingsPanel;
  private readonly contact = element('p', { class: 'note' });
  private readonly pinList = element('ul', { class: 'pins' });
  private pinKey = '';
  private pausesFirst: boolean;

  constructor(private readonly shop: Workshop) {
    this.source = new LiveSource(shop.connection, shop.topologies);
    this.marks = new Marks((place) => shop.stage.onScreen(place));
    const send = this.source.send.bind(this.source);
    this.grip = new Grip(shop.stage, this.marks, send);
    this.transport = new LiveTransport(send, (tool) => this.setTool(tool));
    this.settingsPanel = new SettingsPanel((path, value) => send({ type: 'set', path, value }));
    this.bar = this.transport.element;
    this.panels = [{ title: 'Settings', rows: [this.contact, this.settingsPanel.element] }, { title: 'Pins', rows: [this.pinList] }];
    this.pausesFirst = shop.paused;
    this.listen();
    this.showPins([]);
  }

  private listen(): void {
    const { source, shop } = this;
    source.arrived.on(() => shop.stage.ask());
    source.state.on((state) => this.showState(state));
    source.settings.on((items) => {
      this.settings = items;
      this.settingsPanel.update(items);
    });
    source.failed.on((text) => shop.notices.toast(text, 'error'));
    source.opened.on(() => this.greet());
    source.closed.on((words) => shop.lost(words));
  }

  private greet(): void {
    this.shop.reached();
    if (this.pausesFirst) this.source.send({ type: 'pause' });
    this.pausesFirst = false;
  }

  get cacheBytes(): number {
    return this.shop.topologies.bytes;
  }

  begin(session: Session): void {
    this.drop();
    this.contact.textContent = session.contact && `Contact: ${session.contact}`;
    this.grip.enabled = session.drags;
    this.transport.showTools(session.drags);
    this.resume();
  }

  resume(): void {
    this.source.open();
  }

  rest(): void {
    this.grip.letGo();
    this.source.close();
  }

  drop(): void {
    this.shop.topologies.clear();
    this.showPins([]);
  }

  setFields(names: string[]): void {
    this.source.setFields(names);
  }

  setTool(tool: Tool): void {
    this.grip.tool = tool;
    this.transport.showTool(tool);
    this.shop.stage.canvas.dataset.tool = tool;
  }

  private showState(state: LiveState): void {
    this.state = state;
    this.transport.update(state);
    this.shop.readout.showState(state);
    const trouble = state.mode === 'failed' ? `The simulation has stopped: ${state.text}` : state.mode === 'preparing' ? 'The simulation is being prepared…' : '';
    this.shop.notices.set('simulation', trouble);
    this.showPins(state.pins);
  }

  private showPins(pins: Pin[]): void {
    this.marks.pins = pins;
    const key = JSON.stringify(pins);
    if (key === this.pinKey) return;
    this.pinKey = key;
    const items = pins.map((pin) => {
      const remove = textButton('Remove', () => this.source.send({ type: 'unpin', id: pin.id }));
      remove.setAttribute('aria-label', `Remove the pin at vertex ${pin.vertex} of ${pin.body}`);
      return element('li', {}, element('span', { class: 'name' }, `${pin.body}, vertex ${pin.vertex}`), remove);
    });
    const all = element('li', {}, textButton('Remove all', () => this.source.send({ type: 'unpin' })));
    const none = element('li', { class: 'empty' }, 'Alt-click a body, or use the pin tool, to hold it there.');
    this.pinList.replaceChildren(...(items.length ? [...items, ...(items.length > 1 ? [all] : [])] : [none]));
    this.shop.stage.invalidate();
  }

  tick(): boolean {
    const frame = this.source.take();
    if (frame) this.shop.show(frame);
    this.grip.tick();
    return false;
  }

  drawn(): void {
    this.marks.draw();
    this.source.acknowledge();
  }

  key(event: KeyboardEvent): boolean {
    switch (event.key) {
      case ' ': this.transport.toggle(); return true;
      case 'ArrowRight': this.source.send({ type: 'step' }); return true;
      case 'r': this.transport.toggleRecord(); return true;
      case 'g': this.setTool('drag'); return true;
      case 'p': this.setTool('pin'); return true;
      case 't': this.setTool('turn'); return true;
      default: return false;
    }
  }
}
