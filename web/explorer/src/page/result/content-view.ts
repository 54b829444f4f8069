import { asText, isObject } from '../../schema/json-values.ts';
import { copyText, saveText } from '../controls/clipboard.ts';
import { fill, h } from '../dom.ts';
import type { Child } from '../dom.ts';
import { icon } from '../icons.ts';
import { externalLink, looksLikeMarkdown, markdown } from '../markdown.ts';
import { mediaUrl, safeLink } from '../safe-url.ts';
import { segmented } from '../controls/tabs.ts';
import { t } from '../texts.ts';
import { JsonTable, listingOf } from './json-table.ts';
import { JsonTree } from './json-tree.ts';

/**
 * One piece of a result, rendered by type. All of it is untrusted: whatever can't be rendered, such as JSON nested a
 * thousand levels deep, is shown as text.
 */
export function contentView(content: unknown): HTMLElement {
  try {
    return drawContent(content);
  } catch {
    return plain(
      isObject(content) && typeof content['text'] === 'string' ? content['text'] : asText(content),
    );
  }
}

function drawContent(content: unknown): HTMLElement {
  const piece = isObject(content) ? content : {};
  switch (piece['type']) {
    case 'text':
      return textView(asText(piece['text']));
    case 'image':
      return mediaView('image', piece);
    case 'audio':
      return mediaView('audio', piece);
    case 'resource_link':
      return linkView(piece);
    case 'resource':
      return resourceView(isObject(piece['resource']) ? piece['resource'] : {});
    default:
      return h('p', { class: 'notice' }, t('cannotShow', { type: asText(piece['type']) }));
  }
}

/** A text: as JSON or Markdown if it looks like it, and always as plain text. */
export function textView(text: string): HTMLElement {
  const value = parseComposed(text);
  if (value !== undefined) return jsonView(value, text);
  const formatted = looksLikeMarkdown(text);
  const views = [
    ...(formatted ? [{ id: 'markdown', label: t('asMarkdown'), draw: () => markdown(text) }] : []),
    { id: 'text', label: t('asText'), draw: () => plain(text) },
  ];
  return switched(views, text, 'txt');
}

function plain(text: string): HTMLElement {
  return h('pre', { class: 'plain-text', tabindex: 0, role: 'region', 'aria-label': t('text') }, text);
}

interface View {
  id: string;
  label: string;
  draw: () => HTMLElement;
  search?: (query: string) => number;
}

function jsonView(value: unknown, text: string): HTMLElement {
  const listing = listingOf(value);
  const views: View[] = [];
  if (listing) {
    const table = new JsonTable(listing);
    views.push({
      id: 'table',
      label: t('asTable'),
      draw: () => table.element,
      search: (query) => table.search(query),
    });
  }
  const tree = new JsonTree(value);
  views.push({
    id: 'tree',
    label: t('asTree'),
    draw: () => tree.element,
    search: (query) => tree.search(query),
  });
  const pretty = JSON.stringify(value, null, 2);
  views.push({ id: 'text', label: t('asText'), draw: () => plain(pretty) });
  if (pretty !== text) views.push({ id: 'raw', label: t('asRaw'), draw: () => plain(text) });
  return switched(views, text, 'json');
}

const searchedChars = 80;

/** A block with a choice of views, search if the view supports it, copy and download. */
function switched(views: View[], text: string, extension: string): HTMLElement {
  const place = h('div', { class: 'block-body' });
  const count = h('span', { class: 'muted small', role: 'status' });
  let current = views[0] as View;
  const input = h('input', {
    type: 'search',
    class: 'small',
    placeholder: t('searchResult'),
    'aria-label': t('searchResult'),
    on: { input: () => search() },
  });
  function search(): void {
    const found = current.search?.(input.value) ?? 0;
    fill(count, input.value === '' ? null : t('found', { count: found }));
  }
  function show(id: string): void {
    current = views.find((view) => view.id === id) ?? current;
    input.hidden = current.search === undefined;
    fill(place, current.draw());
    if (current.search) search();
    else fill(count);
  }
  show(current.id);
  const tools = h(
    'div',
    { class: 'block-tools' },
    views.length > 1 && segmented(t('result'), views, current.id, show),
    // A text of a line or two is searched by looking at it.
    text.length >= searchedChars && views.some((view) => view.search) && input,
    count,
    h('span', { class: 'grow' }),
    toolButton('copy', t('copy'), () => void copyText(text)),
    toolButton('download', t('download'), () => saveText(text, `result.${extension}`)),
  );
  return h('section', { class: views.length > 1 ? 'block' : 'block bare' }, tools, place);
}

function toolButton(name: 'copy' | 'download', label: string, run: () => void): HTMLElement {
  return h(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': label, title: label, on: { click: run } },
    icon(name),
  );
}

function mediaView(family: 'image' | 'audio', piece: Record<string, unknown>): HTMLElement {
  const address = mediaUrl(family, piece['mimeType'], piece['data']);
  const type = asText(piece['mimeType']);
  if (address === null)
    return h('p', { class: 'notice' }, t('cannotShow', { type: `${family} ${type}`.trim() }));
  const media: Child =
    family === 'image'
      ? h('img', { src: address, alt: t('imageAlt', { type }) })
      : h('audio', { src: address, controls: true, 'aria-label': t('audio') });
  const save = h(
    'a',
    {
      class: 'icon-button',
      href: address,
      download: `result.${type.split('/')[1]?.replace(/\W.*/, '') ?? 'bin'}`,
      'aria-label': t('download'),
      title: t('download'),
    },
    icon('download'),
  );
  return h(
    'section',
    { class: 'block' },
    h(
      'div',
      { class: 'block-tools' },
      h('span', { class: 'mono small muted' }, type),
      h('span', { class: 'grow' }),
      save,
    ),
    h('div', { class: 'block-body media' }, media),
  );
}

function linkView(piece: Record<string, unknown>): HTMLElement {
  const name = asText(piece['title'] ?? piece['name'] ?? piece['uri']);
  return h(
    'section',
    { class: 'block' },
    h(
      'div',
      { class: 'block-body link' },
      h('p', { class: 'muted small' }, t('resourceLink')),
      h('p', {}, addressView(asText(piece['uri']), name)),
      typeof piece['description'] === 'string' && h('p', { class: 'muted' }, piece['description']),
      mono(piece),
    ),
  );
}

function mono(piece: Record<string, unknown>): Child {
  return h(
    'p',
    { class: 'mono small muted' },
    asText(piece['uri']),
    typeof piece['mimeType'] === 'string' ? ` · ${piece['mimeType']}` : '',
  );
}

function resourceView(resource: Record<string, unknown>): HTMLElement {
  const type = asText(resource['mimeType']);
  const { text, blob } = resource;
  const head = h(
    'div',
    { class: 'resource-head' },
    h('span', { class: 'muted small' }, t('resource')),
    h('span', { class: 'mono small' }, addressView(asText(resource['uri']), asText(resource['uri']))),
  );
  if (typeof text === 'string') return h('div', { class: 'resource' }, head, textView(text));
  const family = type.startsWith('image/') ? 'image' : type.startsWith('audio/') ? 'audio' : null;
  if (family && typeof blob === 'string')
    return h('div', { class: 'resource' }, head, mediaView(family, { mimeType: type, data: blob }));
  return h(
    'div',
    { class: 'resource' },
    head,
    h('p', { class: 'notice' }, t('cannotShow', { type: type || 'resource' })),
  );
}

function addressView(address: string, name: string): HTMLElement {
  const href = safeLink(address);
  return href === null ? h('span', {}, name) : externalLink(href, name);
}

function parseComposed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
