import { Alert, Button, Group, Loader, Textarea } from '@mantine/core';
import {
  ChevronLeft,
  ChevronRight,
  GitBranch,
  Pencil,
  RefreshCw,
  ShieldCheck,
  TriangleAlert,
} from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Markdown } from '../../components/display/Markdown.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { CallCard } from './CallCard.tsx';
import { callCount, branchesOf, type Exchange } from './exchange.ts';
import type { Lane } from './conversations.ts';
import styles from './Playground.module.css';

interface ExchangeProps {
  readonly exchange: Exchange;
  readonly lane: Lane;
  readonly currency: string;
  readonly onAgain: (question: string) => void;
  readonly onSave: () => void;
}

/** A question, what the model did, and follow-up actions. */
export function ExchangeView({ exchange, lane, currency, onAgain, onSave }: ExchangeProps) {
  const { t } = useLanguage();
  const [edited, setEdited] = useState<string | null>(null);
  const isRunning = exchange.state === 'running';
  const branches = branchesOf(lane.exchanges, exchange);
  const at = branches.findIndex(({ id }) => id === exchange.id);
  const isLast = lane.path.at(-1)?.id === exchange.id;
  return (
    <article className={styles.exchange} aria-label={exchange.question}>
      {edited === null ? (
        <p className={styles.question}>{exchange.question}</p>
      ) : (
        <form
          className={styles.edit}
          onSubmit={(event) => {
            event.preventDefault();
            setEdited(null);
            onAgain(edited);
          }}
        >
          <Textarea
            autosize
            aria-label={t('playground.question')}
            value={edited}
            onChange={(event) => setEdited(event.currentTarget.value)}
            autoFocus
            onFocus={(event) => event.currentTarget.setSelectionRange(edited.length, edited.length)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              setEdited(null);
            }}
          />
          <Group gap="xs">
            <Button type="submit" size="xs" disabled={edited.trim() === '' || lane.isRunning}>
              {t('playground.ask')}
            </Button>
            <Button size="xs" variant="default" onClick={() => setEdited(null)}>
              {t('common.cancel')}
            </Button>
          </Group>
        </form>
      )}
      <div className={styles.answer} aria-live="polite" aria-busy={isRunning}>
        {exchange.parts.map((part, index) =>
          part.kind === 'call' ? (
            <CallCard key={index} call={part} />
          ) : (
            part.text !== '' && <Markdown key={index} text={part.text} />
          ),
        )}
        {isRunning && <Loader role="img" size="sm" type="dots" aria-label={t('playground.answering')} />}
        <Ending exchange={exchange} />
      </div>
      <footer className={styles.foot}>
        <Numbers exchange={exchange} currency={currency} />
        {!isRunning && (
          <Group gap={4}>
            {branches.length > 1 && (
              <span className={styles.branches}>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={t('playground.earlierBranch')}
                  disabled={at === 0}
                  onClick={() => lane.show(branches[at - 1]!.id)}
                >
                  <ChevronLeft size={14} aria-hidden />
                </Button>
                {at + 1}/{branches.length}
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={t('playground.laterBranch')}
                  disabled={at + 1 === branches.length}
                  onClick={() => lane.show(branches[at + 1]!.id)}
                >
                  <ChevronRight size={14} aria-hidden />
                </Button>
              </span>
            )}
            <Action icon={RefreshCw} name={t('playground.retry')} onDo={() => onAgain(exchange.question)} />
            <Action icon={Pencil} name={t('playground.edit')} onDo={() => setEdited(exchange.question)} />
            {!isLast && (
              <Action
                icon={GitBranch}
                name={t('playground.branch')}
                onDo={() => lane.branchFrom(exchange.id)}
              />
            )}
            <Action icon={ShieldCheck} name={t('playground.saveCheck')} onDo={onSave} />
          </Group>
        )}
      </footer>
    </article>
  );
}

function Action({ icon: Icon, name, onDo }: { icon: typeof Pencil; name: string; onDo: () => void }) {
  return (
    <Button size="compact-xs" variant="subtle" leftSection={<Icon size={13} aria-hidden />} onClick={onDo}>
      {name}
    </Button>
  );
}

function Ending({ exchange }: { exchange: Exchange }) {
  const { t, has } = useLanguage();
  const { error, reason, state, turns } = exchange;
  if (error !== null)
    return (
      <Alert color="red" icon={<TriangleAlert size={16} aria-hidden />} role="alert">
        {error}
      </Alert>
    );
  const key = `playground.end.${reason}`;
  return state === 'ended' && has(key) ? <p className={styles.end}>{t(key, { turns })}</p> : null;
}

function Numbers({ exchange, currency }: { exchange: Exchange; currency: string }) {
  const { t, language } = useLanguage();
  const format = useFormats();
  const { tokens, cost, turns, durationMs, isEstimated, runId, state } = exchange;
  const money = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 5 });
  return (
    <p className={styles.numbers}>
      {isEstimated ? '≈ ' : ''}
      {t('playground.tokens', { count: tokens.input + tokens.output })} ·{' '}
      {t('playground.calls', { count: callCount(exchange) })} · {t('playground.turns', { count: turns })}
      {state === 'ended' && ` · ${format.duration(durationMs)}`}
      {cost !== null && ` · ${money.format(cost)}`}
      {state === 'ended' && runId !== '' && (
        <>
          {' · '}
          <Link href={`/calls/${runId}`}>{t('playground.record')}</Link>
        </>
      )}
    </p>
  );
}
