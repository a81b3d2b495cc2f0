// SPDX-License-Identifier: Apache-2.0
// The bar of a running simulation: play, step, reset, record, and what the pointer does.
import type { Tool } from '../grip.ts';
import type { Command, LiveState } from '../protocol.ts';
import { element, iconButton, setIcon } from './dom.ts';

const TOOLS = [['drag', 'hand', 'Drag', 'g'], ['pin', 'pin', 'Pin', 'p'], ['turn', 'turn', 'Turn the camera only', 't']] as const;

export class LiveTransport {
  readonly element = element('div', { class: 'transport', attributes: { role: 'group', 'aria-label': 'Simulation' } });
  private readonly play = iconButton('pause', 'Pause', 'space', () => this.toggle());
  private readonly record = element('button', { class: 'record', title: 'Record into a folder (r)', attributes: { type: 'button', 'aria-pressed': 'false' } });
  private readonly folder = element('span', { class: 'folder' });
  private readonly text = element('span', { class: 'time' });
  private readonly tools = element('div', { class: 'tools', attributes: { role: 'group', 'aria-label': 'Pointer' } });
  private state: LiveState | null = null;

  constructor(
    private readonly send: (command: Command) => void,
    private readonly pickTool: (tool: Tool) => void,
  ) {
    const step = iconButton('next', 'One step', '→', () => this.send({ type: 'step' }));
    const reset = iconButton('reset', 'Start again', '', () => this.send({ type: 'reset' }));
    this.record.append(element('span', { class: 'dot', attributes: { 'aria-hidden': 'true' } }), 'Record');
    this.record.addEventListener('click', () => this.toggleRecord());
    for (const [tool, icon, label, key] of TOOLS) {
      const button = iconButton(icon, label, key, () => this.pickTool(tool));
      button.dataset.tool = tool;
      this.tools.append(button);
    }
    this.element.append(reset, this.play, step, this.text, this.tools, this.record, this.folder);
    this.showTool('drag');
  }

  showTool(tool: Tool): void {
    for (const button of this.tools.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.dataset.tool === tool));
  }

  showTools(visible: boolean): void {
    this.tools.hidden = !visible;
  }

  toggle(): void {
    this.send({ type: this.state?.mode === 'running' ? 'pause' : 'play' });
  }

  toggleRecord(): void {
    this.send({ type: 'record', on: !this.state?.recording });
  }

  update(state: LiveState): void {
    this.state = state;
    const runs = state.mode === 'running';
    setIcon(this.play, runs ? 'pause' : 'play');
    this.play.setAttribute('aria-label', runs ? 'Pause' : 'Play');
    this.text.textContent = `${state.time.toFixed(2)} s · step ${state.step}${runs ? '' : ` · ${state.mode}`}`;
    const records = state.recording !== '';
    this.record.classList.toggle('on', records);
    this.record.setAttribute('aria-pressed', String(records));
    this.folder.textContent = state.recording;
    this.folder.title = state.recording;
  }
}
