import { Autocomplete, Button, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { ListFilter, X } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import layout from '../../components/Layout.module.css';
import { SearchBox } from '../../components/SearchBox.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { fromLocalField, rangesMs, toLocalField, type CallFilter, type FilterName } from './filter.ts';
import styles from './Calls.module.css';

interface FilterBarProps {
  readonly filter: CallFilter;
  readonly onChange: (changes: Partial<CallFilter>) => void;
  readonly count: string | undefined;
}

const outcomes = [
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

// Those that have no field in the first line, in the order of their fields.
const further = ['tool', 'api', 'server', 'caller', 'client', 'surface', 'status', 'from', 'to'] as const;

/** Narrows the calls: a search and the usual choices, everything else on demand. */
export function FilterBar({ filter, onChange, count }: FilterBarProps) {
  const t = useText();
  const format = useFormats();
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
        <Select
          aria-label={t('calls.outcome')}
          placeholder={t('calls.outcome')}
          w={150}
          clearable
          data={[
            { value: 'ok', label: t('calls.ok') },
            { value: 'error', label: t('calls.errors') },
            ...outcomes.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
          ]}
          value={filter.outcome ?? null}
          onChange={(outcome) => onChange({ outcome: outcome ?? undefined })}
        />
        <Select
          aria-label={t('common.range')}
          placeholder={t('common.range')}
          w={150}
          clearable
          data={Object.keys(rangesMs).map((value) => ({ value, label: t(`range.${value as '1h'}`) }))}
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
      {open && <FurtherFilters filter={filter} onChange={onChange} />}
      {active.length > 0 && (
        <div className={styles.active}>
          {active.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              rightSection={<X size={13} aria-hidden />}
              onClick={() => onChange({ [name]: undefined })}
              title={t('calls.dropFilter', { filter: shown(name) })}
            >
              {t(`calls.${name}`)}: {shown(name)}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

function FurtherFilters({ filter, onChange }: Omit<FilterBarProps, 'count'>) {
  const t = useText();
  const servers = useGet('/servers', { query: { limit: 500 } });
  const apis = useGet('/apis', { query: { limit: 500 } });
  return (
    <div className={styles.further}>
      <Suggested by="tool" value={filter.tool} onChange={(tool) => onChange({ tool })} />
      <Select
        label={t('calls.api')}
        clearable
        searchable
        data={apis.data?.items.map((api) => api.slug) ?? []}
        value={filter.api ?? null}
        onChange={(api) => onChange({ api: api ?? undefined })}
      />
      <Select
        label={t('calls.server')}
        clearable
        searchable
        data={servers.data?.items.map((server) => server.slug) ?? []}
        value={filter.server ?? null}
        onChange={(server) => onChange({ server: server ?? undefined })}
      />
      <Suggested by="caller" value={filter.caller} onChange={(caller) => onChange({ caller })} />
      <Suggested by="client" value={filter.client} onChange={(client) => onChange({ client })} />
      <Select
        label={t('calls.surface')}
        clearable
        data={['mcp', 'rest', 'explorer', 'cli', 'stdio', 'admin']}
        value={filter.surface ?? null}
        onChange={(surface) => onChange({ surface: (surface ?? undefined) as CallFilter['surface'] })}
      />
      <NumberInput
        label={t('calls.status')}
        placeholder="404"
        min={100}
        max={599}
        hideControls
        value={typeof filter.status === 'number' || typeof filter.status === 'string' ? filter.status : ''}
        onChange={(status) => onChange({ status: typeof status === 'number' ? status : undefined })}
      />
      <TextInput
        type="datetime-local"
        label={t('calls.from')}
        value={toLocalField(filter.from)}
        onChange={(event) => onChange({ from: fromLocalField(event.currentTarget.value), range: undefined })}
      />
      <TextInput
        type="datetime-local"
        label={t('calls.to')}
        value={toLocalField(filter.to)}
        onChange={(event) => onChange({ to: fromLocalField(event.currentTarget.value) })}
      />
    </div>
  );
}

/** A name that calls were made by or to, proposed from the last month. Taken when chosen, or when Enter is pressed. */
function Suggested({
  by,
  value,
  onChange,
}: {
  by: 'tool' | 'caller' | 'client';
  value: string | undefined;
  onChange: (name: string | undefined) => void;
}) {
  const t = useText();
  const [typed, setTyped] = useState(value ?? '');
  const known = useGet('/analytics', { query: { range: '30d', by, top: 100 } });
  const groups = known.data?.groups.filter((group) => group.name !== '') ?? [];
  // Two callers can have the same label.
  const labels = new Map(
    groups.map(({ name, label }) => [label === name ? name : `${label} · ${name}`, name] as const),
  );
  const take = (text: string) => onChange(text === '' ? undefined : (labels.get(text) ?? text));
  return (
    <Autocomplete
      label={t(`calls.${by}`)}
      data={[...labels.keys()]}
      limit={20}
      value={typed}
      onChange={(text) => {
        setTyped(text);
        if (text === '' || labels.has(text)) take(text);
      }}
      onBlur={() => take(typed)}
      onKeyDown={(event) => event.key === 'Enter' && take(typed)}
    />
  );
}
