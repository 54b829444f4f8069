import { h, uniqueId } from './dom.ts';
import { t } from './texts.ts';

interface Badge {
  tone: 'good' | 'bad' | 'calm' | 'plain';
  label: string;
  help: string;
}

/** A tool's annotations in words. A missing hint makes no badge. */
function badgesOf(annotations: Record<string, unknown> | undefined): Badge[] {
  const hints = annotations ?? {};
  const found: Badge[] = [];
  if (hints['readOnlyHint'] === true)
    found.push({ tone: 'good', label: t('readOnly'), help: t('readOnlyHelp') });
  if (hints['destructiveHint'] === true)
    found.push({ tone: 'bad', label: t('destructive'), help: t('destructiveHelp') });
  if (hints['idempotentHint'] === true)
    found.push({ tone: 'calm', label: t('idempotent'), help: t('idempotentHelp') });
  if (hints['openWorldHint'] === true)
    found.push({ tone: 'plain', label: t('openWorld'), help: t('openWorldHelp') });
  if (hints['openWorldHint'] === false)
    found.push({ tone: 'plain', label: t('closedWorld'), help: t('closedWorldHelp') });
  return found;
}

/** Small dots for the list, with text for screen readers. */
export function listBadges(annotations: Record<string, unknown> | undefined): HTMLElement {
  const shown = badgesOf(annotations).filter(({ tone }) => tone === 'good' || tone === 'bad');
  return h(
    'span',
    { class: 'dots' },
    shown.map(({ tone, label }) =>
      h('span', { class: `dot ${tone}`, title: label }, h('span', { class: 'offscreen' }, label)),
    ),
  );
}

/** Badges that explain themselves on hover and on focus. */
export function badges(annotations: Record<string, unknown> | undefined): HTMLElement | null {
  const all = badgesOf(annotations);
  if (all.length === 0) return null;
  return h(
    'ul',
    { class: 'badges' },
    all.map(({ tone, label, help }) => {
      const id = uniqueId('badge');
      return h(
        'li',
        {},
        h('button', { type: 'button', class: `badge ${tone}`, 'aria-describedby': id }, label),
        h('span', { class: 'tip', role: 'tooltip', id }, help),
      );
    }),
  );
}

/** Whether running the tool may destroy something. */
export function isDestructive(annotations: Record<string, unknown> | undefined): boolean {
  return annotations?.['destructiveHint'] === true && annotations['readOnlyHint'] !== true;
}
