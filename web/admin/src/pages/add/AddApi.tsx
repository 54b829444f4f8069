import { Alert } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, Lock, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import type { ImportJob, OpenImportJob } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { LoadFailure } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { ProblemText } from '../../components/remedies/ProblemText.tsx';
import { useText } from '../../i18n/text.tsx';
import { AfterImport, type LaterStep, laterSteps } from './AfterImport.tsx';
import { ImportProgress } from './ImportProgress.tsx';
import { givenOptions, type ImportOptions, importOptionsOf } from './options.ts';
import { OptionsForm } from './OptionsForm.tsx';
import { PlanQuestions } from './plan/PlanQuestions.tsx';
import { PlanView, type Choice } from './plan/PlanView.tsx';
import { labelOf, packLongText, type Source } from './source.ts';
import { SourceForm } from './SourceForm.tsx';
import styles from './AddApi.module.css';

// A plan is usually ready within a second.
const pollEveryMs = 400;

const wizardSteps = ['source', 'plan', ...laterSteps] as const;
type WizardStep = (typeof wizardSteps)[number];

/**
 * From an API description to a published server: read it, review the plan, add the credential, publish, see the first
 * call. The import is a job of the gateway: this page only shows the one that its address names.
 */
export default function AddApi() {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const queries = useQueryClient();
  // In the URL, so that Back goes to the previous step, Forward to the plan, and reloading to the same import.
  const [search, setSearch] = useSearchParams();
  const id = search.get('import');
  const job = useGet(
    '/import-jobs/:job',
    { params: { job: id ?? '' } },
    { enabled: id !== null, everyMs: (shown) => (shown?.state === 'running' ? pollEveryMs : false) },
  );
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const follow = (started: ImportJob) => {
    queries.setQueryData(
      ['/import-jobs/:job', { job: started.id }, undefined],
      (before: OpenImportJob | undefined) => ({
        options: before?.options ?? {},
        result: before?.result ?? null,
        ...started,
      }),
    );
    void queries.invalidateQueries({ queryKey: ['/import-jobs'] });
    void queries.invalidateQueries({ queryKey: ['/import-jobs/:job'] });
  };
  const start = useMutation({
    mutationFn: async (source: Source) => {
      const label = labelOf(source) ?? t('add.pastedText');
      return request('POST', '/import-jobs', { body: { ...(await packLongText(source)), label } });
    },
    onSuccess: (started) => {
      // Another source on the same page replaces what was planned, unless it was added.
      if (job.data && job.data.state !== 'applied') remove(job.data.id);
      follow(started);
      // Don't interrupt a user who has gone elsewhere: the import continues, and the tray shows it.
      if (isOpen.current) setSearch({ import: started.id }, { replace: true });
    },
  });
  const remove = (forgotten: string) =>
    void request('DELETE', '/import-jobs/:job', { params: { job: forgotten } })
      .catch(toastProblem)
      .finally(() => void queries.invalidateQueries({ queryKey: ['/import-jobs'] }));
  const cancel = () => {
    if (job.data === undefined) return;
    remove(job.data.id);
    setSearch({}, { replace: true });
  };
  const run = useMutation({
    mutationFn: ({ options, dryRun, ...choice }: Choice & { options: ImportOptions; dryRun: boolean }) =>
      request('POST', '/import-jobs/:job', {
        params: { job: id! },
        body: { ...givenOptions(options), ...choice, dryRun },
      }),
    onSuccess: follow,
    onError: toastProblem,
  });
  const state = job.data?.state;
  // Shows each finished plan once; going back from it stays there.
  const shownPlan = useRef<string | null>(null);
  useEffect(() => {
    if (state === 'planned' && search.get('step') === null && shownPlan.current !== id) {
      shownPlan.current = id;
      setSearch({ import: id!, step: 'plan' });
    }
  }, [state, id, search, setSearch]);
  const shown = stepOf(search.get('step'), job.data);
  if (!mayEdit)
    return (
      <Page title={t('nav.add')} edits="editor">
        <Panel>
          <EmptyState icon={Lock} title={t('add.editorsOnly')} text={t('add.editorsOnlyText')} />
        </Panel>
      </Page>
    );
  const failure = job.data?.state === 'failed' ? (job.data.message ?? '') : null;
  return (
    <Page title={t('nav.add')} lead={t('add.lead')}>
      <WizardSteps at={shown} />
      {(start.isPending || (state === 'running' && (shown === 'source' || job.data?.dryRun === false))) && (
        <ImportProgress job={start.isPending ? undefined : job.data} onCancel={cancel} />
      )}
      {job.error && <LoadFailure error={job.error} retry={() => setSearch({})} />}
      {shown === 'source' && (
        <SourceForm
          busy={start.isPending || state === 'running'}
          problem={start.error ?? (failure === null ? null : new Error(failure))}
          onSource={(source) => start.mutate(source)}
          onRetry={failure === null ? undefined : () => run.mutate({ options: {}, dryRun: true })}
        />
      )}
      {shown === 'plan' && job.data?.result && (
        <>
          {failure !== null && (
            <Alert color="red" icon={<TriangleAlert size={16} aria-hidden />} title={t('add.notAdded')}>
              <ProblemText message={failure} />
            </Alert>
          )}
          <Plan
            key={job.data.id}
            job={job.data}
            result={job.data.result}
            busy={run.isPending || state === 'running'}
            onRun={(wanted) => run.mutate(wanted)}
          />
        </>
      )}
      {shown !== 'source' && shown !== 'plan' && job.data && (
        <AfterImport
          job={job.data}
          step={search.get('step') === shown ? shown : null}
          at={Number(search.get('at') ?? 0)}
          onStep={(step, at) =>
            setSearch(
              { import: job.data.id, step, ...(at !== undefined && { at: `${at}` }) },
              { replace: true },
            )
          }
        />
      )}
    </Page>
  );
}

/** The step to show: what the address asks for, if the import is that far. */
function stepOf(asked: string | null, job: OpenImportJob | undefined): WizardStep {
  if (job?.state === 'applied')
    return laterSteps.includes(asked as LaterStep) ? (asked as LaterStep) : laterSteps[0];
  const hasPlan = job !== undefined && job.result !== null;
  return hasPlan && (asked === 'plan' || !job.dryRun) ? 'plan' : 'source';
}

/** The plan with its options, each change of which plans again. */
function Plan({
  job,
  result,
  busy,
  onRun,
}: {
  job: OpenImportJob;
  result: NonNullable<OpenImportJob['result']>;
  busy: boolean;
  onRun: (wanted: Choice & { options: ImportOptions; dryRun: boolean }) => void;
}) {
  const [options, setOptions] = useState<ImportOptions>(() => importOptionsOf(job.options));
  // Every host of a recording, even after one was selected.
  const [hosts] = useState(() => [...new Set(result.imports.map(({ baseUrl }) => new URL(baseUrl).host))]);
  const planAgain = useDebouncedCallback(
    (next: ImportOptions) => onRun({ options: next, dryRun: true }),
    600,
  );
  const change = (changes: ImportOptions) => {
    const next = { ...options, ...changes };
    setOptions(next);
    planAgain(next);
  };
  return (
    <PlanView
      plan={result.imports}
      busy={busy}
      options={
        <>
          <PlanQuestions plan={result.imports} hosts={hosts} value={options} onChange={change} />
          <OptionsForm value={options} hasAddress={job.hasAddress} onChange={change} />
        </>
      }
      onBack={() => history.back()}
      onPlanAgain={() => onRun({ options, dryRun: true })}
      onApply={(choice) => onRun({ ...choice, options, dryRun: false })}
    />
  );
}

/** The progress through the steps. */
function WizardSteps({ at }: { at: WizardStep }) {
  const t = useText();
  const here = wizardSteps.indexOf(at);
  return (
    <ol className={styles.steps}>
      {wizardSteps.map((step, index) => (
        <li
          key={step}
          className={styles.step}
          data-state={index < here ? 'past' : index === here ? 'here' : 'ahead'}
          aria-current={index === here ? 'step' : undefined}
        >
          <span className={styles.number}>{index < here ? <Check size={13} aria-hidden /> : index + 1}</span>
          <span className={styles.name}>{t(`add.step.${step}`)}</span>
        </li>
      ))}
    </ol>
  );
}
