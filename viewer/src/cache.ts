// SPDX-License-Identifier: Apache-2.0
// Things by key with a bound on their bytes: the one that was not used for longest goes first.

export class ByteCache<K, V extends { bytes: number }> {
  private readonly items = new Map<K, V>(); // in the order of their last use
  private total = 0;

  constructor(readonly limit: number) {}

  get bytes(): number {
    return this.total;
  }

  get size(): number {
    return this.items.size;
  }

  // Looks without counting it as use.
  peek(key: K): V | undefined {
    return this.items.get(key);
  }

  get(key: K): V | undefined {
    const item = this.items.get(key);
    if (item === undefined) return undefined;
    this.items.delete(key);
    this.items.set(key, item);
    return item;
  }

  // Keeps an item, even if it alone is larger than the limit; others go until the rest fits.
  put(key: K, item: V): void {
    this.delete(key);
    this.items.set(key, item);
    this.total += item.bytes;
    for (const [oldest] of this.items) {
      if (this.total <= this.limit || this.items.size === 1) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const item = this.items.get(key);
    if (item === undefined) return;
    this.items.delete(key);
    this.total -= item.bytes;
  }

  clear(): void {
    this.items.clear();
    this.total = 0;
  }

  keys(): IterableIterator<K> {
    return this.items.keys();
  }
}
