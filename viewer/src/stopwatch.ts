// SPDX-License-Identifier: Apache-2.0
// How long the page's own work takes, by what it is for: summed up since the start, shown by `window.pliant.work`.

export type Work = 'decode' | 'show' | 'draw';

class Stopwatch {
  readonly milliseconds: Record<Work, number> = { decode: 0, show: 0, draw: 0 };

  time<T>(work: Work, action: () => T): T {
    const begin = performance.now();
    try {
      return action();
    } finally {
      this.milliseconds[work] += performance.now() - begin;
    }
  }
}

export const stopwatch = new Stopwatch();
