import { Badge, Button, Menu, Tabs } from '@mantine/core';
import { EllipsisVertical, Trash2 } from 'lucide-react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import { useTab } from '../../app/use-tab.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { confirm } from '../../components/confirm.tsx';
import layout from '../../components/Layout.module.css';
import { LimitsForm } from '../../components/LimitsForm.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { MethodBadge } from '../../components/MethodBadge.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { SaveBar } from '../../editing/SaveBar.tsx';
import { useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ParameterEditor } from './ParameterEditor.tsx';
import { ReplyEditor } from './ReplyEditor.tsx';
import { PendingChange } from './PendingChange.tsx';
import { RequestEditor } from './RequestEditor.tsx';
import { ToolWords } from './ToolWords.tsx';
import { TryTool } from './TryTool.tsx';

/** One tool: try it, and edit everything about it. */
export default function ToolPage({ reference }: { reference: string }) {
  const tool = useGet('/tools/:tool', { params: { tool: reference } });
  return <Loaded query={tool}>{(loaded) => <ToolEditor key={loaded.id} tool={loaded} />}</Loaded>;
}

function ToolEditor({ tool }: { tool: Tool }) {
  const t = useText();
  const [, go] = useLocation();
  const [tab, setTab] = useTab('try');
  const update = useChange('PATCH', '/tools/:tool', ['/tools/:tool', '/tools', '/tool-index']);
  const remove = useChange('DELETE', '/tools/:tool', ['/tools', '/tool-index', '/apis', '/servers']);
  const draft = useDraft<Tool>(
    tool,
    (changes, revision) =>
      update.mutateAsync({ params: { tool: tool.id }, body: changes as never, revision }),
    () => request('GET', '/tools/:tool', { params: { tool: tool.id } }),
  );
  const onDelete = async () => {
    if (
      !(await confirm({
        title: t('tools.deleteTitle', { count: 1 }),
        text: t('tools.deleteText'),
        action: t('common.delete'),
      }))
    )
      return;
    remove.mutate(
      { params: { tool: tool.id } },
      { onSuccess: () => go(`/apis/${tool.api}`), onError: toastProblem },
    );
  };
  const setOperation = (changes: Partial<Tool['operation']>) =>
    draft.set({ operation: { ...draft.value.operation, ...changes } });
  return (
    <Page
      wide
      title={tool.title ?? tool.name}
      parent={{ href: `/apis/${tool.api}`, label: tool.api }}
      lead={
        <>
          <MethodBadge method={tool.operation.method} /> <code>{tool.operation.path}</code>
        </>
      }
      badge={
        <>
          {!tool.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
          {tool.deprecated && <Badge color="gray">{t('tools.deprecated')}</Badge>}
          {tool.pendingChange && <Badge color="orange">{t('tools.pending')}</Badge>}
        </>
      }
      actions={
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" px={9} aria-label={t('common.more')}>
              <EllipsisVertical size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              color="red"
              leftSection={<Trash2 size={15} aria-hidden />}
              onClick={() => void onDelete()}
            >
              {t('common.delete')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      }
    >
      {tool.pendingChange && <PendingChange tool={tool} />}
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="try">{t('tools.try')}</Tabs.Tab>
          <Tabs.Tab value="words">{t('tools.words')}</Tabs.Tab>
          <Tabs.Tab value="parameters">{t('tools.parameters')}</Tabs.Tab>
          <Tabs.Tab value="request">{t('tools.request')}</Tabs.Tab>
          <Tabs.Tab value="reply">{t('tools.reply')}</Tabs.Tab>
          <Tabs.Tab value="limits">{t('limits.title')}</Tabs.Tab>
          <Tabs.Tab value="schema">{t('tools.schema')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="try">
          <TryTool tool={tool} />
        </Tabs.Panel>
        <Tabs.Panel value="words">
          <ToolWords draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="parameters">
          <ParameterEditor
            parameters={draft.value.operation.parameters}
            onChange={(parameters) => setOperation({ parameters })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="request">
          <RequestEditor operation={draft.value.operation} onChange={setOperation} />
        </Tabs.Panel>
        <Tabs.Panel value="reply">
          <ReplyEditor tool={tool} draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="limits">
          <Panel title={t('limits.title')} lead={t('limits.toolLead')}>
            <LimitsForm value={draft.value.limits} onChange={(limits) => draft.set({ limits })} />
          </Panel>
        </Tabs.Panel>
        <Tabs.Panel value="schema">
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
        </Tabs.Panel>
      </Tabs>
      <SaveBar draft={draft} />
    </Page>
  );
}
