// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesAround, nearestOf, Playhead } from '../src/timeline.ts';

const always = (): boolean => true;

function headOf(count: number, fps = 10): Playhead {
  const head = new Playhead();
  head.setTimes(Array.from({ length: count }, (_, i) => i / fps), fps);
  return head;
}

test('playing shows the frame of the time that passed', () => {
  const head = headOf(10);
  head.play();
  head.advance(0.25, always);
  assert.equal(head.index, 2);
  head.advance(0.06, always);
  assert.equal(head.index, 3);
});

test('speed scales time', () => {
  const head = headOf(10);
  head.speed = 2;
  head.play();
  head.advance(0.25, always);
  assert.equal(head.index, 5);
});

test('the clock waits for frames that are not loaded, and shows the latest that is', () => {
  const head = headOf(10);
  head.play();
  head.advance(0.35, (index) => index <= 1);
  assert.equal(head.index, 1);
  head.advance(5, (index) => index <= 1);
  assert.equal(head.index, 1);
  // what was waited does not count
  head.advance(0.1, always);
  assert.equal(head.index, 2);
});

test('the last frame is shown before a loop begins again', () => {
  const head = headOf(3);
  head.play();
  head.advance(0.9, always);
  assert.equal(head.index, 2);
  head.advance(0.2, always);
  assert.equal(head.index, 0);
  assert.equal(head.playing, true);
});

test('without loop playing ends, and begins anew when asked', () => {
  const head = headOf(3);
  head.loop = false;
  head.play();
  head.advance(0.9, always);
  head.advance(0.2, always);
  assert.equal(head.playing, false);
  assert.equal(head.index, 2);
  head.play();
  assert.equal(head.index, 0);
});

test('a run that still writes is waited for at its end', () => {
  const head = headOf(3);
  head.follows = true;
  head.play();
  head.advance(1, always);
  head.advance(1, always);
  assert.equal(head.index, 2);
  assert.equal(head.playing, true);
  head.setTimes([0, 0.1, 0.2, 0.3, 0.4], 10);
  head.advance(0.11, always);
  assert.equal(head.index, 3);
});

test('steps stop at the ends, or go around where playing loops', () => {
  const head = headOf(5);
  head.step(-1);
  assert.equal(head.index, 4);
  head.loop = false;
  head.step(3);
  assert.equal(head.index, 4);
});

test('times that do not ascend are replaced by even ones', () => {
  const head = new Playhead();
  head.setTimes([0, 0, 0], 20);
  assert.deepEqual(head.times, [0, 0.05, 0.1]);
});

test('no frames are no trouble', () => {
  const head = new Playhead();
  head.play();
  head.advance(1, always);
  head.step(1);
  assert.equal(head.index, 0);
  assert.equal(head.playing, false);
});

test('frames around a place begin with it and stay within the run', () => {
  assert.deepEqual(framesAround(5, 10, 4, false), [5, 6, 4, 7, 8, 9]);
  assert.deepEqual(framesAround(9, 10, 2, true), [9, 0, 1]);
  assert.deepEqual(framesAround(9, 10, 2, false), [9]);
  assert.equal(new Set(framesAround(1, 3, 50, true)).size, 3);
});

test('the nearest of some frames', () => {
  assert.equal(nearestOf([1, 8, 4], 5), 4);
  assert.equal(nearestOf([], 5), undefined);
});
