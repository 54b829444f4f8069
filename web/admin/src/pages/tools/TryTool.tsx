import { Alert, Button, Group, Select, Stack, Tabs, Text } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { Only, useMay } from '../../app/may.tsx';
import { ArgumentsForm } from '../../arguments/ArgumentsForm.tsx';
import { initialArguments } from '../../arguments/fields.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import layout from '../../components/Layout.module.css';
import { OutcomeBadge } from '../../components/OutcomeBadge.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { curlOf } from './curl.ts';
import { ContentView } from './ContentView.tsx';

type CallReply = ReplyOf<RouteAt<'POST', '/tools/:tool/call'>>;

/** Calls a tool for real, through the same pipeline an agent's call takes, and shows the request before it is sent. */
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
  const mayCall = useMay('editor');
  useHotkeys([['mod+Enter', () => (mayCall ? run() : undefined)]], []);
  return (
    <div className={layout.split}>
      <div className={layout.column}>
        <Panel
          title={t('tools.arguments')}
          actions={
            (servers.data?.items.length ?? 0) > 1 && (
              <Select
                size="xs"
                w={170}
                aria-label={t('tools.through')}
                placeholder={t('tools.through')}
                clearable
                data={servers.data?.items.map((entry) => entry.slug) ?? []}
                value={server}
                onChange={setServer}
              />
            )
          }
        >
          <Stack gap="md">
            <ArgumentsForm schema={tool.inputSchema} value={values} onChange={setValues} />
            <Only>
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
            </Only>
          </Stack>
        </Panel>
        <RequestPreview tool={tool} values={values} />
      </div>
      <Only>
        {' '}
        <Panel title={t('tools.result')} actions={call.data && <CallSummary reply={call.data} />}>
          {call.data === undefined ? (
            <Text c="dimmed">{t('tools.resultEmpty')}</Text>
          ) : (
            <CallResult reply={call.data} />
          )}
        </Panel>
      </Only>
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
  const preview = useQuery({
    queryKey: ['preview', tool.id, tool.revision, settled],
    queryFn: ({ signal }) =>
      request('POST', '/tools/:tool/preview', {
        params: { tool: tool.id },
        body: { arguments: settled },
        signal,
      }),
    retry: false,
  });
  const shown = preview.data;
  return (
    <Panel title={t('tools.preview')} lead={t('tools.previewLead')}>
      {preview.error && !shown ? (
        <Text c="dimmed" size="sm">
          {messageOf(preview.error)}
        </Text>
      ) : shown === undefined ? (
        <Text c="dimmed">…</Text>
      ) : (
        <Tabs defaultValue="http" variant="pills">
          <Tabs.List mb="sm">
            <Tabs.Tab value="http">HTTP</Tabs.Tab>
            <Tabs.Tab value="curl">cURL</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="http">
            <CodeBlock
              text={[
                `${shown.method} ${shown.url}`,
                ...Object.entries(shown.headers).map(([name, value]) => `${name}: ${value}`),
                ...(shown.body === null ? [] : ['', shown.body]),
              ].join('\n')}
              label={t('tools.preview')}
            />
          </Tabs.Panel>
          <Tabs.Panel value="curl">
            <CodeBlock text={curlOf(shown)} label="cURL" />
          </Tabs.Panel>
        </Tabs>
      )}
    </Panel>
  );
}

function CallSummary({ reply }: { reply: CallReply }) {
  const t = useText();
  const format = useFormats();
  return (
    <Group gap="sm">
      <OutcomeBadge
        outcome={reply.ok ? 'ok' : (reply.error?.code ?? 'error')}
        status={reply.upstreamStatus}
      />
      <Text size="sm" c="dimmed">
        {format.duration(reply.durationMs)}
      </Text>
      <Button component={Link} href={`/calls/${reply.callId}`} variant="subtle" size="compact-sm">
        {t('calls.story')}
      </Button>
    </Group>
  );
}

function CallResult({ reply }: { reply: CallReply }) {
  const t = useText();
  return (
    <Stack gap="md">
      {reply.error && (
        <Alert color="red" title={t(`fault.${reply.error.fault as 'caller'}`)}>
          {reply.error.message}
        </Alert>
      )}
      <Tabs defaultValue="content" variant="pills">
        <Tabs.List mb="sm">
          <Tabs.Tab value="content">{t('tools.content')}</Tabs.Tab>
          {reply.structuredContent !== undefined && (
            <Tabs.Tab value="structured">{t('tools.structured')}</Tabs.Tab>
          )}
          <Tabs.Tab value="raw">{t('tools.raw')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="content">
          <ContentView content={reply.content} />
        </Tabs.Panel>
        <Tabs.Panel value="structured">
          <CodeBlock json text={JSON.stringify(reply.structuredContent ?? null)} maxHeight={620} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <CodeBlock
            json
            text={JSON.stringify({
              content: reply.content,
              structuredContent: reply.structuredContent,
              isError: !reply.ok,
            })}
            maxHeight={620}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
