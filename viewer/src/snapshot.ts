// SPDX-License-Identifier: Apache-2.0
// The picture as PNG, with the legend in it.
import { categoryColor, cssColor, mapColor } from './colors.ts';
import { BY_BODY, type Look } from './look.ts';
import { WHOLE } from './quality.ts';
import type { Stage } from './scene.ts';
import { shortNumber } from './ui/dom.ts';

export function takePicture(stage: Stage, look: Look, title: string, level = WHOLE): HTMLCanvasElement {
  // the drawing has to be read in the same turn in which it was made
  stage.drawAt(level);
  const picture = document.createElement('canvas');
  picture.width = stage.canvas.width;
  picture.height = stage.canvas.height;
  const pen = picture.getContext('2d');
  if (!pen) throw new Error('This browser cannot make pictures.');
  pen.drawImage(stage.canvas, 0, 0);
  if (look.field !== BY_BODY) drawLegend(pen, look, title, picture.height);
  return picture;
}

function drawLegend(pen: CanvasRenderingContext2D, look: Look, title: string, height: number): void {
  const unit = Math.max(0.7, height / 700);
  const [x, length, width] = [22 * unit, 200 * unit, 12 * unit];
  const y = 0.5 * (height - length);
  pen.font = `${13 * unit}px system-ui, sans-serif`;
  pen.fillStyle = look.dark ? '#e6e9ee' : '#1c222b';
  pen.fillText(title, x, y - 12 * unit);
  const [low, high] = look.range;
  if (look.map === 'categories') {
    drawCategories(pen, [x, y, 20 * unit], low, high);
    return;
  }
  pen.textBaseline = 'middle';
  for (const t of [0, 0.5, 1]) pen.fillText(shortNumber(low + t * (high - low)), x + width + 8 * unit, y + (1 - t) * length);
  for (let i = 0; i < length; i++) {
    pen.fillStyle = cssColor(mapColor(look.map, 1 - i / length));
    pen.fillRect(x, y + i, width, 1.5);
  }
}

function drawCategories(pen: CanvasRenderingContext2D, [x, y, line]: [number, number, number], low: number, high: number): void {
  const ink = pen.fillStyle;
  for (let value = Math.ceil(low), i = 0; value <= high && i < 12; value++, i++) {
    pen.fillStyle = cssColor(categoryColor(value));
    pen.fillRect(x, y + i * line, 0.6 * line, 0.6 * line);
    pen.fillStyle = ink;
    pen.fillText(String(value), x + line, y + (i + 0.55) * line);
  }
}
