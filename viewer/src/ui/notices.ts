// SPDX-License-Identifier: Apache-2.0
// What the page has to say: a banner for what lasts, toasts for what passes. Text only.
import { element, iconButton } from './dom.ts';

export class Notices {
  readonly banner = element('div', { class: 'banner', attributes: { role: 'status', 'aria-live': 'polite' } });
  readonly toasts = element('div', { class: 'toasts', attributes: { role: 'log', 'aria-live': 'polite', 'aria-label': 'Messages' } });
  private readonly causes = new Map<string, string>();

  constructor() {
    this.banner.hidden = true;
  }

  // One cause has one text; an empty one ends it. The latest cause is shown.
  set(cause: string, text: string): void {
    this.causes.delete(cause);
    if (text) this.causes.set(cause, text);
    const last = [...this.causes.values()].at(-1) ?? '';
    this.banner.textContent = last;
    this.banner.hidden = last === '';
  }

  toast(text: string, kind: 'plain' | 'error' = 'plain'): void {
    const close = iconButton('close', 'Dismiss', '', () => item.remove());
    const item = element('div', { class: `toast ${kind}` }, element('span', {}, text), close);
    this.toasts.append(item);
    while (this.toasts.childElementCount > 4) this.toasts.firstElementChild?.remove();
    setTimeout(() => item.remove(), kind === 'error' ? 9000 : 4000);
  }
}
