import type { About, ToolSummary } from './api.ts';
import { copyText } from './controls/clipboard.ts';
import { h } from './dom.ts';
import { icon } from './icons.ts';
import { markdown } from './markdown.ts';
import { formatCount } from './measure.ts';
import { t } from './texts.ts';
import { groupTools } from './tool-search.ts';

const maxGroups = 24;

/** Shown while no tool is open: what the server is for, how to connect, and its tools by topic. */
export function welcome(
  title: string,
  about: About,
  tools: readonly ToolSummary[],
  onGroup: (name: string) => void,
): HTMLElement {
  const { description, instructions, address } = about;
  const other = t('otherGroup');
  // The largest group first, ungrouped tools last.
  const groups = groupTools(tools, other)
    .filter(({ name }) => name !== '')
    .toSorted(
      (a, b) => Number(a.name === other) - Number(b.name === other) || b.tools.length - a.tools.length,
    );
  return h(
    'div',
    { class: 'welcome' },
    h('h2', {}, title),
    description && markdown(description),
    h('p', { class: 'muted' }, t('welcomeHelp')),
    address && [
      h('h3', {}, t('connect')),
      h('p', { class: 'muted' }, t('connectHelp')),
      h(
        'p',
        { class: 'connect' },
        h('code', {}, address),
        h(
          'button',
          { type: 'button', class: 'button', on: { click: () => void copyText(address) } },
          icon('copy'),
          t('copyAddress'),
        ),
      ),
    ],
    instructions && [h('h3', {}, t('instructions')), markdown(instructions)],
    groups.length > 1 && [
      h('h3', {}, t('groups')),
      h(
        'ul',
        { class: 'groups' },
        groups
          .slice(0, maxGroups)
          .map(({ name, tools: { length } }) =>
            h(
              'li',
              {},
              h(
                'button',
                { type: 'button', class: 'group', on: { click: () => onGroup(name) } },
                h('strong', {}, name),
                h(
                  'span',
                  { class: 'muted' },
                  length === 1 ? t('toolCountOne') : t('toolCount', { count: formatCount(length) }),
                ),
              ),
            ),
          ),
      ),
    ],
  );
}
