import { ActionIcon, Button, Checkbox, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { MessageSquareText, Plus, X } from 'lucide-react';
import type { Server } from '../../api/resources.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Panel } from '../../components/Panel.tsx';
import type { Draft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';
import { ExpandableItem } from './ExpandableItem.tsx';
import { placesOf } from './prompt-placeholders.ts';
import styles from './ExpandableItem.module.css';

type Prompt = NonNullable<Server['prompts']>[number];
type Argument = Prompt['arguments'][number];

/** Ready-made requests that a server offers alongside its tools. */
export function PromptsEditor({ draft }: { draft: Draft<Server> }) {
  const t = useText();
  const prompts = draft.value.prompts ?? [];
  const set = (next: Prompt[]) => draft.set({ prompts: next.length === 0 ? undefined : next });
  const add = () => set([...prompts, { name: '', text: '', arguments: [] }]);
  return (
    <Panel
      flush
      title={t('servers.promptsTitle')}
      lead={t('servers.promptsLead')}
      actions={
        <Button variant="light" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={add}>
          {t('servers.addPrompt')}
        </Button>
      }
    >
      {prompts.length === 0 && (
        <EmptyState
          icon={MessageSquareText}
          title={t('servers.noPrompts')}
          text={t('servers.noPromptsText')}
        />
      )}
      {prompts.map((prompt, at) => (
        <ExpandableItem
          key={at}
          name={prompt.name || t('servers.newPrompt')}
          startOpen={prompt.name === ''}
          onRemove={() => set(prompts.toSpliced(at, 1))}
        >
          <PromptFields prompt={prompt} onChange={(next) => set(prompts.with(at, next))} />
        </ExpandableItem>
      ))}
    </Panel>
  );
}

function PromptFields({ prompt, onChange }: { prompt: Prompt; onChange: (prompt: Prompt) => void }) {
  const t = useText();
  const missing = placesOf(prompt.text).filter(
    (place) => !prompt.arguments.some((argument) => argument.name === place),
  );
  const setArgument = (at: number, changes: Partial<Argument>) =>
    onChange({ ...prompt, arguments: prompt.arguments.with(at, { ...prompt.arguments[at]!, ...changes }) });
  const addArguments = (names: readonly string[]) =>
    onChange({ ...prompt, arguments: [...prompt.arguments, ...names.map((name) => ({ name }))] });
  return (
    <Stack gap="md">
      <div className={styles.pair}>
        <TextInput
          label={t('common.name')}
          required
          maxLength={64}
          placeholder="summary"
          value={prompt.name}
          onChange={(event) => onChange({ ...prompt, name: event.currentTarget.value })}
        />
        <TextInput
          label={t('servers.promptTitle')}
          value={prompt.title ?? ''}
          onChange={(event) => onChange({ ...prompt, title: event.currentTarget.value || undefined })}
        />
      </div>
      <TextInput
        label={t('common.description')}
        value={prompt.description ?? ''}
        onChange={(event) => onChange({ ...prompt, description: event.currentTarget.value || undefined })}
      />
      <Textarea
        label={t('servers.promptText')}
        description={t('servers.promptTextHint')}
        autosize
        minRows={3}
        maxRows={14}
        placeholder={t('servers.promptExample')}
        value={prompt.text}
        onChange={(event) => onChange({ ...prompt, text: event.currentTarget.value })}
      />
      {prompt.arguments.map((argument, at) => (
        <div key={at} className={styles.argument}>
          <TextInput
            aria-label={t('servers.argument')}
            placeholder={t('servers.argument')}
            value={argument.name}
            onChange={(event) => setArgument(at, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={t('common.description')}
            placeholder={t('common.description')}
            value={argument.description ?? ''}
            onChange={(event) => setArgument(at, { description: event.currentTarget.value || undefined })}
          />
          <TagsInput
            aria-label={t('servers.argumentValues')}
            placeholder={argument.values?.length ? undefined : t('servers.argumentValues')}
            value={[...(argument.values ?? [])]}
            onChange={(values) => setArgument(at, { values: values.length === 0 ? undefined : values })}
          />
          <Group gap="xs" wrap="nowrap">
            <Checkbox
              label={t('tools.required')}
              checked={argument.required ?? false}
              onChange={(event) => setArgument(at, { required: event.currentTarget.checked || undefined })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('servers.removeArgument', { name: argument.name })}
              onClick={() => onChange({ ...prompt, arguments: prompt.arguments.toSpliced(at, 1) })}
            >
              <X size={15} aria-hidden />
            </ActionIcon>
          </Group>
        </div>
      ))}
      <Group gap="xs">
        <Button
          variant="subtle"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => addArguments([''])}
        >
          {t('servers.addArgument')}
        </Button>
        {missing.length > 0 && (
          <Button variant="light" size="xs" onClick={() => addArguments(missing)}>
            {t('servers.addMissing', { names: missing.join(', ') })}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
