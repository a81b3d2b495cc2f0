// SPDX-License-Identifier: Apache-2.0
// Elements without markup: whatever is written into them stays text.

type Child = Node | string | null;

interface Options {
  class?: string;
  title?: string;
  attributes?: Record<string, string>;
  onClick?: (event: MouseEvent) => void;
}

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, options: Options = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (options.class) made.className = options.class;
  if (options.title) made.title = options.title;
  for (const [name, value] of Object.entries(options.attributes ?? {})) made.setAttribute(name, value);
  if (options.onClick) made.addEventListener('click', options.onClick as EventListener);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Node[]): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const strokes = {
  play: 'M8 5.5v13l10.5-6.5z',
  pause: 'M8 5.5v13M16 5.5v13',
  next: 'M7 6v12l8-6zM18 6v12',
  previous: 'M17 6v12l-8-6zM6 6v12',
  reset: 'M5 12a7 7 0 1 0 2.2-5.1M5 4.5v4h4',
  loop: 'M5 11V9.5A2.5 2.5 0 0 1 7.5 7H18M15.5 4.5 18 7l-2.5 2.5M19 13v1.5a2.5 2.5 0 0 1-2.5 2.5H6M8.5 19.5 6 17l2.5-2.5',
  fit: 'M5 9V5h4M15 5h4v4M19 15v4h-4M9 19H5v-4M9.5 12h5M12 9.5v5',
  camera: 'M4.5 8h3l1.5-2.5h6L16.5 8h3v10.5h-15zM12 16a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5z',
  help: 'M9.5 9.5a2.5 2.5 0 1 1 3.8 2.1c-.8.5-1.3 1-1.3 2M12 16.5v.3M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z',
  panel: 'M4.5 6h15v12h-15zM14.5 6v12',
  hand: 'M7.5 12.5V7a1.3 1.3 0 0 1 2.6 0v4M10.1 10.5V5.3a1.3 1.3 0 0 1 2.6 0v5.2M12.7 10.5V6.3a1.3 1.3 0 0 1 2.6 0V12M15.3 9.8a1.3 1.3 0 0 1 2.6 0v4.7a5.5 5.5 0 0 1-5.5 5.5c-2.6 0-3.9-1.2-5-3l-2.3-3.7a1.3 1.3 0 0 1 2.2-1.3l1.5 2',
  pin: 'M9 4.5h6M10 4.5v6l-2.5 3h9l-2.5-3v-6M12 13.5v6',
  turn: 'M4 12c0-2.5 3.6-4.5 8-4.5s8 2 8 4.5-3.6 4.5-8 4.5M9.5 14l2.5 2.5L9.5 19',
  eye: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  eyeOff: 'M4 4l16 16M9.5 6.4A9 9 0 0 1 12 6c5.5 0 9 6 9 6a16 16 0 0 1-3 3.6M6.2 8A16 16 0 0 0 3 12s3.5 6 9 6a9 9 0 0 0 3.6-.8',
  close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  lock: 'M6.5 11h11v8h-11zM8.5 11V8.5a3.5 3.5 0 0 1 7 0V11',
} as const;

export type IconName = keyof typeof strokes;

export function icon(name: IconName): SVGSVGElement {
  const path = svg('path', { d: strokes[name] });
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, path);
}

export function setIcon(button: HTMLElement, name: IconName): void {
  button.querySelector('svg.icon')?.replaceWith(icon(name));
}

// A button with a picture; the name is what screen readers and tooltips say.
export function iconButton(name: IconName, label: string, key: string, onClick: () => void): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  const attributes = { type: 'button', 'aria-label': label, ...(key.length === 1 ? { 'aria-keyshortcuts': key } : {}) };
  return element('button', { class: 'icon-button', title, attributes, onClick }, icon(name));
}

export function textButton(text: string, onClick: () => void, title = ''): HTMLButtonElement {
  return element('button', { class: 'text-button', title, attributes: { type: 'button' }, onClick }, text);
}

let labels = 0;

// A line of a panel: a label and what it names.
export function row(label: string, control: HTMLElement, ...more: HTMLElement[]): HTMLElement {
  control.id ||= `control-${++labels}`;
  const name = element('label', { attributes: { for: control.id } }, label);
  return element('div', { class: 'row' }, name, control, ...more);
}

export function select(options: readonly (readonly [string, string])[], onChange: (value: string) => void): HTMLSelectElement {
  const made = element('select');
  setOptions(made, options);
  made.addEventListener('change', () => onChange(made.value));
  return made;
}

export function setOptions(target: HTMLSelectElement, options: readonly (readonly [string, string])[]): void {
  const old = target.value;
  target.replaceChildren(...options.map(([value, text]) => element('option', { attributes: { value } }, text)));
  if (options.some(([value]) => value === old)) target.value = old;
}

export function checkbox(label: string, onChange: (on: boolean) => void): { row: HTMLElement; input: HTMLInputElement } {
  const input = element('input', { attributes: { type: 'checkbox' } });
  input.addEventListener('change', () => onChange(input.checked));
  return { row: element('label', { class: 'check' }, input, element('span', {}, label)), input };
}

export function slider(low: number, high: number, step: number, onInput: (value: number) => void): HTMLInputElement {
  const attributes = { type: 'range', min: String(low), max: String(high), step: String(step) };
  const made = element('input', { attributes });
  made.addEventListener('input', () => onInput(made.valueAsNumber));
  return made;
}

// A field for a number. What is no number is put back; `onNumber` hears of others.
export function numberField(label: string, onNumber: (value: number) => void): HTMLInputElement {
  const made = element('input', { class: 'number', attributes: { type: 'text', inputmode: 'decimal', 'aria-label': label, autocomplete: 'off', spellcheck: 'false' } });
  let before = '';
  made.addEventListener('focus', () => {
    before = made.value;
    made.select();
  });
  made.addEventListener('change', () => {
    const value = Number(made.value.trim().replace(',', '.').replace('−', '-'));
    if (made.value.trim() === '' || !Number.isFinite(value)) made.value = before;
    else onNumber(value);
  });
  return made;
}

// Numbers as people write them: three or four digits.
export function shortNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

export function download(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = element('a', { attributes: { href: address, download: name } });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
