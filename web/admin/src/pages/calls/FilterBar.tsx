import { Button, Text } from '@mantine/core';
import { ListFilter, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useOutcomeText } from '../../components/display/outcomes.ts';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import layout from '../../components/Layout.module.css';
import { SearchBox } from '../../components/inputs/SearchBox.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { rangesMs, type CallFilter, type FilterName } from './filter.ts';
import styles from './Calls.module.css';

interface FilterBarProps {
  readonly filter: CallFilter;
  readonly onChange: (changes: Partial<CallFilter>) => void;
  readonly count: string | undefined;
}

// Groups of outcomes: who caused the error, and what was rejected before it became a call.
const groups = ['agent', 'api', 'gateway', 'refused'] as const;

const outcomes = [
  'unknown_tool',
  'unauthenticated',
  'forbidden',
  'invalid_arguments',
  'upstream_status',
  'upstream_timeout',
  'upstream_unreachable',
  'rate_limited',
  'credential_missing',
  'login_failed',
  'egress_refused',
  'circuit_open',
  'reply_too_large',
];

// Filters without a field in the first row, in order. `parent` is set by the page of a call.
const further = [
  'tool',
  'api',
  'server',
  'caller',
  'client',
  'surface',
  'status',
  'from',
  'to',
  'parent',
] as const;

const MoreFilters = lazy(() => import('./MoreFilters.tsx'));

/** The search and common filters; the rest on demand. */
export function FilterBar({ filter, onChange, count }: FilterBarProps) {
  const t = useText();
  const format = useFormats();
  const outcomeText = useOutcomeText();
  const [open, setOpen] = useState(false);
  const active = further.filter((name) => filter[name] !== undefined);
  const shown = (name: FilterName): string =>
    name === 'from' || name === 'to' ? format.moment(filter[name]!) : String(filter[name]);
  return (
    <>
      <div className={layout.bar}>
        <SearchBox
          label={t('calls.search')}
          value={filter.text ?? ''}
          onChange={(text) => onChange({ text })}
          waitMs={300}
        />
        <SelectInput<string>
          name={t('calls.outcome')}
          w={150}
          options={[
            { value: 'ok', label: t('calls.ok') },
            { value: 'waiting', label: t('calls.waiting') },
            { value: 'error', label: t('calls.errors') },
            ...groups.map((value) => ({ value, label: t(`calls.group.${value}`) })),
            ...outcomes.map((value) => ({ value, label: outcomeText(value) })),
          ]}
          value={filter.outcome ?? null}
          onChange={(outcome) => onChange({ outcome: outcome ?? undefined })}
        />
        <SelectInput<string>
          name={t('common.range')}
          w={150}
          options={Object.keys(rangesMs).map((value) => ({ value, label: t(`range.${value as '1h'}`) }))}
          value={filter.range ?? null}
          onChange={(range) => onChange({ range: range ?? undefined, from: undefined, to: undefined })}
        />
        <Button
          variant={open ? 'light' : 'default'}
          aria-expanded={open}
          leftSection={<ListFilter size={15} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          {t('calls.moreFilters')}
        </Button>
        {count !== undefined && (
          <Text size="sm" c="dimmed" ml="auto" role="status">
            {count}
          </Text>
        )}
      </div>
      <Suspense>{open && <MoreFilters filter={filter} onChange={onChange} />}</Suspense>
      {active.length > 0 && (
        <div className={styles.active}>
          {active.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              rightSection={<X size={13} aria-hidden />}
              onClick={() => onChange({ [name]: undefined })}
              title={t('calls.removeFilter', { filter: shown(name) })}
            >
              {t(`calls.${name}`)}: {shown(name)}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
