import { Alert, Badge, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useChange, useGet } from '../../api/queries.ts';
import type { ComposedTool } from '../../api/resources.ts';
import { EditableFields, useHasRole } from '../../app/account/permissions.tsx';
import { CodeEditor } from '../../code/CodeEditor.tsx';
import { useScriptTools } from '../../code/use-script-tools.ts';
import { DetailPage } from '../../components/DetailPage.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { emptyAsNull, textOrNone } from '../../editing/empty-as-null.ts';
import { type Draft, useDraft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { ComposedBadges } from './ComposedBadges.tsx';
import { SchemaInput } from './SchemaInput.tsx';
import { TryComposed } from './TryComposed.tsx';
import { Versions } from './Versions.tsx';

/** One composed tool: its code, a form to try it, and its versions. */
export default function ComposedToolPage({ reference }: { reference: string }) {
  const tool = useGet('/composed-tools/:tool', { params: { tool: reference } });
  return <Loaded query={tool}>{(loaded) => <ComposedEditor key={loaded.id} tool={loaded} />}</Loaded>;
}

const read = [
  '/composed-tools',
  '/composed-tools/:tool',
  '/composed-tools/:tool/versions',
  '/servers/:server/cost',
] as const;

function ComposedEditor({ tool }: { tool: ComposedTool }) {
  const t = useText();
  const [, go] = useLocation();
  const params = { tool: tool.id };
  const update = useChange('PATCH', '/composed-tools/:tool', read);
  const remove = useChange('DELETE', '/composed-tools/:tool', ['/composed-tools']);
  const draft = useDraft<ComposedTool>(
    tool,
    (changes, revision) => {
      // The called tools are detected from the code again, unless they were listed by hand.
      const found = changes.code !== undefined && changes.tools === undefined ? { tools: null } : {};
      return update.mutateAsync({ params, body: { ...emptyAsNull(changes), ...found } as never, revision });
    },
    () => request('GET', '/composed-tools/:tool', { params }),
  );
  return (
    <DetailPage
      wide
      draft={draft}
      title={tool.title ?? tool.name}
      parent={{ href: '/composed', label: t('nav.composed') }}
      lead={tool.description}
      badge={
        <>
          <ComposedBadges tool={tool} />{' '}
          <Badge color="gray">{t('composed.version', { number: tool.version })}</Badge>
        </>
      }
      deletion={{
        title: t('composed.deleteTitle', { name: tool.name }),
        text: t('composed.deleteText'),
        run: () => remove.mutate({ params }, { onSuccess: () => go('/composed'), onError: toastProblem }),
      }}
      tabs={[
        { id: 'script', name: t('code.script'), content: <ScriptTab tool={tool} draft={draft} /> },
        { id: 'try', name: t('composed.try'), content: <TryComposed tool={tool} isDirty={draft.dirty} /> },
        { id: 'versions', name: t('composed.versions'), content: <Versions tool={tool} /> },
      ]}
    />
  );
}

function ScriptTab({ tool, draft }: { tool: ComposedTool; draft: Draft<ComposedTool> }) {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const { tools } = useScriptTools(tool.server);
  const { value, set } = draft;
  return (
    <div className={layout.split}>
      <Panel title={t('code.script')} lead={t('composed.scriptLead')}>
        <CodeEditor
          label={t('composed.scriptOf', { name: tool.name })}
          value={value.code}
          onChange={(code) => set({ code })}
          tools={tools}
          readOnly={!mayEdit}
        />
      </Panel>
      <div className={layout.column}>
        <Calls tool={tool} draft={draft} />
        <Panel title={t('composed.shown')} lead={t('composed.shownLead')}>
          <EditableFields>
            <Stack gap="md">
              <TextInput
                label={t('common.name')}
                styles={mono}
                maxLength={64}
                required
                value={value.name}
                onChange={(event) => set({ name: event.currentTarget.value })}
              />
              <TextInput
                label={t('composed.title')}
                value={value.title ?? ''}
                onChange={(event) => set({ title: textOrNone(event.currentTarget.value) })}
              />
              <Textarea
                label={t('common.description')}
                required
                autosize
                minRows={3}
                maxRows={12}
                value={value.description}
                onChange={(event) => set({ description: event.currentTarget.value })}
              />
              <SchemaInput value={value.inputSchema} onChange={(inputSchema) => set({ inputSchema })} />
              <Switch
                label={t('common.enabled')}
                checked={value.enabled}
                onChange={(event) => set({ enabled: event.currentTarget.checked })}
              />
            </Stack>
          </EditableFields>
        </Panel>
      </div>
    </div>
  );
}

function Calls({ tool, draft }: { tool: ComposedTool; draft: Draft<ComposedTool> }) {
  const t = useText();
  const { value, set } = draft;
  const names = new Map(tool.calls.map(({ id, name }) => [id, name]));
  const missing = tool.calls.filter(({ served }) => !served);
  return (
    <Panel title={t('composed.calls')} lead={t('composed.callsLead')}>
      <Stack gap="md">
        {tool.enabled && missing.length > 0 && (
          <Alert color="orange" title={t('composed.incomplete')}>
            {t('composed.incompleteText', { tools: missing.map(({ name }) => name).join(', ') })}{' '}
            <Link href={`/servers/${tool.server}?tab=tools`}>{t('code.openServer')}</Link>
          </Alert>
        )}
        <EditableFields>
          <TagsInput
            label={t('composed.allowedTools')}
            description={t('composed.allowedToolsHint')}
            styles={mono}
            value={value.tools.map((id) => names.get(id) ?? id)}
            onChange={(tools) => set({ tools })}
          />
        </EditableFields>
      </Stack>
    </Panel>
  );
}
