// SPDX-License-Identifier: Apache-2.0
// One file with everything in it: no network, no eval. The hash of the sources is stamped into it, so
// that tools/check_page.py can tell without Node whether the committed page is up to date.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

const root = import.meta.dirname;
const singles = ['index.html', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts'];

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

// of each file, in the order of names: its name, a zero, the hash of its bytes, an end of line
function hashOfSources(): string {
  const total = createHash('sha256');
  for (const path of [...singles, ...filesBelow('src')].sort()) {
    const bytes = createHash('sha256').update(readFileSync(join(root, path))).digest('hex');
    total.update(`${path}\0${bytes}\n`);
  }
  return total.digest('hex');
}

function stamp(): Plugin {
  return {
    name: 'stamp',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { name: 'pliant-sources', content: hashOfSources() }, injectTo: 'head' },
    ],
  };
}

// The page holds three.js, whose licence goes with every copy of it.
function licences(): Plugin {
  const own = '<!-- SPDX-License-Identifier: Apache-2.0 -->';
  const text = readFileSync(join(root, 'node_modules/three/LICENSE'), 'utf8').trim();
  return {
    name: 'licences',
    transformIndexHtml: (html) => html.replace(own, `${own}\n    <!-- with three.js:\n\n${text}\n-->`),
  };
}

export default defineConfig({
  root,
  plugins: [stamp(), licences(), viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: 'es2022', modulePreload: false, reportCompressedSize: false },
});
