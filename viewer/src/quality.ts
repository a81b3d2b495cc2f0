// SPDX-License-Identifier: Apache-2.0
// How well the page draws while something moves: fewer pixels, and simpler ones, when pictures come late; all of them again
// when they come early, and always at rest. Knows nothing but how long pictures took.

export interface Level {
  ratio: number; // pixels drawn for one of the screen, along each side
  isDraft: boolean; // simple shading, balls by the processor
}

export const WHOLE: Level = { ratio: 1, isDraft: false };

// a graphics card has its own shading as long as it can; where there is none, simple shading costs the eye least
const WITH_CARD: readonly Level[] = [WHOLE, { ratio: 0.7, isDraft: false }, { ratio: 0.5, isDraft: false }, { ratio: 0.5, isDraft: true }, { ratio: 0.35, isDraft: true }];
const WITHOUT: readonly Level[] = [1, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35].map((ratio) => ({ ratio, isDraft: true }));

const LATE = 31; // milliseconds: fewer than 32 pictures a second
const EARLY = 20;
const ENOUGH = 6; // pictures to judge by
const CALM = 45; // pictures that have to come early before more is tried
const LONGEST = 1000; // milliseconds: what takes longer was no picture, but a pause

export class Quality {
  private readonly levels: readonly Level[];
  private place = 0;
  private count = 0;
  private sum = 0;
  private longest = 0;
  private early = 0;
  private patience = CALM;

  constructor(isSoftware: boolean) {
    this.levels = isSoftware ? WITHOUT : WITH_CARD;
  }

  get level(): Level {
    return this.levels[this.place];
  }

  // A picture took so long. Returns whether the level has changed.
  took(milliseconds: number): boolean {
    if (milliseconds > LONGEST) return false;
    this.early = milliseconds < EARLY ? this.early + 1 : 0;
    this.count++;
    this.sum += milliseconds;
    this.longest = Math.max(this.longest, milliseconds);
    if (this.early >= this.patience && this.place > 0) return this.go(-1);
    if (this.count < ENOUGH) return false;
    // one that was held up by something else does not count
    const isLate = (this.sum - this.longest) / (this.count - 1) > LATE;
    this.forget();
    if (!isLate || this.place === this.levels.length - 1) return false;
    // what was tried and was too much is not tried again soon
    this.patience = Math.min(16 * CALM, 2 * this.patience);
    return this.go(1);
  }

  private go(by: number): boolean {
    this.place += by;
    this.forget();
    this.early = 0;
    return true;
  }

  private forget(): void {
    this.count = 0;
    this.sum = 0;
    this.longest = 0;
  }
}

// Whether a renderer, by its name, is a program and no graphics card.
export function isSoftwareName(name: string): boolean {
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
