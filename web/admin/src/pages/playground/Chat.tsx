import { Button, Switch, Textarea, VisuallyHidden } from '@mantine/core';
import { MessagesSquare, Send, Square } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Model, Server } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import type { Question } from './ask.ts';
import { Comparison } from './Comparison.tsx';
import { type Draft, DraftFields, draftOf } from './DraftFields.tsx';
import type { Exchange } from './exchange.ts';
import { ExchangeView } from './ExchangeView.tsx';
import { type Lane, useLane } from './use-lane.ts';
import styles from './Playground.module.css';

const SaveCheck = lazy(() => import('./SaveCheck.tsx'));

type Mode = 'direct' | 'search' | 'code';

interface Setup {
  readonly mode: Mode | null;
  readonly draft: Draft;
}

const plain: Setup = { mode: null, draft: { tool: '', description: '', instructions: '' } };

/** Conversations with a model that uses a server: one, or two side by side with the same question. */
export function Chat({ server, model }: { server: Server; model: Model }) {
  const t = useText();
  const mayAsk = useHasRole('editor');
  const [question, setQuestion] = useState('');
  const [isTwo, setTwo] = useState(false);
  const [setups, setSetups] = useState<readonly [Setup, Setup]>([plain, { ...plain, mode: 'code' }]);
  const [saving, setSaving] = useState<Exchange | null>(null);
  const lanes = [useLane(server.slug), useLane(server.slug)] as const;
  const shown = isTwo ? lanes : [lanes[0]];
  const isRunning = shown.some((lane) => lane.isRunning);

  const how = (at: number): Omit<Question, 'messages'> => {
    const { mode, draft } = setups[at]!;
    const given = isTwo && at === 1 ? draftOf(draft) : undefined;
    return { model: model.id, ...(mode !== null && { mode }), ...(given && { draft: given }) };
  };
  const ask = () => {
    if (question.trim() === '' || isRunning || !mayAsk) return;
    shown.forEach((lane, at) => lane.ask(question, how(at)));
    setQuestion('');
  };
  const change = (at: number, next: Setup) => setSetups(at === 0 ? [next, setups[1]] : [setups[0], next]);

  return (
    <>
      <Panel
        title={t('playground.chat')}
        actions={
          <Switch
            label={t('playground.compare')}
            checked={isTwo}
            disabled={isRunning}
            onChange={(event) => setTwo(event.currentTarget.checked)}
          />
        }
      >
        <div className={styles.lanes} data-two={isTwo || undefined}>
          {shown.map((lane, at) => (
            <LaneView
              key={at}
              lane={lane}
              name={isTwo ? t(at === 0 ? 'playground.left' : 'playground.right') : t('playground.chat')}
              currency={model.prices?.currency ?? 'USD'}
              onAgain={(text, branchOf) => lane.ask(text, how(at), branchOf)}
              onSave={setSaving}
            >
              <SelectInput<Mode>
                size="xs"
                w={220}
                name={t('playground.ownMode')}
                options={(['direct', 'search', 'code'] as const).map((mode) => ({
                  value: mode,
                  label: t(`playground.mode.${mode}`),
                }))}
                value={setups[at]!.mode}
                disabled={lane.isRunning}
                onChange={(mode) => change(at, { ...setups[at]!, mode })}
              />
              {isTwo && at === 1 && (
                <DraftFields
                  draft={setups[1].draft}
                  onChange={(draft) => change(1, { ...setups[1], draft })}
                />
              )}
            </LaneView>
          ))}
        </div>
        {isTwo && <Comparison left={lanes[0].path.at(-1)} right={lanes[1].path.at(-1)} />}
        <form
          className={styles.composer}
          onSubmit={(event) => {
            event.preventDefault();
            ask();
          }}
        >
          <Textarea
            autosize
            minRows={2}
            maxRows={10}
            aria-label={t('playground.question')}
            placeholder={t('playground.placeholder')}
            value={question}
            disabled={!mayAsk}
            onChange={(event) => setQuestion(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              ask();
            }}
          />
          {isRunning ? (
            <Button
              color="red"
              leftSection={<Square size={14} aria-hidden />}
              onClick={() => shown.forEach((lane) => lane.stop())}
            >
              {t('playground.stop')}
            </Button>
          ) : (
            <Button
              type="submit"
              leftSection={<Send size={14} aria-hidden />}
              disabled={question.trim() === '' || !mayAsk}
            >
              {t('playground.ask')}
            </Button>
          )}
        </form>
        <VisuallyHidden role="status">{isRunning ? t('playground.answering') : ''}</VisuallyHidden>
      </Panel>
      <Suspense>
        {saving && <SaveCheck server={server} exchange={saving} onClose={() => setSaving(null)} />}
      </Suspense>
    </>
  );
}

function LaneView({
  lane,
  name,
  currency,
  onAgain,
  onSave,
  children,
}: {
  lane: Lane;
  name: string;
  currency: string;
  onAgain: (question: string, branchOf: Exchange) => void;
  onSave: (exchange: Exchange) => void;
  children: ReactNode;
}) {
  const t = useText();
  return (
    <section aria-label={name}>
      <div className={styles.bar}>{children}</div>
      {lane.path.length === 0 ? (
        <EmptyState icon={MessagesSquare} title={t('playground.empty')} text={t('playground.emptyText')} />
      ) : (
        lane.path.map((exchange) => (
          <ExchangeView
            key={exchange.id}
            exchange={exchange}
            lane={lane}
            currency={currency}
            onAgain={(question) => onAgain(question, exchange)}
            onSave={() => onSave(exchange)}
          />
        ))
      )}
      {lane.path.length > 0 && !lane.isRunning && (
        <Button size="compact-xs" variant="subtle" onClick={lane.clear}>
          {t('playground.clear')}
        </Button>
      )}
    </section>
  );
}
