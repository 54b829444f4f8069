import {
  Button,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useAll, useGet } from '../../api/queries.ts';
import type { AccessKey } from '../../api/resources.ts';
import layout from '../../components/Layout.module.css';
import { useText } from '../../i18n/text.tsx';
import { ToolPicker } from './ToolPicker.tsx';

/** The settings of a key; null means no restriction. */
interface KeyValues {
  readonly name: string;
  readonly servers: string[] | null;
  readonly tools: string[] | null;
  readonly expiresAt: string | null;
  readonly ratePerMinute: number | null;
}

interface KeyFormProps {
  readonly accessKey?: AccessKey;
  /** The server preselected for a new key, by slug. */
  readonly server?: string;
  readonly action: string;
  readonly busy: boolean;
  readonly onSubmit: (values: KeyValues) => void;
}

const lifetimes = ['7', '30', '90', '365'] as const;
const dayMs = 86_400_000;

/** Name, servers, tools, expiration and rate limit of a key. */
export function KeyForm({ accessKey, server, action, busy, onSubmit }: KeyFormProps) {
  const t = useText();
  const servers = useAll('/servers', {});
  const [name, setName] = useState(accessKey?.name ?? '');
  const [opens, setOpens] = useState<string[]>(accessKey?.servers ?? (server === undefined ? [] : [server]));
  // Only tools of the selected servers can be called with the key.
  const index = useGet('/tool-index', { query: opens.length === 0 ? {} : { server: opens.join(',') } });
  const [only, setOnly] = useState(accessKey?.tools !== undefined);
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set(accessKey?.tools));
  const [ends, setEnds] = useState<string>(accessKey?.expiresAt === undefined ? 'never' : 'day');
  const [day, setDay] = useState(accessKey?.expiresAt?.slice(0, 10) ?? '');
  const [rate, setRate] = useState<number | null>(accessKey?.ratePerMinute ?? null);
  // Without tools that were deleted in the meantime, or belong to a server that was deselected.
  const callable = (index.data?.items ?? []).map((tool) => tool.id).filter((id) => tools.has(id));
  const expiresAt = (): string | null => {
    if (ends === 'never') return null;
    if (ends !== 'day') return new Date(Date.now() + Number(ends) * dayMs).toISOString();
    // The previous date keeps its time of day; a newly picked date lasts until the end of that day.
    if (day === accessKey?.expiresAt?.slice(0, 10)) return accessKey.expiresAt;
    return new Date(`${day}T23:59:59`).toISOString();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({
          name: name.trim(),
          servers: opens.length > 0 ? opens : null,
          tools: only ? callable : null,
          expiresAt: expiresAt(),
          ratePerMinute: rate,
        });
      }}
    >
      <Stack gap="md">
        <TextInput
          data-autofocus
          label={t('common.name')}
          description={t('keys.nameHint')}
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <MultiSelect
          label={t('nav.servers')}
          placeholder={opens.length === 0 ? t('keys.everyServer') : undefined}
          data={(servers.data ?? []).map(({ slug, name: label }) => ({ value: slug, label }))}
          value={opens}
          onChange={setOpens}
          searchable
          clearable
        />
        <Input.Wrapper label={t('nav.tools')} labelElement="div">
          <Stack gap="xs" mt={4}>
            <SegmentedControl
              size="xs"
              w="fit-content"
              aria-label={t('nav.tools')}
              value={only ? 'only' : 'all'}
              onChange={(value) => setOnly(value === 'only')}
              data={[
                { value: 'all', label: t('keys.everyTool') },
                { value: 'only', label: t('keys.selectedTools') },
              ]}
            />
            {only && <ToolPicker tools={index} chosen={tools} onChange={setTools} />}
          </Stack>
        </Input.Wrapper>
        <div className={layout.fields}>
          <Select
            label={t('keys.expires')}
            allowDeselect={false}
            data={[
              { value: 'never', label: t('keys.never') },
              ...lifetimes.map((value) => ({ value, label: t('keys.days', { count: Number(value) }) })),
              { value: 'day', label: t('keys.onDay') },
            ]}
            value={ends}
            onChange={(value) => value && setEnds(value)}
          />
          {ends === 'day' && (
            <TextInput
              type="date"
              label={t('keys.lastDay')}
              required
              value={day}
              onChange={(event) => setDay(event.currentTarget.value)}
            />
          )}
          <NumberInput
            label={t('keys.rate')}
            placeholder={t('keys.noRate')}
            min={1}
            allowDecimal={false}
            value={rate ?? ''}
            onChange={(value) => setRate(typeof value === 'number' ? value : null)}
          />
        </div>
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={busy}
            disabled={name.trim() === '' || (only && callable.length === 0)}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
