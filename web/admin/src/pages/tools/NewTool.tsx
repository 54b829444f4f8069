import { Alert, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Lock, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { messageOf, ProblemError } from '../../api/problem.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Api, Tool } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { ArgumentsForm } from '../../arguments/ArgumentsForm.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { CallResult, CallSummary } from './try-tool/CallResult.tsx';
import { ParameterEditor } from './ParameterEditor.tsx';
import { fitToPath } from './path-parameters.ts';
import { BodyFields } from './RequestEditor.tsx';
import { RequestView } from './try-tool/RequestView.tsx';

type Operation = Tool['operation'];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const goodName = /^[\w-]{0,64}$/;
const withBody = new Set(['POST', 'PUT', 'PATCH']);

/** Adds a tool to an API manually, with a live preview of its request. */
export default function NewTool({ reference }: { reference: string }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const api = useGet('/apis/:api', { params: { api: reference } });
  return (
    <Loaded query={api}>
      {(loaded) => (
        <Page
          wide
          title={t('newTool.title')}
          lead={t('newTool.lead')}
          parent={{ href: `/apis/${loaded.slug}`, label: loaded.name }}
          edits="editor"
        >
          {mayEdit ? (
            <Form api={loaded} />
          ) : (
            <Panel>
              <EmptyState icon={Lock} title={t('newTool.editorsOnly')} />
            </Panel>
          )}
        </Page>
      )}
    </Loaded>
  );
}

/** The gateway's errors for a draft, by field. */
function problemsOf(error: unknown): {
  readonly at: (path: string) => string | null;
  readonly rest: string | null;
} {
  const problems = error instanceof ProblemError ? error.problems : [];
  const fields = ['/name', '/description', '/operation/method', '/operation/path'];
  const elsewhere = problems.filter(({ path }) => !fields.includes(path));
  return {
    at: (path) => problems.find((problem) => problem.path === path)?.message ?? null,
    rest: error === null || (problems.length > 0 && elsewhere.length === 0) ? null : messageOf(error),
  };
}

function Form({ api }: { api: Api }) {
  const t = useText();
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [operation, setOperation] = useState<Operation>({ method: 'GET', path: '/', parameters: [] });
  const [values, setValues] = useState<Record<string, unknown>>({});
  const [draft] = useDebouncedValue({ operation, arguments: values }, 300);
  const preview = useQuery({
    queryKey: ['tool-draft', api.id, draft],
    queryFn: ({ signal }) =>
      request('POST', '/tool-drafts/preview', { body: { api: api.id, ...draft }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const create = useChange('POST', '/tools', ['/tools', '/tool-index', '/apis', '/apis/:api', '/servers']);
  const call = useChange('POST', '/tool-drafts/call', ['/calls']);
  const problems = problemsOf(create.error ?? preview.error);
  const set = (changes: Partial<Operation>) => {
    setOperation({ ...operation, ...changes });
    create.reset();
  };
  const setPath = (path: string) => set({ path, parameters: fitToPath(operation.parameters, path) });
  const setMethod = (method: string) => {
    if (!withBody.has(method)) {
      const { body: _body, ...rest } = operation;
      setOperation({ ...rest, method });
    } else
      set({
        method,
        body: operation.body ?? { mediaType: 'application/json', shape: 'fields' },
      });
  };
  const submit = () =>
    create.mutate(
      { body: { api: api.id, name, description, operation } },
      {
        onSuccess: (tool) => {
          toastDone(t('newTool.added', { name: tool.name }));
          go(`/tools/${tool.id}`);
        },
      },
    );
  const run = () =>
    call.mutate(
      { body: { api: api.id, name: name || 'draft', operation, arguments: values } },
      { onError: toastProblem },
    );
  const arguments_ = preview.data?.inputSchema;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={layout.split}>
        <div className={layout.column}>
          <Panel title={t('tools.description')} lead={t('tools.descriptionLead')}>
            <Stack gap="md">
              <TextInput
                label={t('common.name')}
                description={t('tools.nameHint')}
                placeholder="list_orders"
                required
                maxLength={64}
                styles={mono}
                value={name}
                error={problems.at('/name') ?? (goodName.test(name) ? null : t('newTool.badName'))}
                onChange={(event) => {
                  setName(event.currentTarget.value);
                  create.reset();
                }}
              />
              <Textarea
                label={t('common.description')}
                description={t('tools.descriptionHint')}
                required
                autosize
                minRows={3}
                maxRows={12}
                value={description}
                error={problems.at('/description')}
                onChange={(event) => setDescription(event.currentTarget.value)}
              />
            </Stack>
          </Panel>
          <Panel title={t('tools.request')} lead={api.baseUrl}>
            <Stack gap="md">
              <Group gap="xs" align="start" wrap="nowrap">
                <Select
                  label={t('common.method')}
                  w={116}
                  allowDeselect={false}
                  data={methods}
                  value={operation.method}
                  error={problems.at('/operation/method')}
                  onChange={(method) => method && setMethod(method)}
                />
                <TextInput
                  label={t('common.path')}
                  flex={1}
                  miw={0}
                  required
                  placeholder="/orders/{orderId}"
                  styles={mono}
                  value={operation.path}
                  error={problems.at('/operation/path')}
                  onChange={(event) => setPath(event.currentTarget.value)}
                />
              </Group>
              <Text size="xs" c="dimmed" mt={-8}>
                {t('newTool.pathHint')}
              </Text>
            </Stack>
          </Panel>
          <ParameterEditor parameters={operation.parameters} onChange={(parameters) => set({ parameters })} />
          {withBody.has(operation.method) && (
            <Panel title={t('tools.body')} lead={t('tools.bodyLead')}>
              <BodyFields
                body={operation.body}
                onChange={(body) => {
                  const { body: _before, ...rest } = operation;
                  setOperation(body === undefined ? rest : { ...rest, body });
                }}
              />
            </Panel>
          )}
        </div>
        <div className={layout.column}>
          {problems.rest && <Alert color="red">{problems.rest}</Alert>}
          <Panel title={t('newTool.tryFirst')} lead={t('newTool.tryFirstLead')}>
            <Stack gap="md">
              {arguments_ && <ArgumentsForm schema={arguments_} value={values} onChange={setValues} />}
              {preview.data?.request ? (
                <RequestView request={preview.data.request} />
              ) : (
                <Text size="sm" c="dimmed">
                  {preview.data?.problem ?? (preview.error ? t('newTool.notYet') : '…')}
                </Text>
              )}
              <Button
                w="fit-content"
                variant="default"
                leftSection={<Play size={15} aria-hidden />}
                loading={call.isPending}
                disabled={!preview.data?.request || Boolean(preview.error)}
                onClick={run}
              >
                {t('tools.run')}
              </Button>
            </Stack>
          </Panel>
          {call.data && (
            <Panel title={t('tools.result')} actions={<CallSummary reply={call.data} />}>
              <CallResult key={call.data.callId} reply={call.data} retry={run} />
            </Panel>
          )}
          <Group justify="flex-end">
            <Button
              type="submit"
              leftSection={<Plus size={16} aria-hidden />}
              loading={create.isPending}
              disabled={name === '' || !goodName.test(name) || description === ''}
            >
              {t('newTool.add')}
            </Button>
          </Group>
        </div>
      </div>
    </form>
  );
}
