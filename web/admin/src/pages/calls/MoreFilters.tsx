import { Autocomplete, NumberInput, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './Calls.module.css';
import { fromLocalField, toLocalField, type CallFilter } from './filter.ts';

/** The less common filters. */
export default function MoreFilters({
  filter,
  onChange,
}: {
  filter: CallFilter;
  onChange: (changes: Partial<CallFilter>) => void;
}) {
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
        onChange={(surface) => onChange({ surface: surface ?? undefined })}
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

/** A caller, client or tool name, with suggestions from the last month. Applied on select or Enter. */
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
