import { Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../../api/client.ts';
import { messageOf } from '../../../api/problem.ts';
import { useChange, useGet } from '../../../api/queries.ts';
import type { Tool } from '../../../api/resources.ts';
import { RequireRole, useHasRole } from '../../../app/account/permissions.tsx';
import { ArgumentsForm } from '../../../arguments/ArgumentsForm.tsx';
import { initialArguments, missingArguments } from '../../../arguments/fields.ts';
import { SelectInput } from '../../../components/inputs/SelectInput.tsx';
import layout from '../../../components/Layout.module.css';
import { Panel } from '../../../components/Panel.tsx';
import { toastProblem } from '../../../components/feedback/toasts.ts';
import { useText } from '../../../i18n/text.tsx';
import { CallResult, CallSummary } from './CallResult.tsx';
import { RequestView } from './RequestView.tsx';

/** Calls a tool for real, through the same pipeline as an agent's call. Shows the request before it is sent. */
export function TryTool({ tool }: { tool: Tool }) {
  const t = useText();
  const [search] = useSearchParams();
  const repeated = readArguments(search.get('arguments'));
  const [values, setValues] = useState<Record<string, unknown>>(
    () => repeated ?? initialArguments(tool.inputSchema),
  );
  const [server, setServer] = useState<string | null>(search.get('server'));
  const servers = useGet('/servers', { query: { limit: 500 } });
  const call = useChange('POST', '/tools/:tool/call', ['/calls']);
  const run = () =>
    call.mutate(
      { params: { tool: tool.id }, body: { arguments: values, ...(server !== null && { server }) } },
      { onError: toastProblem },
    );
  const mayCall = useHasRole('editor');
  useHotkeys([['mod+Enter', () => (mayCall ? run() : undefined)]], []);
  return (
    <div className={layout.split}>
      <div className={layout.column}>
        <Panel
          title={t('tools.arguments')}
          actions={
            (servers.data?.items.length ?? 0) > 1 && (
              <SelectInput<string>
                size="xs"
                w={170}
                name={t('tools.through')}
                options={servers.data?.items.map((entry) => entry.slug) ?? []}
                value={server}
                onChange={setServer}
              />
            )
          }
        >
          <Stack gap="md">
            <ArgumentsForm schema={tool.inputSchema} value={values} onChange={setValues} />
            <RequireRole>
              <Group>
                <Button
                  leftSection={<Play size={15} aria-hidden />}
                  onClick={run}
                  loading={call.isPending}
                  disabled={!tool.enabled}
                >
                  {t('tools.run')}
                </Button>
                {!tool.enabled && (
                  <Text size="sm" c="dimmed">
                    {t('tools.disabledHint')}
                  </Text>
                )}
              </Group>
            </RequireRole>
          </Stack>
        </Panel>
        <RequestPreview tool={tool} values={values} />
      </div>
      <RequireRole>
        {' '}
        <Panel title={t('tools.result')} actions={call.data && <CallSummary reply={call.data} />}>
          {call.data === undefined ? (
            <Text c="dimmed">{t('tools.resultEmpty')}</Text>
          ) : (
            <CallResult key={call.data.callId} reply={call.data} retry={run} />
          )}
        </Panel>
      </RequireRole>
    </div>
  );
}

function readArguments(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function RequestPreview({ tool, values }: { tool: Tool; values: Record<string, unknown> }) {
  const t = useText();
  const [settled] = useDebouncedValue(values, 250);
  // Without required arguments the gateway would only reject the preview.
  const missing = missingArguments(tool.inputSchema, settled);
  const preview = useQuery({
    queryKey: ['preview', tool.id, tool.revision, settled],
    queryFn: ({ signal }) =>
      request('POST', '/tools/:tool/preview', {
        params: { tool: tool.id },
        body: { arguments: settled },
        signal,
      }),
    retry: false,
    enabled: missing.length === 0,
  });
  const shown = missing.length === 0 ? preview.data : undefined;
  return (
    <Panel title={t('tools.preview')} lead={t('tools.previewLead')}>
      {missing.length > 0 ? (
        <Text c="dimmed" size="sm">
          {t('tools.previewNeeds', { names: missing.join(', ') })}
        </Text>
      ) : preview.error && !shown ? (
        <Text c="dimmed" size="sm">
          {messageOf(preview.error)}
        </Text>
      ) : shown === undefined ? (
        <Text c="dimmed">…</Text>
      ) : (
        <RequestView request={shown} />
      )}
    </Panel>
  );
}
