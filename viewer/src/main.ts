// SPDX-License-Identifier: Apache-2.0
import './style.css';
import { App } from './app.ts';
import { inspector } from './inspect.ts';
import { element } from './ui/dom.ts';

function start(): void {
  const app = new App(new URLSearchParams(location.search));
  Object.assign(window, { pliant: inspector(app) });
  app.begin();
}

try {
  start();
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  document.body.replaceChildren(element('p', { class: 'sorry' }, `This page needs WebGL 2, which this browser does not give it: ${why}`));
}
