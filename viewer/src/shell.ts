// SPDX-License-Identifier: Apache-2.0
// Where things are on the page: the canvas with what floats over it, and the panel at the side.
import { element, iconButton } from './ui/dom.ts';

export interface ShellActions {
  fit(): void;
  picture(): void;
  theme(): void;
  help(): void;
}

export class Shell {
  readonly canvas = element('canvas', { attributes: { tabindex: '0', 'aria-label': 'The scene. Drag to turn, press question mark for keys.' } });
  readonly over = element('div', { class: 'over' }); // floats over the canvas
  readonly theme: HTMLButtonElement;
  private readonly title = element('h1');
  private readonly badge = element('span', { class: 'badge' });
  private readonly side = element('aside', { class: 'side', attributes: { 'aria-label': 'Panels' } });
  private readonly stage = element('main', { class: 'stage' });
  private readonly bottom = element('footer', { class: 'bottom' });
  private readonly panel = iconButton('panel', 'Side panel', 'b', () => this.toggleSide());
  private folds = new Map<string, HTMLDetailsElement>();

  constructor(actions: ShellActions) {
    this.theme = iconButton('moon', 'Dark or light', 'd', () => actions.theme());
    const brand = element('span', { class: 'brand' }, 'pliant');
    const buttons = element('nav', { class: 'buttons', attributes: { 'aria-label': 'View' } },
      iconButton('fit', 'Everything in sight', 'f', () => actions.fit()),
      iconButton('camera', 'Save a picture', 's', () => actions.picture()),
      this.theme,
      iconButton('help', 'Keys and mouse', '?', () => actions.help()),
      this.panel);
    const top = element('header', { class: 'top' }, brand, this.title, this.badge, buttons);
    this.stage.append(this.canvas, this.over, top, this.bottom);
    document.body.append(this.stage, this.side);
    this.openSide(innerWidth > 760);
  }

  setTitle(title: string, badge: string): void {
    this.title.textContent = title;
    this.title.title = title;
    this.badge.textContent = badge;
    document.title = title ? `${title} · pliant` : 'pliant';
  }

  setBar(bar: HTMLElement): void {
    this.bottom.replaceChildren(bar);
  }

  // Adds a fold of the side panel, or gives an old one new contents.
  setPanel(title: string, rows: readonly HTMLElement[], open = true, first = false): void {
    let fold = this.folds.get(title);
    if (!fold) {
      fold = element('details', { class: 'fold' });
      fold.open = open;
      this.folds.set(title, fold);
      if (first) this.side.prepend(fold);
      else this.side.append(fold);
    }
    fold.replaceChildren(element('summary', {}, title), ...rows);
  }

  toggleSide(): void {
    this.openSide(this.side.hidden === true);
  }

  private openSide(open: boolean): void {
    this.side.hidden = !open;
    this.panel.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('with-side', open);
  }
}
