import {
  Alert,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import type { Tool } from '../../api/resources.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';
import { EditableFields, RequireRole } from '../../app/account/permissions.tsx';
import { ArgumentsForm } from '../../arguments/ArgumentsForm.tsx';
import { initialArguments } from '../../arguments/fields.ts';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import type { Draft } from '../../editing/use-draft.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { SuggestedFields } from './SuggestedFields.tsx';

type Mapping = Tool['reply'];
type Sample = NonNullable<BodyOf<RouteAt<'POST', '/tools/:tool/shape-preview'>>['sample']>;

/** How a reply becomes what the model reads, previewed on a real reply while editing. */
export function ReplyEditor({ tool, draft }: { tool: Tool; draft: Draft<Tool> }) {
  const t = useText();
  const { reply } = draft.value;
  const set = (changes: Partial<Mapping>) =>
    draft.set({
      reply: Object.fromEntries(
        Object.entries({ ...reply, ...changes }).filter(([, value]) => value !== undefined),
      ),
    });
  return (
    <div className={layout.split}>
      <Panel title={t('tools.reply')} lead={t('tools.replyLead')}>
        <EditableFields>
          {' '}
          <Stack gap="md">
            {reply.select === undefined && reply.template === undefined && (
              <SuggestedFields tool={tool.id} onTake={(select) => set({ select })} />
            )}
            <TextInput
              label={t('reply.select')}
              error={draft.problemAt('/reply/select')}
              description={t('reply.selectHint')}
              placeholder="items[].{id: id, name: name}"
              styles={mono}
              value={reply.select ?? ''}
              onChange={(event) => set({ select: event.currentTarget.value || undefined })}
            />
            <Textarea
              label={t('reply.template')}
              error={draft.problemAt('/reply/template')}
              description={t('reply.templateHint')}
              autosize
              minRows={3}
              maxRows={14}
              value={reply.template ?? ''}
              onChange={(event) => set({ template: event.currentTarget.value || undefined })}
            />
            <NumberInput
              label={t('reply.maxBytes')}
              error={draft.problemAt('/reply/maxBytes')}
              placeholder={t('limits.default')}
              thousandSeparator=" "
              suffix=" B"
              min={0}
              allowDecimal={false}
              value={reply.maxBytes ?? ''}
              onChange={(value) => set({ maxBytes: typeof value === 'number' ? value : undefined })}
            />
            <NumberInput
              label={t('reply.maxTokens')}
              error={draft.problemAt('/reply/maxTokens')}
              description={t('reply.maxTokensHint')}
              placeholder={t('limits.default')}
              thousandSeparator=" "
              min={0}
              allowDecimal={false}
              value={reply.maxTokens ?? ''}
              onChange={(value) => set({ maxTokens: typeof value === 'number' ? value : undefined })}
            />
            <Switch
              label={t('reply.html')}
              description={t('reply.htmlHint')}
              checked={reply.html === 'source'}
              onChange={(event) => set({ html: event.currentTarget.checked ? 'source' : undefined })}
            />
            <Switch
              label={t('reply.wrap')}
              description={t('reply.wrapHint')}
              checked={reply.wrapUntrusted ?? false}
              onChange={(event) => set({ wrapUntrusted: event.currentTarget.checked || undefined })}
            />
            <Select
              label={t('reply.phrases')}
              description={t('reply.phrasesHint')}
              allowDeselect={false}
              data={(['off', 'report', 'redact'] as const).map((value) => ({
                value,
                label: t(`reply.phrases.${value}`),
              }))}
              value={reply.phrases ?? 'off'}
              onChange={(value) => set({ phrases: value === null || value === 'off' ? undefined : value })}
            />
          </Stack>
        </EditableFields>
      </Panel>
      <RequireRole>
        <ShapePreview tool={tool} mapping={reply} />
      </RequireRole>
    </div>
  );
}

function ShapePreview({ tool, mapping }: { tool: Tool; mapping: Mapping }) {
  const t = useText();
  const format = useFormats();
  const [from, setFrom] = useState<Sample['from']>('recent');
  const [values, setValues] = useState<Record<string, unknown>>(() => initialArguments(tool.inputSchema));
  const [given, setGiven] = useState('');
  // A new call is made once, on request. Its reply stays the sample while the mapping changes.
  const [called, setCalled] = useState<string | null>(null);
  const [settled] = useDebouncedValue(mapping, 300);
  const sample: Sample | null =
    from === 'recent'
      ? { from }
      : from === 'given'
        ? given === ''
          ? null
          : { from, text: given }
        : called === null
          ? null
          : { from: 'given', text: called };
  const preview = useQuery({
    queryKey: ['shape', tool.id, settled, sample],
    queryFn: ({ signal }) =>
      request('POST', '/tools/:tool/shape-preview', {
        params: { tool: tool.id },
        body: { reply: settled, sample: sample! },
        signal,
      }),
    enabled: sample !== null,
    placeholderData: (before) => before,
    retry: false,
  });
  const [calling, setCalling] = useState<unknown>(null);
  const callNow = async () => {
    setCalling('busy');
    try {
      const made = await request('POST', '/tools/:tool/shape-preview', {
        params: { tool: tool.id },
        body: { reply: mapping, sample: { from: 'call', arguments: values } },
      });
      setCalled(made.before.text);
      setCalling(null);
    } catch (error) {
      setCalling(error);
    }
  };
  const shown = sample === null ? undefined : preview.data;
  return (
    <Panel
      title={t('reply.preview')}
      lead={t('reply.previewLead')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('reply.sample')}
          value={from}
          onChange={(next) => setFrom(next)}
          data={(['recent', 'call', 'given'] as const).map((value) => ({
            value,
            label: t(`reply.from.${value}`),
          }))}
        />
      }
    >
      <Stack gap="md">
        {from === 'call' && (
          <>
            <ArgumentsForm schema={tool.inputSchema} value={values} onChange={setValues} />
            <Button
              w="fit-content"
              size="xs"
              leftSection={<Play size={14} aria-hidden />}
              loading={calling === 'busy'}
              onClick={() => void callNow()}
            >
              {t('tools.run')}
            </Button>
            {calling !== null && calling !== 'busy' && <Alert color="red">{messageOf(calling)}</Alert>}
          </>
        )}
        {from === 'given' && (
          <Textarea
            aria-label={t('reply.from.given')}
            autosize
            minRows={4}
            maxRows={12}
            styles={mono}
            value={given}
            onChange={(event) => setGiven(event.currentTarget.value)}
          />
        )}
        {preview.error && sample !== null && <Text c="dimmed">{messageOf(preview.error)}</Text>}
        {shown && !preview.error && (
          <>
            {shown.problem && <Alert color="red">{shown.problem}</Alert>}
            {(shown.sample.cut || shown.sample.shaped) && (
              <Text size="sm">{t(shown.sample.cut ? 'reply.sampleCut' : 'reply.sampleShaped')}</Text>
            )}
            <Group gap="xl">
              <Size name={t('reply.before')} bytes={shown.before.bytes} tokens={shown.before.tokens} />
              <Size name={t('reply.after')} bytes={shown.after.bytes} tokens={shown.after.tokens} />
              {shown.before.tokens > 0 && (
                <Text fw={650} c={shown.after.tokens < shown.before.tokens ? 'var(--app-good)' : undefined}>
                  {t('reply.saved', { share: format.percent(1 - shown.after.tokens / shown.before.tokens) })}
                </Text>
              )}
            </Group>
            <CodeBlock json text={shown.after.text} label={t('reply.after')} />
            <details>
              <summary>{t('reply.before')}</summary>
              <CodeBlock json text={shown.before.text} label={t('reply.before')} />
            </details>
          </>
        )}
      </Stack>
    </Panel>
  );
}

function Size({ name, bytes, tokens }: { name: string; bytes: number; tokens: number }) {
  const t = useText();
  const format = useFormats();
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600}>
        {t('reply.size', {
          bytes: format.bytes(bytes),
          tokens: t('common.tokens', { count: format.compact(tokens) }),
        })}
      </Text>
    </div>
  );
}
