// `npm run site`: builds the documentation site from docs/ into site/dist, for a gateway to serve at /docs.
// SITE_BASE=/ builds one for the root of any other static host.
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, root, runOrExit } from './prepare.js';

const site = join(root, 'site');
const built = join(site, 'dist');

checkNode();
runOrExit('npm', ['ci', '--prefix', site, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
// The generator finds its packages only next to the pages. Decision records stay in the repository.
rmSync(join(site, 'pages'), { recursive: true, force: true });
cpSync(join(root, 'docs'), join(site, 'pages'), {
  recursive: true,
  filter: (path) => !path.startsWith(join(root, 'docs', 'adr')),
});
rmSync(built, { recursive: true, force: true });
runOrExit(process.execPath, [join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', site]);
// A page may run its own inline scripts, and no others: the gateway lists their hashes.
const pages = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const scripts = new Set(pages.flatMap((name) => inlineScripts(readFileSync(join(built, name), 'utf8'))));
writeFileSync(join(built, 'inline-scripts.json'), `${JSON.stringify([...scripts].sort(), null, 2)}\n`);
console.error(`• ${pages.length} pages are in site/dist`);

function inlineScripts(page) {
  return [...page.matchAll(/<script(?: [^>]*)?>([^<]+)<\/script>/g)].map(
    ([, text]) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
  );
}
