// SPDX-License-Identifier: Apache-2.0
// Keys and gestures, in a dialog.
import { element, textButton } from './dom.ts';

type Lines = readonly (readonly [string, string])[];

const VIEW: Lines = [
  ['Space', 'play or pause'], ['← →', 'one frame back or on'], ['Shift ← →', 'ten frames'], ['Home End', 'first or last frame'],
  ['L', 'loop'], ['[ ]', 'slower, faster'],
];
const LIVE: Lines = [
  ['Space', 'run or pause'], ['→', 'one step'], ['R', 'record'], ['G P T', 'drag, pin, turn only'],
  ['Drag a body', 'pulls it'], ['Alt click', 'pins a body there, or removes a pin'],
];
const BOTH: Lines = [
  ['Drag', 'turns'], ['Right drag, Shift drag', 'moves'], ['Wheel, pinch', 'zooms'], ['F', 'everything in sight'], ['C', 'camera follows the bodies'], ['1 2 3', 'look along x, y, z'],
  ['E', 'edges'], ['X', 'section'], ['D', 'dark or light'], ['S', 'picture'], ['B', 'side panel'], ['?', 'this help'],
];

export class Help {
  readonly element = element('dialog', { class: 'help', attributes: { 'aria-label': 'Keys and mouse' } });

  constructor(private readonly isLive: () => boolean) {
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  toggle(): void {
    if (this.element.open) {
      this.element.close();
      return;
    }
    const lines = [...(this.isLive() ? LIVE : VIEW), ...BOTH];
    const list = element('dl');
    for (const [keys, what] of lines) list.append(element('dt', {}, keys), element('dd', {}, what));
    const close = textButton('Close', () => this.element.close());
    this.element.replaceChildren(element('h2', {}, 'Keys and mouse'), list, close);
    this.element.showModal();
  }
}
