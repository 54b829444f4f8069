import { Badge, Button } from '@mantine/core';
import { Power, PowerOff } from 'lucide-react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { ProblemError } from '../../api/problem.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import { EditableFields, RequireRole } from '../../app/account/permissions.tsx';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import layout from '../../components/Layout.module.css';
import { LimitsForm } from '../../components/inputs/LimitsForm.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Panel } from '../../components/Panel.tsx';
import { DetailPage } from '../../components/DetailPage.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useToggle } from '../../editing/use-toggle.ts';
import { useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ParameterEditor } from './ParameterEditor.tsx';
import { ReplyEditor } from './ReplyEditor.tsx';
import { PendingChange } from './PendingChange.tsx';
import { RequestEditor } from './RequestEditor.tsx';
import { SameName } from './SameName.tsx';
import { ToolDescription } from './ToolDescription.tsx';
import { ToolHeader } from './ToolHeader.tsx';
import { TryTool } from './try-tool/TryTool.tsx';

/** One tool: try it, and edit everything about it. */
export default function ToolPage({ reference }: { reference: string }) {
  const tool = useGet('/tools/:tool', { params: { tool: reference } });
  if (tool.data === undefined && tool.error instanceof ProblemError && tool.error.code === 'conflict')
    return <SameName name={reference} />;
  return <Loaded query={tool}>{(loaded) => <ToolEditor key={loaded.id} tool={loaded} />}</Loaded>;
}

function ToolEditor({ tool }: { tool: Tool }) {
  const t = useText();
  const [, go] = useLocation();
  const update = useChange('PATCH', '/tools/:tool', ['/tools/:tool', '/tools', '/tool-index']);
  const remove = useChange('DELETE', '/tools/:tool', ['/tools', '/tool-index', '/apis', '/servers']);
  const draft = useDraft<Tool>(
    tool,
    (changes, revision) => update.mutateAsync({ params: { tool: tool.id }, body: changes, revision }),
    () => request('GET', '/tools/:tool', { params: { tool: tool.id } }),
  );
  const toggle = useToggle('/tools/:tool', '/tool-index', tool, { tool: tool.id });
  const setOperation = (changes: Partial<Tool['operation']>) =>
    draft.set({ operation: { ...draft.value.operation, ...changes } });
  return (
    <DetailPage
      wide
      draft={draft}
      title={tool.title ?? tool.name}
      parent={{ href: `/apis/${tool.api}`, label: tool.api }}
      lead={<ToolHeader tool={tool} />}
      badge={
        <>
          {!tool.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
          {tool.deprecated && <Badge color="gray">{t('tools.deprecated')}</Badge>}
          {tool.waiting !== null && <Badge color="orange">{t('tools.pending')}</Badge>}
        </>
      }
      actions={
        <RequireRole>
          <Button
            variant="default"
            leftSection={tool.enabled ? <PowerOff size={15} aria-hidden /> : <Power size={15} aria-hidden />}
            onClick={toggle}
          >
            {t(tool.enabled ? 'common.disable' : 'common.enable')}
          </Button>
        </RequireRole>
      }
      deletion={{
        title: t('tools.deleteTitle', { count: 1 }),
        text: t('tools.deleteText'),
        affects: { tools: [tool.id] },
        run: () =>
          remove.mutate(
            { params: { tool: tool.id } },
            { onSuccess: () => go(`/apis/${tool.api}`), onError: toastProblem },
          ),
      }}
      tabs={[
        { id: 'try', name: t('tools.try'), content: <TryTool tool={tool} /> },
        {
          id: 'description',
          name: t('tools.description'),
          content: (
            <EditableFields>
              <ToolDescription draft={draft} />
            </EditableFields>
          ),
        },
        {
          id: 'parameters',
          name: t('tools.parameters'),
          content: (
            <ParameterEditor
              parameters={draft.value.operation.parameters}
              onChange={(parameters) => setOperation({ parameters })}
            />
          ),
        },
        {
          id: 'request',
          name: t('tools.request'),
          content: (
            <EditableFields>
              <RequestEditor
                operation={draft.value.operation}
                onChange={setOperation}
                problemAt={(field) => draft.problemAt(`/operation${field}`)}
              />
            </EditableFields>
          ),
        },
        { id: 'reply', name: t('tools.reply'), content: <ReplyEditor tool={tool} draft={draft} /> },
        {
          id: 'limits',
          name: t('limits.title'),
          content: (
            <Panel title={t('limits.title')} lead={t('limits.toolLead')}>
              <EditableFields>
                {' '}
                <LimitsForm value={draft.value.limits} onChange={(limits) => draft.set({ limits })} />
              </EditableFields>
            </Panel>
          ),
        },
        { id: 'schema', name: t('tools.schema'), content: <ToolSchemas tool={tool} /> },
      ]}
    >
      {tool.waiting !== null && <PendingChange tool={tool} waiting={tool.waiting} />}
    </DetailPage>
  );
}

function ToolSchemas({ tool }: { tool: Tool }) {
  const t = useText();
  return (
    <div className={layout.split}>
      <Panel title={t('tools.inputSchema')} lead={t('tools.inputSchemaLead')}>
        <CodeBlock
          json
          text={JSON.stringify(tool.inputSchema)}
          label={t('tools.inputSchema')}
          maxHeight={640}
        />
      </Panel>
      <Panel title={t('tools.outputSchema')}>
        <CodeBlock
          json
          text={JSON.stringify(tool.outputSchema)}
          label={t('tools.outputSchema')}
          maxHeight={640}
        />
      </Panel>
    </div>
  );
}
