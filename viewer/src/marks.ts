// SPDX-License-Identifier: Apache-2.0
// What is drawn over the scene while one touches it: the hand with its line, and the pins. As SVG, so
// that it is crisp and always in front.
import type { Pin, Vec3 } from './protocol.ts';
import { svg } from './ui/dom.ts';

export interface Hand {
  from: Vec3;
  to: Vec3;
}

export class Marks {
  readonly element = svg('svg', { class: 'marks', 'aria-hidden': 'true' });
  hand: Hand | null = null;
  pins: Pin[] = [];

  constructor(private readonly onScreen: (place: Vec3) => [number, number]) {}

  draw(): void {
    const box = this.element.getBoundingClientRect();
    const at = (place: Vec3): [string, string] => {
      const [x, y] = this.onScreen(place);
      return [(x - box.left).toFixed(1), (y - box.top).toFixed(1)];
    };
    const shapes: SVGElement[] = [];
    for (const pin of this.pins) {
      const [cx, cy] = at(pin.place);
      shapes.push(svg('circle', { class: 'pin', cx, cy, r: '6' }), svg('circle', { class: 'pin-heart', cx, cy, r: '2' }));
    }
    if (this.hand) {
      const [x1, y1] = at(this.hand.from);
      const [x2, y2] = at(this.hand.to);
      shapes.push(svg('line', { class: 'hand', x1, y1, x2, y2 }));
      shapes.push(svg('circle', { class: 'held', cx: x1, cy: y1, r: '4' }), svg('circle', { class: 'hand-end', cx: x2, cy: y2, r: '7' }));
    }
    this.element.replaceChildren(...shapes);
  }

  // The pin under the pointer, if there is one.
  pinAt(clientX: number, clientY: number): Pin | null {
    const near = (pin: Pin): boolean => {
      const [x, y] = this.onScreen(pin.place);
      return Math.hypot(x - clientX, y - clientY) < 12;
    };
    return this.pins.find(near) ?? null;
  }
}
