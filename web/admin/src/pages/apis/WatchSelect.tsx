import { Select } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { watchIntervalsMs } from '../add/options.ts';

const names = Object.keys(watchIntervalsMs) as (keyof typeof watchIntervalsMs)[];

/** How often a document's URL is checked for changes. */
export function WatchSelect({
  value,
  onChange,
}: {
  value: number | undefined;
  onChange: (everyMs: number | undefined) => void;
}) {
  const t = useText();
  const known = names.find((name) => watchIntervalsMs[name] === value);
  const other = value !== undefined && known === undefined;
  return (
    <Select
      label={t('apis.watch')}
      description={t('apis.watchHint')}
      allowDeselect={false}
      data={[
        { value: 'off', label: t('apis.watchOff') },
        ...names.map((name) => ({ value: name as string, label: t(`apis.watchEvery.${name}`) })),
        ...(other
          ? [{ value: 'other', label: t('apis.watchOther', { minutes: Math.round(value / 60_000) }) }]
          : []),
      ]}
      value={value === undefined ? 'off' : (known ?? 'other')}
      onChange={(name) => {
        if (name === null || name === 'other') return;
        onChange(name === 'off' ? undefined : watchIntervalsMs[name as keyof typeof watchIntervalsMs]);
      }}
    />
  );
}
