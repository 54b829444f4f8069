import { Button } from '@mantine/core';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { ActionMenu } from '../../components/ActionMenu.tsx';
import { useOutcomeText } from '../../components/display/outcomes.ts';
import { useText } from '../../i18n/text.tsx';
import { type CallFilter, readFilter, writeFilter } from './filter.ts';
import { savedViews, saveViews } from './saved-views.ts';

// Questions that everyone asks.
const given: readonly CallFilter[] = [
  { outcome: 'error', range: '24h' },
  { outcome: 'api', range: '24h' },
  { outcome: 'agent', range: '24h' },
  { outcome: 'rate_limited', range: '7d' },
];

/** Filters to return to: common ones, and those that were saved in this browser. */
export function SavedViews({
  filter,
  onShow,
}: {
  filter: CallFilter;
  onShow: (view: URLSearchParams) => void;
}) {
  const t = useText();
  const outcomeText = useOutcomeText();
  const [own, setOwn] = useState(savedViews);
  const current = writeFilter(filter).toString();
  const nameOf = ({ outcome, range, ...others }: CallFilter): string =>
    [
      ...Object.values(others).map(String),
      outcome && nameOfOutcome(outcome),
      range && t(`range.${range as '24h'}`),
    ]
      .filter(Boolean)
      .join(' · ');
  const nameOfOutcome = (outcome: string): string => {
    if (outcome === 'error') return t('calls.errors');
    if (['agent', 'api', 'gateway', 'refused'].includes(outcome)) return t(`calls.group.${outcome as 'api'}`);
    return outcomeText(outcome);
  };
  const keep = (views: readonly string[]) => {
    saveViews(views);
    setOwn(views);
  };
  const all = [...new Set([...given.map((view) => writeFilter(view).toString()), ...own])];
  return (
    <ActionMenu
      button={
        <Button variant="default" leftSection={<Bookmark size={15} aria-hidden />}>
          {t('calls.views')}
        </Button>
      }
      actions={[
        ...all.map((view) => ({
          name: nameOf(readFilter(new URLSearchParams(view))),
          onChoose: () => onShow(new URLSearchParams(view)),
        })),
        ...(current !== '' && !all.includes(current)
          ? [{ name: t('calls.saveView'), onChoose: () => keep([...own, current]) }]
          : []),
        ...(own.includes(current)
          ? [{ name: t('calls.removeView'), onChoose: () => keep(own.filter((view) => view !== current)) }]
          : []),
      ]}
    />
  );
}
