import { Button, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import type { Check } from '../../api/resources.ts';
import type { CheckDraft } from './exchange.ts';

interface SaveCheckProps {
  /** Slug of the server. */
  readonly server: string;
  readonly draft: CheckDraft;
  /** An existing check to edit. */
  readonly check?: Check;
  readonly onClose: () => void;
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

/** Saves a question as a check, prefilled with what happened. */
export default function SaveCheck({ server, draft, check, onClose }: SaveCheckProps) {
  const t = useText();
  const { usedTokens: used } = draft;
  const [question, setQuestion] = useState(draft.question);
  const [name, setName] = useState(check?.name ?? draft.question.slice(0, 80));
  const [tools, setTools] = useState(draft.calls.join('\n'));
  const [words, setWords] = useState((check?.expect.text ?? []).join('\n'));
  const [maxTokens, setMaxTokens] = useState<number | string>(
    check?.expect.maxTokens ?? (used > 0 ? Math.ceil((used * 1.5) / 100) * 100 : ''),
  );
  const add = useChange('POST', '/servers/:server/checks', ['/servers/:server/checks']);
  const edit = useChange('PATCH', '/checks/:check', ['/servers/:server/checks']);
  const calls = linesOf(tools).map(readCall);
  const text = linesOf(words);
  const isComplete =
    name.trim() !== '' &&
    question.trim() !== '' &&
    !calls.includes(null) &&
    calls.length + text.length + Number(maxTokens !== '') > 0;
  const save = () => {
    const body = {
      name: name.trim(),
      question: question.trim(),
      ...(draft.mode && { mode: draft.mode as 'direct' }),
      expect: {
        ...(calls.length > 0 && { calls: calls.filter((call) => call !== null) }),
        ...(text.length > 0 && { text }),
        ...(maxTokens !== '' && { maxTokens: Number(maxTokens) }),
      },
    };
    const onSuccess = () => {
      toastDone(t('playground.checkSaved'));
      onClose();
    };
    if (check === undefined) add.mutate({ params: { server }, body }, { onSuccess, onError: toastProblem });
    else
      edit.mutate(
        { params: { check: check.id }, revision: check.revision, body },
        { onSuccess, onError: toastProblem },
      );
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(check === undefined ? 'playground.saveCheck' : 'playground.editCheck')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) save();
        }}
      >
        <Stack gap="sm">
          <Textarea
            autosize
            minRows={2}
            label={t('calls.question')}
            description={t('calls.questionHint')}
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
          <TextInput
            label={t('playground.checkName')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Textarea
            autosize
            minRows={2}
            styles={mono}
            label={t('playground.mustCall')}
            description={t('playground.mustCallHint')}
            error={calls.includes(null) && t('playground.mustCallInvalid')}
            value={tools}
            onChange={(event) => setTools(event.currentTarget.value)}
          />
          <Textarea
            autosize
            minRows={2}
            label={t('playground.mustSay')}
            description={t('playground.mustSayHint')}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <NumberInput
            label={t('playground.maxTokens')}
            min={1}
            allowDecimal={false}
            value={maxTokens}
            onChange={setMaxTokens}
          />
          <Group>
            <Button type="submit" disabled={!isComplete} loading={add.isPending || edit.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** `tool` or `tool {"argument": …}`; null if it can't be parsed. */
function readCall(line: string): { tool: string; arguments?: Record<string, never> } | null {
  const space = line.indexOf(' ');
  if (space === -1) return { tool: line };
  try {
    const given: unknown = JSON.parse(line.slice(space + 1));
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
    return { tool: line.slice(0, space), arguments: { ...given } };
  } catch {
    return null;
  }
}
