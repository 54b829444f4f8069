import { Button, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { type Exchange, expectedCalls } from './exchange.ts';

interface SaveCheckProps {
  readonly server: Server;
  readonly exchange: Exchange;
  readonly onClose: () => void;
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

/** Saves a question as a check, prefilled with what happened. */
export default function SaveCheck({ server, exchange, onClose }: SaveCheckProps) {
  const t = useText();
  const used = exchange.tokens.input + exchange.tokens.output;
  const [name, setName] = useState(exchange.question.slice(0, 80));
  const [tools, setTools] = useState(expectedCalls(exchange).join('\n'));
  const [words, setWords] = useState('');
  const [maxTokens, setMaxTokens] = useState<number | string>(
    used > 0 ? Math.ceil((used * 1.5) / 100) * 100 : '',
  );
  const add = useChange('POST', '/servers/:server/checks', ['/servers/:server/checks']);
  const calls = linesOf(tools).map(readCall);
  const text = linesOf(words);
  const isComplete =
    name.trim() !== '' && !calls.includes(null) && calls.length + text.length + Number(maxTokens !== '') > 0;
  const save = () =>
    add.mutate(
      {
        params: { server: server.slug },
        body: {
          name: name.trim(),
          question: exchange.question,
          ...(exchange.mode !== '' && { mode: exchange.mode as 'direct' }),
          expect: {
            ...(calls.length > 0 && { calls: calls.filter((call) => call !== null) }),
            ...(text.length > 0 && { text }),
            ...(maxTokens !== '' && { maxTokens: Number(maxTokens) }),
          },
        },
      },
      {
        onSuccess: () => {
          toastDone(t('playground.checkSaved'));
          onClose();
        },
        onError: toastProblem,
      },
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('playground.saveCheck')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) save();
        }}
      >
        <Stack gap="sm">
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
            <Button type="submit" disabled={!isComplete} loading={add.isPending}>
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
