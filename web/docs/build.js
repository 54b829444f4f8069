// Makes the pages of docs/ into dist/docs, which the gateway serves at /docs. Links are relative, so any static host
// can serve the folder, too. Pages load one style sheet and one script from the same folder, and nothing from elsewhere.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';

const repository = 'https://github.com/handrail/handrail';
const here = import.meta.dirname;
const root = join(here, '..', '..');
/** Every page of docs/ but decision records, which stay in the repository, and single runbooks. */
const sidebar = JSON.parse(readFileSync(join(here, 'sidebar.json'), 'utf8'));

/** Builds the pages of a docs folder. */
function buildDocs(docs, to) {
  const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith('adr/'));
  const pages = sources.map((file) => readPage(file, readFileSync(join(docs, file), 'utf8')));
  const titles = new Map(pages.map(({ name, title }) => [name, title]));
  for (const page of pages) write(to, `${page.name}.html`, htmlOf(page, titles));
  write(to, '404.html', htmlOf({ ...notFound, name: '404' }, titles));
  write(to, 'search.json', JSON.stringify(pages.flatMap(searchEntries)));
  for (const file of ['docs.css', 'docs.js']) copyFileSync(join(here, file), join(to, file));
  for (const file of readdirSync(docs, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.svg')) write(to, file, readFileSync(join(docs, file), 'utf8'));
}

const notFound = {
  title: 'Page not found',
  html: '<h1>Page not found</h1><p>Search, or choose a page.</p>',
  parts: [],
};

/** A page: its HTML, and its text by section for the search. */
function readPage(file, markdown) {
  const name = file.replace(/\.md$/, '');
  const parts = [{ id: '', title: '', text: '' }];
  const used = new Set();
  const collect = (token) => {
    const isText = token.type === 'text' && token.tokens === undefined;
    if (isText || token.type === 'code' || token.type === 'codespan') parts.at(-1).text += ` ${token.text}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = freeId(title, used);
        if (depth === 1) parts[0] = { id: '', title: plain(title), text: '' };
        else parts.push({ id, title: plain(title), text: '' });
        return `<h${depth} id="${id}">${html}${depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escape(linkFrom(name, href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      // Wide tables and code scroll, by keyboard too.
      table(token) {
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>\n${body}\n</tbody></table></div>\n`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escape(text)}</code></pre>\n`;
      },
    },
    // A bare address is an example more often than a link.
    tokenizer: { url: () => undefined },
  });
  let html = '';
  for (const section of sectionsOf(markdown)) {
    const tokens = marked.lexer(section);
    if (!section.startsWith('#')) void marked.walkTokens(tokens, collect);
    html += marked.parser(tokens);
  }
  return { name, title: parts[0].title, html, parts };
}

/** Headings and what is between them, so that text goes to the section it is in. A fence may contain lines that look like headings. */
function sectionsOf(markdown) {
  const found = [''];
  let isFenced = false;
  for (const line of markdown.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    if (!isFenced && /^#{1,6} /.test(line)) {
      found.push(`${line}\n`, '');
      continue;
    }
    found[found.length - 1] += `${line}\n`;
  }
  return found.filter((section) => section.trim() !== '');
}

/** Where a link of a page leads: to another page, or to the repository. */
function linkFrom(name, href) {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [path, anchor] = href.split('#', 2);
  const target = posix.normalize(posix.join('docs', posix.dirname(name), path));
  if (!target.startsWith('docs/') || target.startsWith('docs/adr') || !target.endsWith('.md'))
    return `${repository}/blob/main/${target}${anchor === undefined ? '' : `#${anchor}`}`;
  return `${path.replace(/\.md$/, '.html')}${anchor === undefined ? '' : `#${anchor}`}`;
}

function freeId(title, used) {
  const wanted = plain(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  let id = wanted;
  for (let n = 1; used.has(id); n++) id = `${wanted}-${n}`;
  used.add(id);
  return id;
}

function searchEntries({ name, title, parts }) {
  return parts.map((part) => ({
    url: `${name}.html${part.id === '' ? '' : `#${part.id}`}`,
    page: title,
    title: part.title,
    text: plain(part.text).replace(/\s+/g, ' ').trim(),
  }));
}

function htmlOf({ name, title, html, parts }, titles) {
  const up = '../'.repeat(name.split('/').length - 1);
  const link = (page) =>
    `<li><a href="${up}${page}.html"${page === name ? ' aria-current="page"' : ''}>${escape(shortTitle(titles.get(page)))}</a></li>`;
  const menu = sidebar
    .map(({ title: heading, pages }) => `<h2>${heading}</h2><ul>${pages.map(link).join('')}</ul>`)
    .join('');
  const outline = parts.filter(({ id }) => id !== '');
  const list = outline.map((part) => `<li><a href="#${part.id}">${escape(part.title)}</a></li>`).join('');
  return `<!doctype html>
<html lang="en" data-root="${up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Handrail docs</title>
<link rel="stylesheet" href="${up}docs.css">
<script src="${up}docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${up}index.html">Handrail <span>docs</span></a>
<div class="search" role="search"><input type="search" id="search" placeholder="Search" aria-label="Search the docs" aria-controls="results" autocomplete="off" spellcheck="false"><ol id="results" hidden></ol><p id="found" class="hidden" role="status"></p></div>
<a class="repository" href="${repository}">GitHub</a>
</header>
<div class="columns">
<details class="menu" open><summary>Pages</summary><nav aria-label="Pages">${menu}</nav></details>
<main id="content">
${html}</main>
${list === '' ? '' : `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${list}</ul></nav>`}
</div>
</body>
</html>
`;
}

const shortTitle = (title) => title.split(':', 1)[0];

function plain(html) {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function write(folder, name, text) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

buildDocs(join(root, 'docs'), join(root, 'dist', 'docs'));
