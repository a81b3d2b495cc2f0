// SPDX-License-Identifier: Apache-2.0
// What the colours mean: a bar with its ends, which can be typed, or the categories there are.
import { categoryColor, cssColor, mapColor, type MapName } from '../colors.ts';
import { BY_BODY, type Look } from '../look.ts';
import { element, numberField, setIcon, iconButton, shortNumber } from './dom.ts';

const MOST_CATEGORIES = 12;

export class Legend {
  readonly element = element('section', { class: 'legend', attributes: { 'aria-label': 'Legend' } });
  private readonly title = element('h2');
  private readonly bar = element('div', { class: 'bar' });
  private readonly high = numberField('Upper end of the range', (value) => this.type(this.look.range[0], value));
  private readonly low = numberField('Lower end of the range', (value) => this.type(value, this.look.range[1]));
  private readonly middle = element('span', { class: 'middle' });
  private readonly lock = iconButton('lock', 'Lock the range', '', () => this.toggleLock());
  private readonly scale = element('div', { class: 'scale' });
  private readonly categories = element('ul', { class: 'categories' });
  private key = '';

  constructor(private readonly look: Look) {
    this.scale.append(this.high, this.middle, this.low);
    this.element.append(element('header', {}, this.title, this.lock), element('div', { class: 'body' }, this.bar, this.scale), this.categories);
    this.element.hidden = true;
  }

  private type(low: number, high: number): void {
    if (low < high) this.look.update(() => (this.look.locked = [low, high]));
    else this.update(this.title.textContent ?? '');
  }

  private toggleLock(): void {
    this.look.update(() => (this.look.locked = this.look.locked ? null : this.look.range));
  }

  // Shows the look's colours under a title; does nothing where nothing changed.
  update(title: string): void {
    const { field, map, locked } = this.look;
    const [low, high] = this.look.range;
    const key = JSON.stringify([field, map, locked, low, high, title]);
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = field === BY_BODY;
    this.title.textContent = title;
    this.lock.setAttribute('aria-pressed', String(locked !== null));
    this.lock.title = locked ? 'The range is fixed; click to follow the values' : 'The range follows the values seen; click to fix it';
    setIcon(this.lock, 'lock');
    const isList = map === 'categories';
    this.element.classList.toggle('list', isList);
    if (isList) this.listCategories(low, high);
    else this.showBar(map, low, high);
  }

  private showBar(map: Exclude<MapName, 'categories'>, low: number, high: number): void {
    const stops = Array.from({ length: 17 }, (_, i) => cssColor(mapColor(map, i / 16)));
    this.bar.style.background = `linear-gradient(to top, ${stops.join(', ')})`;
    if (document.activeElement !== this.low) this.low.value = shortNumber(low);
    if (document.activeElement !== this.high) this.high.value = shortNumber(high);
    this.middle.textContent = shortNumber(0.5 * (low + high));
  }

  private listCategories(low: number, high: number): void {
    const first = Math.ceil(low);
    const count = Math.min(MOST_CATEGORIES, Math.floor(high) - first + 1);
    const items = Array.from({ length: Math.max(0, count) }, (_, i) => {
      const swatch = element('span', { class: 'swatch' });
      swatch.style.background = cssColor(categoryColor(first + i));
      return element('li', {}, swatch, String(first + i));
    });
    if (Math.floor(high) - first + 1 > count) items.push(element('li', {}, '…'));
    this.categories.replaceChildren(...items);
  }
}
