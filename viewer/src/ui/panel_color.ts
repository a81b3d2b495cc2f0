// SPDX-License-Identifier: Apache-2.0
// Which field colours the bodies, which of its components, and by which map.
import type { MapName } from '../colors.ts';
import { BY_BODY, type Look } from '../look.ts';
import type { FieldInfo } from '../packets.ts';
import { row, select, setOptions } from './dom.ts';

const MAPS = [['sequential', 'Sequential'], ['diverging', 'Diverging'], ['categories', 'Categories']] as const;
const AXES = ['x', 'y', 'z'];

// names of fields as the program writes them, in words
export function fieldTitle(name: string): string {
  if (name === BY_BODY) return 'Body';
  if (name === 'velocity') return 'Speed';
  if (name === 'von_mises') return 'Von Mises stress';
  const words = name.replaceAll('_', ' ');
  return words.length > 1 ? words[0].toUpperCase() + words.slice(1) : words;
}

export class ColorPanel {
  readonly rows: HTMLElement[];
  fields: FieldInfo[] = [];
  private readonly field = select([], (name) => this.look.selectField(this.info(name)));
  private readonly component = select([], (value) => this.look.selectComponent(Number(value)));
  private readonly map = select(MAPS, (name) => this.look.update(() => (this.look.map = name as MapName)));
  private readonly componentRow = row('Component', this.component);
  private readonly mapRow = row('Map', this.map);

  constructor(private readonly look: Look) {
    this.rows = [row('Colour by', this.field), this.componentRow, this.mapRow];
    this.update([]);
  }

  info(name: string): FieldInfo | null {
    return this.fields.find((field) => field.name === name) ?? null;
  }

  update(fields: FieldInfo[]): void {
    this.fields = fields;
    const names = fields.map((field) => [field.name, fieldTitle(field.name)] as const);
    setOptions(this.field, [[BY_BODY, 'Body'], ...names]);
    this.show();
  }

  show(): void {
    const { look } = this;
    this.field.value = look.field;
    const info = this.info(look.field);
    this.componentRow.hidden = !info || info.components < 2;
    this.mapRow.hidden = look.field === BY_BODY;
    if (info) {
      const parts = Array.from({ length: info.components }, (_, k) => [String(k), AXES[k] && info.components <= 3 ? AXES[k] : String(k)] as const);
      setOptions(this.component, [['-1', 'Magnitude'], ...parts]);
    }
    this.component.value = String(look.component);
    this.map.value = look.map;
  }

  // The legend's heading: the field, its component and its unit.
  title(): string {
    const info = this.info(this.look.field);
    if (!info) return fieldTitle(this.look.field);
    const { component } = this.look;
    const isPart = info.components > 1 && component >= 0;
    const name = isPart && info.name === 'velocity' ? 'Velocity' : fieldTitle(info.name);
    const suffix = isPart ? ` ${AXES[component] && info.components <= 3 ? AXES[component] : component}` : '';
    return `${name}${suffix}${info.unit && info.unit !== '-' ? ` (${info.unit})` : ''}`;
  }
}
