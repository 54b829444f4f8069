import { Button, SegmentedControl, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { BookOpenText, Plus } from 'lucide-react';
import { useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Panel } from '../../components/Panel.tsx';
import type { Draft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ExpandableItem } from './ExpandableItem.tsx';
import styles from './ExpandableItem.module.css';

type Resource = NonNullable<Server['resources']>[number];

/** What clients of a server can read: texts, and GET tools by URI. */
export function ResourcesEditor({ draft }: { draft: Draft<Server> }) {
  const t = useText();
  const resources = draft.value.resources ?? [];
  const set = (next: Resource[]) => draft.set({ resources: next.length === 0 ? undefined : next });
  const add = () => set([...resources, { uri: '', name: '', text: '' }]);
  return (
    <Panel
      flush
      title={t('servers.resourcesTitle')}
      lead={t('servers.resourcesLead')}
      actions={
        <Button variant="light" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={add}>
          {t('servers.addResource')}
        </Button>
      }
    >
      {resources.length === 0 && (
        <EmptyState
          icon={BookOpenText}
          title={t('servers.noResources')}
          text={t('servers.noResourcesText')}
        />
      )}
      {resources.map((resource, at) => (
        <ExpandableItem
          key={at}
          name={resource.name || t('servers.newResource')}
          note={resource.uri || undefined}
          startOpen={resource.name === ''}
          onRemove={() => set(resources.toSpliced(at, 1))}
        >
          <ResourceFields resource={resource} onChange={(next) => set(resources.with(at, next))} />
        </ExpandableItem>
      ))}
    </Panel>
  );
}

function ResourceFields({
  resource,
  onChange,
}: {
  resource: Resource;
  onChange: (resource: Resource) => void;
}) {
  const t = useText();
  const tools = useGet('/tool-index', {});
  const kind = resource.toolId === undefined ? 'text' : 'tool';
  const { text: _text, toolId: _tool, ...frame } = resource;
  return (
    <Stack gap="md">
      <SegmentedControl
        w="fit-content"
        aria-label={t('servers.resourceKind')}
        value={kind}
        onChange={(next) => onChange(next === 'tool' ? { ...frame, toolId: '' } : { ...frame, text: '' })}
        data={[
          { value: 'text', label: t('servers.resourceText') },
          { value: 'tool', label: t('servers.resourceTool') },
        ]}
      />
      <div className={styles.pair}>
        <TextInput
          label={t('common.name')}
          required
          value={resource.name}
          onChange={(event) => onChange({ ...resource, name: event.currentTarget.value })}
        />
        <TextInput
          label={t('servers.uri')}
          required
          description={kind === 'tool' ? t('servers.uriToolHint') : undefined}
          placeholder={kind === 'tool' ? 'weather://{location}' : 'docs://house-rules'}
          value={resource.uri}
          onChange={(event) => onChange({ ...resource, uri: event.currentTarget.value })}
        />
        <TextInput
          label={t('servers.mimeType')}
          placeholder="text/markdown"
          value={resource.mimeType ?? ''}
          onChange={(event) => onChange({ ...resource, mimeType: event.currentTarget.value || undefined })}
        />
      </div>
      <TextInput
        label={t('common.description')}
        value={resource.description ?? ''}
        onChange={(event) => onChange({ ...resource, description: event.currentTarget.value || undefined })}
      />
      {kind === 'text' ? (
        <Textarea
          label={t('servers.resourceText')}
          autosize
          minRows={4}
          maxRows={20}
          value={resource.text ?? ''}
          onChange={(event) => onChange({ ...resource, text: event.currentTarget.value })}
        />
      ) : (
        <Select
          label={t('servers.resourceTool')}
          searchable
          limit={100}
          data={
            tools.data?.items
              .filter((tool) => tool.method === 'GET')
              .map((tool) => ({ value: tool.id, label: `${tool.name} · ${tool.api}` })) ?? []
          }
          value={resource.toolId === '' ? null : (resource.toolId ?? null)}
          onChange={(toolId) => onChange({ ...resource, toolId: toolId ?? '' })}
          nothingFoundMessage={t('common.nothingFound')}
        />
      )}
    </Stack>
  );
}
