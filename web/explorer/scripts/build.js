// Builds the package: the page (one document, with script and style inlined and hashed into its policy), then the
// library that serves it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const from = (...parts) => join(folder, ...parts);
const packageOfTsc = createRequire(import.meta.url).resolve('typescript/package.json');
const tsc = join(dirname(packageOfTsc), JSON.parse(readFileSync(packageOfTsc, 'utf8')).bin.tsc);

const script = await bundle('src/page/main.ts');
const style = await bundle('src/page/style.css');
const template = readFileSync(from('src/page/page.html'), 'utf8').replace(/>\s+</g, '><').trim();
const inlined = template
  .replace('<!--style-->', () => `<style>${style}</style>`)
  .replace('<!--script-->', () => `<script>${script}</script>`);
const marks = inlined.match(/\{\{[A-Z_]+\}\}/g)?.join(' ');
if (marks !== '{{TITLE}} {{ALLOW_EXECUTE}} {{MODES}} {{ABOUT}} {{TITLE}} {{PROJECT_LINK}}')
  throw new Error(`the page leaves other places open than the server fills in: ${marks}`);

const policy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "connect-src 'self'",
  'img-src data: blob:',
  'media-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
].join('; ');

rmSync(from('dist'), { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', from('tsconfig.build.json')], { stdio: 'inherit' });
mkdirSync(from('dist/server'), { recursive: true });
writeFileSync(
  from('dist/server/page-document.js'),
  `export const pageTemplate = ${JSON.stringify(inlined)};\nexport const contentSecurityPolicy = ${JSON.stringify(policy)};\n`,
);

async function bundle(entry) {
  const result = await build({
    entryPoints: [from(entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ['chrome120', 'firefox121', 'safari17'],
    format: 'iife',
    charset: 'utf8',
    legalComments: 'none',
  });
  // A closing tag inside a string would end the element early.
  return result.outputFiles[0].text.trim().replaceAll(/<\/(script|style)/gi, String.raw`<\/$1`);
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
