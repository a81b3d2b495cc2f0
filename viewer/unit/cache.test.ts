// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from '../src/cache.ts';

const item = (bytes: number): { bytes: number } => ({ bytes });

test('the cache never holds more bytes than its limit, over any number of items', () => {
  const cache = new ByteCache<number, { bytes: number }>(100);
  for (let i = 0; i < 1000; i++) {
    cache.put(i, item(1 + (i * 7) % 40));
    assert.ok(cache.bytes <= 100);
  }
  const sum = [...cache.keys()].reduce((total, key) => total + (cache.peek(key)?.bytes ?? 0), 0);
  assert.equal(cache.bytes, sum);
});

test('what was used last stays', () => {
  const cache = new ByteCache<string, { bytes: number }>(30);
  cache.put('a', item(10));
  cache.put('b', item(10));
  cache.put('c', item(10));
  cache.get('a');
  cache.put('d', item(10));
  assert.deepEqual([...cache.keys()], ['c', 'a', 'd']);
});

test('looking is not using', () => {
  const cache = new ByteCache<string, { bytes: number }>(20);
  cache.put('a', item(10));
  cache.put('b', item(10));
  cache.peek('a');
  cache.put('c', item(10));
  assert.equal(cache.peek('a'), undefined);
});

test('an item larger than the limit is kept alone', () => {
  const cache = new ByteCache<string, { bytes: number }>(20);
  cache.put('a', item(10));
  cache.put('b', item(50));
  assert.deepEqual([...cache.keys()], ['b']);
});

test('putting again replaces', () => {
  const cache = new ByteCache<string, { bytes: number }>(100);
  cache.put('a', item(10));
  cache.put('a', item(30));
  assert.equal(cache.bytes, 30);
  assert.equal(cache.size, 1);
  cache.clear();
  assert.equal(cache.bytes, 0);
});
