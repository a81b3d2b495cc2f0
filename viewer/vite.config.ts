// SPDX-License-Identifier: Apache-2.0
// One file with everything in it: no network, no eval. Two hashes are stamped into it, so that
// tools/check_page.py can tell without Node whether the committed page is up to date, and as it was
// built: that of the sources, and that of the page itself, with zeros for the digits of the latter.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

const blank = '0'.repeat(64);

function stamp(): Plugin {
  return {
    name: 'stamp',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { name: 'pliant-sources', content: hashOfSources() }, injectTo: 'head' },
      { tag: 'meta', attrs: { name: 'pliant-page', content: blank }, injectTo: 'head' },
    ],
  };
}

// Last of all: the page is one file then, and nothing changes it any more.
function seal(): Plugin {
  const field = (digits: string) => `<meta name="pliant-page" content="${digits}">`;
  return {
    name: 'seal',
    enforce: 'post',
    writeBundle: {
      order: 'post',
      sequential: true,
      handler(options) {
        const path = join(options.dir ?? '', 'index.html');
        const page = readFileSync(path, 'utf8');
        if (page.split(field(blank)).length !== 2) throw new Error('the page has no single place for its hash');
        const digits = createHash('sha256').update(page, 'utf8').digest('hex');
        writeFileSync(path, page.replace(field(blank), field(digits)));
      },
    },
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
  plugins: [stamp(), licences(), viteSingleFile({ removeViteModuleLoader: true }), seal()],
  build: { target: 'es2022', modulePreload: false, reportCompressedSize: false },
});
