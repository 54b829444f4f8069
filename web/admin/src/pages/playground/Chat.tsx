import { Button, Switch, Textarea, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { MessagesSquare, Send, Square } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { Model, Server } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import type { Question } from './ask.ts';
import { Comparison } from './Comparison.tsx';
import {
  changeConversation,
  changeSide,
  type Conversation,
  type Lane,
  laneOf,
  type Mode,
} from './conversations.ts';
import { DraftFields, draftOf } from './DraftFields.tsx';
import { checkDraftOf, type Exchange } from './exchange.ts';
import { ExchangeView } from './ExchangeView.tsx';

import styles from './Playground.module.css';

const SaveCheck = lazy(() => import('./SaveCheck.tsx'));

/** How close to its end a page counts as following an answer. */
const followPx = 160;

/** A conversation with a model that uses a server; two side by side get the same question. */
export function Chat({
  conversation,
  server,
  model,
  onAsk,
}: {
  conversation: Conversation;
  server: Server;
  model: Model;
  onAsk: () => void;
}) {
  const t = useText();
  const mayAsk = useHasRole('editor');
  const [saving, setSaving] = useState<Exchange | null>(null);
  const { isTwo, sides, typed } = conversation;
  const lanes = [laneOf(conversation, 0), laneOf(conversation, 1)] as const;
  const shown = isTwo ? lanes : [lanes[0]];
  const isRunning = shown.some((lane) => lane.isRunning);
  const stop = () => shown.forEach((lane) => lane.stop());

  const how = (at: number): Omit<Question, 'messages'> => {
    const { mode, draft } = sides[at]!.setup;
    const given = isTwo && at === 1 ? draftOf(draft) : undefined;
    return { model: model.id, ...(mode !== null && { mode }), ...(given && { draft: given }) };
  };
  const ask = () => {
    if (typed.trim() === '' || isRunning || !mayAsk) return;
    changeConversation(conversation, { typed: '' });
    shown.forEach((lane, at) => lane.ask(typed, how(at)));
    onAsk();
  };
  useHotkeys([['Escape', () => isRunning && stop()]], []);
  useFollow(isRunning, conversation);

  return (
    <>
      <Panel
        title={t('playground.chat')}
        actions={
          <Switch
            label={t('playground.compare')}
            checked={isTwo}
            disabled={isRunning}
            onChange={(event) => changeConversation(conversation, { isTwo: event.currentTarget.checked })}
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
                value={sides[at]!.setup.mode}
                disabled={lane.isRunning}
                onChange={(mode) =>
                  changeSide(conversation, at === 0 ? 0 : 1, ({ setup }) => ({ setup: { ...setup, mode } }))
                }
              />
              {isTwo && at === 1 && (
                <DraftFields
                  draft={sides[1].setup.draft}
                  onChange={(draft) =>
                    changeSide(conversation, 1, ({ setup }) => ({ setup: { ...setup, draft } }))
                  }
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
            value={typed}
            disabled={!mayAsk}
            onChange={(event) => changeConversation(conversation, { typed: event.currentTarget.value })}
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
              onClick={stop}
              title={t('playground.stopHint')}
            >
              {t('playground.stop')}
            </Button>
          ) : (
            <Button
              type="submit"
              leftSection={<Send size={14} aria-hidden />}
              disabled={typed.trim() === '' || !mayAsk}
            >
              {t('playground.ask')}
            </Button>
          )}
        </form>
        <VisuallyHidden role="status">{isRunning ? t('playground.answering') : ''}</VisuallyHidden>
      </Panel>
      <Suspense>
        {saving && (
          <SaveCheck server={server.slug} draft={checkDraftOf(saving)} onClose={() => setSaving(null)} />
        )}
      </Suspense>
    </>
  );
}

/** While an answer arrives, keeps its end in view for a user who is at the end of the page. */
function useFollow(isRunning: boolean, shown: unknown): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - scrollTop < followPx;
    };
    onScroll();
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isRunning && isAtEnd.current) scrollTo({ top: document.documentElement.scrollHeight });
  }, [isRunning, shown]);
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
    </section>
  );
}
