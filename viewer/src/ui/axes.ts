// SPDX-License-Identifier: Apache-2.0
// The three axes as the camera sees them; a click on one looks along it.
import { type Camera, Vector3 } from 'three';
import { svg } from './dom.ts';

const LENGTH = 24;

export class Axes {
  readonly element = svg('svg', { class: 'axes', viewBox: '-36 -36 72 72', role: 'group', 'aria-label': 'Axes: look along one' });
  private readonly arms: { axis: Vector3; line: SVGLineElement; end: SVGGElement }[] = [];

  constructor(lookAlong: (axis: Vector3) => void) {
    for (const [k, name] of ['x', 'y', 'z'].entries()) {
      const axis = new Vector3().setComponent(k, 1);
      const line = svg('line', { class: `arm ${name}`, x1: '0', y1: '0' });
      const text = svg('text', { 'text-anchor': 'middle', dy: '3.4' });
      text.textContent = name;
      const end = svg('g', { class: `end ${name}`, role: 'button', tabindex: '0', 'aria-label': `Look along ${name}` }, svg('circle', { r: '8.5' }), text);
      end.addEventListener('click', () => lookAlong(axis));
      end.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') lookAlong(axis);
      });
      this.arms.push({ axis, line, end });
    }
  }

  update(camera: Camera): void {
    const seen = this.arms.map((arm) => ({ ...arm, place: arm.axis.clone().transformDirection(camera.matrixWorldInverse) }));
    seen.sort((a, b) => a.place.z - b.place.z);
    for (const { line, end, place } of seen) {
      const [x, y] = [(LENGTH * place.x).toFixed(1), (-LENGTH * place.y).toFixed(1)];
      line.setAttribute('x2', x);
      line.setAttribute('y2', y);
      end.setAttribute('transform', `translate(${x} ${y})`);
    }
    const order = seen.flatMap(({ line, end }) => [line, end]);
    // moving an element takes its focus away
    if (order.some((node, i) => this.element.children[i] !== node) && !this.element.contains(document.activeElement)) this.element.replaceChildren(...order);
  }
}
