// SPDX-License-Identifier: Apache-2.0
// Something that happens, and those who want to hear of it.

export class Signal<T = void> {
  private readonly listeners = new Set<(value: T) => void>();

  on(listener: (value: T) => void): void {
    this.listeners.add(listener);
  }

  emit(value: T): void {
    for (const listener of this.listeners) listener(value);
  }
}
