// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system has it, until somebody says otherwise.
import type { Look } from './look.ts';

const KEY = 'pliant-theme';

export class Theme {
  private readonly system = matchMedia('(prefers-color-scheme: dark)');
  private chosen: boolean | null = readChoice();

  constructor(private readonly look: Look) {
    this.system.addEventListener('change', () => this.apply());
    this.apply();
  }

  set(dark: boolean): void {
    this.chosen = dark;
    try {
      localStorage.setItem(KEY, dark ? 'dark' : 'light');
    } catch {
      // a browser that keeps nothing: the choice lasts as long as the page
    }
    this.apply();
  }

  toggle(): void {
    this.set(!this.look.dark);
  }

  private apply(): void {
    const dark = this.chosen ?? this.system.matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.look.update(() => (this.look.dark = dark));
  }
}

function readChoice(): boolean | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === null ? null : kept === 'dark';
  } catch {
    return null;
  }
}
