import { Select, Stack, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { Tool } from '../../api/resources.ts';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import type { Draft } from '../../editing/use-draft.tsx';
import type { TextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What a model reads about a tool: name, description and hints. */
export function ToolDescription({ draft }: { draft: Draft<Tool> }) {
  const t = useText();
  const { value: tool, set } = draft;
  return (
    <div className={layout.aside}>
      <Panel title={t('tools.description')} lead={t('tools.descriptionLead')}>
        <Stack gap="md">
          <TextInput
            label={t('common.name')}
            description={t('tools.nameHint')}
            value={tool.name}
            maxLength={64}
            onChange={(event) => set({ name: event.currentTarget.value })}
            styles={mono}
          />
          <TextInput
            label={t('tools.titleField')}
            value={tool.title ?? ''}
            onChange={(event) => set({ title: event.currentTarget.value })}
          />
          <Textarea
            label={t('common.description')}
            description={t('tools.descriptionHint')}
            autosize
            minRows={4}
            maxRows={18}
            value={tool.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
          <Text size="xs" c="dimmed">
            {t('tools.aboutTokens', { count: Math.ceil(tool.description.length / 4) })}
          </Text>
          <TagsInput label={t('common.tags')} value={[...tool.tags]} onChange={(tags) => set({ tags })} />
        </Stack>
      </Panel>
      <div className={layout.column}>
        <Panel title={t('common.status')}>
          <Stack gap="md">
            <Switch
              label={t('common.enabled')}
              checked={tool.enabled}
              onChange={(event) => set({ enabled: event.currentTarget.checked })}
            />
            <Switch
              label={t('tools.deprecated')}
              checked={tool.deprecated ?? false}
              onChange={(event) => set({ deprecated: event.currentTarget.checked })}
            />
          </Stack>
        </Panel>
        <Panel title={t('tools.hints')} lead={t('tools.hintsLead')}>
          <Stack gap="sm">
            {hints.map((hint) => (
              <Switch
                key={hint}
                label={t(`tools.${hint}` satisfies TextKey)}
                checked={tool.annotations[hint] ?? false}
                onChange={(event) =>
                  set({ annotations: { ...tool.annotations, [hint]: event.currentTarget.checked } })
                }
              />
            ))}
          </Stack>
        </Panel>
        <Panel title={t('tools.scrub')} lead={t('tools.scrubLead')}>
          <Select
            aria-label={t('tools.scrub')}
            allowDeselect={false}
            data={(['off', 'redact', 'block'] as const).map((value) => ({
              value,
              label: t(`tools.scrub.${value}`),
            }))}
            value={tool.scrubArguments ?? 'off'}
            onChange={(value) => set({ scrubArguments: value ?? 'off' })}
          />
        </Panel>
      </div>
    </div>
  );
}
