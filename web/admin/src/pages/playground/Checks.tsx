import { Badge, Button, Group, Stack, UnstyledButton } from '@mantine/core';
import { Play, ShieldCheck, Square, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useChange, useGet } from '../../api/queries.ts';
import type { Check, CheckRun, Model, Server } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { type Draft, DraftFields, draftOf } from './DraftFields.tsx';
import { draftOfCheck } from './check-draft.ts';
import styles from './Playground.module.css';

const SaveCheck = lazy(() => import('./SaveCheck.tsx'));

const lookEveryMs = 1_000;

/** The checks of a server, their latest results, and the score of every version. */
export function Checks({ server, model }: { server: Server; model: Model }) {
  const t = useText();
  const params = { server: server.slug };
  const checks = useGet('/servers/:server/checks', { params });
  const [draft, setDraft] = useState<Draft>({ tool: '', description: '', instructions: '' });
  const [isWatching, setWatching] = useState(false);
  const runs = useGet(
    '/servers/:server/check-runs',
    { params, query: { limit: 20 } },
    isWatching ? { everyMs: lookEveryMs } : {},
  );
  const start = useChange('POST', '/servers/:server/check-runs', ['/servers/:server/check-runs']);
  const stop = useChange('POST', '/check-runs/:run/stop', ['/servers/:server/check-runs']);
  const [latest, ...earlier] = runs.data?.items ?? [];
  const isRunning = latest?.state === 'running';
  if (isWatching !== isRunning && runs.data !== undefined && !start.isPending) setWatching(isRunning);
  const [shownId, setShownId] = useState<string | null>(null);
  const shown = runs.data?.items.find(({ id }) => id === shownId) ?? latest;
  const [edited, setEdited] = useState<Check | 'new' | null>(null);
  const run = (only?: string) => {
    const given = draftOf(draft);
    setShownId(null);
    start.mutate(
      {
        params,
        body: {
          model: model.id,
          ...(given && { draft: given }),
          ...(only !== undefined && { checks: [only] }),
        },
      },
      { onSuccess: () => setWatching(true), onError: toastProblem },
    );
  };
  const form = edited !== null && (
    <Suspense>
      <SaveCheck
        server={server.slug}
        draft={edited === 'new' ? { question: '', calls: [], usedTokens: 0 } : draftOfCheck(edited)}
        {...(edited !== 'new' && { check: edited })}
        onClose={() => setEdited(null)}
      />
    </Suspense>
  );
  const newCheck = (
    <RequireRole>
      <Button size="xs" variant="default" onClick={() => setEdited('new')}>
        {t('playground.newCheck')}
      </Button>
    </RequireRole>
  );
  return (
    <Loaded query={checks}>
      {({ items }) =>
        items.length === 0 ? (
          <Panel>
            <EmptyState
              icon={ShieldCheck}
              title={t('playground.noChecks')}
              text={t('playground.noChecksText')}
              action={newCheck}
            />
            {form}
          </Panel>
        ) : (
          <Stack gap="md">
            <Panel
              title={t('playground.checks')}
              lead={t('playground.checksLead')}
              flush
              actions={
                <RequireRole>
                  {newCheck}
                  {isRunning ? (
                    <Button
                      size="xs"
                      color="red"
                      leftSection={<Square size={14} aria-hidden />}
                      onClick={() => stop.mutate({ params: { run: latest.id } }, { onError: toastProblem })}
                    >
                      {t('playground.stop')}
                    </Button>
                  ) : (
                    <Button
                      size="xs"
                      leftSection={<Play size={14} aria-hidden />}
                      loading={start.isPending}
                      onClick={() => run()}
                    >
                      {t('playground.runChecks')}
                    </Button>
                  )}
                </RequireRole>
              }
            >
              <RowList>
                {items.map((check) => (
                  <CheckRow
                    key={check.id}
                    check={check}
                    onEdit={() => setEdited(check)}
                    {...(!isRunning && { onRun: () => run(check.id) })}
                  />
                ))}
              </RowList>
              {form}
            </Panel>
            <RequireRole>
              <Panel title={t('playground.proposal')} lead={t('playground.proposalLead')}>
                <DraftFields draft={draft} onChange={setDraft} />
              </Panel>
            </RequireRole>
            {shown && <RunPanel run={shown} isLatest={shown === latest} />}
            {earlier.length > 0 && (
              <History runs={runs.data?.items ?? []} shown={shown?.id} onShow={setShownId} />
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}

function CheckRow({ check, onEdit, onRun }: { check: Check; onEdit: () => void; onRun?: () => void }) {
  const t = useText();
  const remove = useChange('DELETE', '/checks/:check', ['/servers/:server/checks']);
  return (
    <Row
      name={check.name}
      note={check.question}
      side={
        <RequireRole>
          <Button
            size="xs"
            variant="default"
            leftSection={<Play size={13} aria-hidden />}
            aria-label={`${t('playground.runOne')}: ${check.name}`}
            disabled={onRun === undefined}
            onClick={onRun}
          >
            {t('playground.runOne')}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('common.edit')}: ${check.name}`}
            onClick={onEdit}
          >
            {t('common.edit')}
          </Button>
          <Button
            size="xs"
            px={7}
            variant="default"
            aria-label={`${t('common.delete')}: ${check.name}`}
            onClick={() => remove.mutate({ params: { check: check.id } }, { onError: toastProblem })}
          >
            <Trash2 size={15} aria-hidden />
          </Button>
        </RequireRole>
      }
    />
  );
}

/** Whether a check was stopped, or its model could not be asked: it says nothing about the server. */
const isOut = ({ reason }: CheckRun['variants'][number]['results'][number]): boolean =>
  reason === 'stopped' || reason === 'failed';

function scoreColor(run: CheckRun, { passed, total }: CheckRun['variants'][number]): string {
  if (total === 0) return 'gray';
  return passed === total || run.state === 'running' ? 'green' : 'orange';
}

/** The latest run, check by check; with a draft, both variants side by side. */
function RunPanel({ run, isLatest }: { run: CheckRun; isLatest: boolean }) {
  const t = useText();
  const format = useFormats();
  return (
    <Panel
      title={t(isLatest ? 'playground.lastRun' : 'playground.earlierRun')}
      lead={`${run.model} · ${format.moment(run.startedAt)} · ${t(`playground.state.${run.state}`)}`}
    >
      <div className={styles.lanes} data-two={run.variants.length > 1 || undefined} aria-live="polite">
        {run.variants.map((variant) => (
          <section key={variant.of} aria-label={t(`playground.of.${variant.of}`)}>
            <Group gap="xs" mb="xs">
              <strong>{t(`playground.of.${variant.of}`)}</strong>
              <Badge color={scoreColor(run, variant)} className={styles.score}>
                {variant.passed}/{variant.total}
              </Badge>
              {run.state !== 'running' && variant.notRun > 0 && (
                <span>{t('playground.notRunCount', { count: variant.notRun })}</span>
              )}
              <code>{variant.version}</code>
            </Group>
            {variant.results.map((result) => (
              <div key={result.checkId} className={styles.exchange}>
                <Badge color={result.passed ? 'green' : isOut(result) ? 'gray' : 'red'}>
                  {t(
                    result.passed
                      ? 'playground.passed'
                      : isOut(result)
                        ? 'playground.notRun'
                        : 'playground.failed',
                  )}
                </Badge>{' '}
                <Link href={`/calls/${result.runId}`}>{result.name}</Link>
                <p className={styles.numbers}>
                  {t('playground.tokens', { count: result.tokens.input + result.tokens.output })} ·{' '}
                  {t('playground.calls', { count: result.calls.length })} ·{' '}
                  {format.duration(result.durationMs)}
                </p>
                {result.problems.length > 0 && (
                  <ul className={styles.problems}>
                    {result.problems.map((problem) => (
                      <li key={problem}>{problem}</li>
                    ))}
                  </ul>
                )}
              </div>
            ))}
          </section>
        ))}
      </div>
    </Panel>
  );
}

/** The score of every version that was checked. */
function History({
  runs,
  shown,
  onShow,
}: {
  runs: readonly CheckRun[];
  /** The id of the run that is shown above. */
  shown: string | undefined;
  onShow: (id: string) => void;
}) {
  const t = useText();
  const format = useFormats();
  return (
    <Panel title={t('playground.history')} flush>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('playground.when')}</th>
              <th scope="col">{t('playground.version')}</th>
              <th scope="col">{t('playground.model')}</th>
              <th scope="col">{t('playground.score')}</th>
              <th scope="col">{t('playground.tokensHead')}</th>
            </tr>
          </thead>
          <tbody>
            {runs.flatMap((run) =>
              run.variants.map((variant) => (
                <tr key={`${run.id} ${variant.of}`}>
                  <td>
                    <UnstyledButton
                      fz="inherit"
                      c="var(--app-accent)"
                      aria-pressed={run.id === shown}
                      onClick={() => onShow(run.id)}
                    >
                      {format.moment(run.startedAt)}
                    </UnstyledButton>
                  </td>
                  <td>
                    <code>{variant.version}</code>
                    {variant.of === 'draft' && ` (${t('playground.of.draft')})`}
                  </td>
                  <td>{run.model}</td>
                  <td className={styles.score}>
                    {variant.passed}/{variant.total}
                    {run.state !== 'running' && variant.notRun > 0 && (
                      <> · {t('playground.notRunCount', { count: variant.notRun })}</>
                    )}
                  </td>
                  <td>{format.number(variant.tokens.input + variant.tokens.output)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
