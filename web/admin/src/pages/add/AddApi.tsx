import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, Lock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../api/client.ts';
import type { Api, ImportResult } from '../../api/resources.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { PublishForm, type PublishedServer } from '../publish/PublishForm.tsx';
import { CredentialStep } from './CredentialStep.tsx';
import { ImportFinished } from './ImportFinished.tsx';
import { givenOptions, type ImportOptions } from './options.ts';
import { OptionsForm } from './OptionsForm.tsx';
import { PlanQuestions } from './plan/PlanQuestions.tsx';
import { PlanView, type Choice } from './plan/PlanView.tsx';
import { ImportProgress } from './ImportProgress.tsx';
import { packLongText, type Source } from './source.ts';
import { SourceForm } from './SourceForm.tsx';
import styles from './AddApi.module.css';

type ImportStep =
  | { readonly step: 'source' }
  | { readonly step: 'plan'; readonly source: Source; readonly plan: ImportResult[] }
  | { readonly step: 'credential'; readonly added: AddedApis; readonly at: number }
  | { readonly step: 'publish'; readonly added: AddedApis }
  | { readonly step: 'done'; readonly added: AddedApis; readonly published: PublishedServer | null };

/** The result of an import. */
interface AddedApis {
  readonly apis: readonly (Api & { readonly isNew: boolean })[];
  /** Of the first API. */
  readonly tool: string | null;
}

const wasCanceled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/**
 * From an API description to a published server: read it, review the plan, add the credential, publish, see the first
 * call.
 */
export default function AddApi() {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const queries = useQueryClient();
  const [at, setAt] = useState<ImportStep>({ step: 'source' });
  // In the URL, so that Back goes to the previous step and Forward to the plan.
  const [search, setSearch] = useSearchParams();
  const asked = search.get('step');
  const shown = asked === at.step ? at.step : 'source';
  const latest = useRef<ImportStep['step']>('source');
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const go = (next: ImportStep, how?: { replace: boolean }) => {
    // Don't interrupt a user who has moved to another step.
    if (!isOpen.current) return;
    latest.current = next.step;
    setAt(next);
    const isThere = new URLSearchParams(location.search).get('step') === next.step;
    if (!isThere) setSearch({ step: next.step }, how);
  };
  const [options, setOptions] = useState<ImportOptions>({});
  const [hosts, setHosts] = useState<string[]>([]);
  const running = useRef(new AbortController());
  // Distinguishes this import's progress from other imports.
  const [reference] = useState(() => Math.random().toString(36).slice(2));
  const send = (body: BodyOf<RouteAt<'POST', '/imports'>>) => {
    running.current = new AbortController();
    return request('POST', '/imports', { body: { ...body, reference }, signal: running.current.signal });
  };
  const plan = useMutation({
    mutationFn: async ({ source, options: given }: { source: Source; options: ImportOptions }) =>
      send({ ...(await packLongText(source)), ...givenOptions(given), dryRun: true }),
    onSuccess: ({ imports }, { source, options: given }) => {
      if (given.host === undefined)
        setHosts([...new Set(imports.map(({ baseUrl }) => new URL(baseUrl).host))]);
      // A plan that was still loading may arrive after the import is done; don't go back to it.
      if (latest.current === 'source' || latest.current === 'plan')
        go({ step: 'plan', source, plan: imports });
    },
  });
  // Options update the plan immediately.
  const planAgain = useDebouncedCallback((source: Source, given: ImportOptions) => {
    plan.mutate({ source, options: given }, { onError: toastProblem });
  }, 600);
  const apply = useMutation({
    mutationFn: async ({ source, choice }: { source: Source; choice: Choice }) =>
      send({ ...(await packLongText(source)), ...givenOptions(options), ...choice, dryRun: false }),
    onError: (error) => wasCanceled(error) || toastProblem(error),
    onSuccess: async ({ imports }) => {
      await queries.invalidateQueries();
      const first = imports[0]!;
      const apis = await Promise.all(
        imports.map(async ({ api, isNewApi }) => ({
          ...(await request('GET', '/apis/:api', { params: { api } })),
          isNew: isNewApi,
        })),
      );
      const tool = first.added[0]?.tool ?? first.changed[0]?.tool ?? first.unchanged[0]?.tool ?? null;
      toCredential({ apis, tool }, 0);
    },
  });
  /** Continues with the next API that may need a credential, and with publishing after the last one. */
  function toCredential(added: AddedApis, from: number): void {
    const next = added.apis.findIndex(
      (api, index) => index >= from && !api.hasCredential && (api.isNew || api.auth.kind !== 'none'),
    );
    go(next === -1 ? { step: 'publish', added } : { step: 'credential', added, at: next }, { replace: true });
  }
  /** Plans the import of a source; after a finished import it is another one, which inherits nothing. */
  function startWith(source: Source): void {
    const isAnother = latest.current !== 'source' && latest.current !== 'plan';
    latest.current = 'source';
    if (isAnother) setOptions({});
    plan.mutate({ source, options: isAnother ? {} : options });
  }
  const change = (source: Source) => (changes: ImportOptions) => {
    const next = { ...options, ...changes };
    setOptions(next);
    planAgain(source, next);
  };
  if (!mayEdit)
    return (
      <Page title={t('nav.add')} edits="editor">
        <Panel>
          <EmptyState icon={Lock} title={t('add.editorsOnly')} text={t('add.editorsOnlyText')} />
        </Panel>
      </Page>
    );
  return (
    <Page title={t('nav.add')} lead={t('add.lead')}>
      <WizardSteps at={shown} />
      {(apply.isPending || (plan.isPending && shown === 'source')) && (
        <ImportProgress reference={reference} onCancel={() => running.current.abort()} />
      )}
      {shown === 'source' && (
        <SourceForm
          busy={plan.isPending}
          problem={wasCanceled(plan.error) ? null : plan.error}
          onSource={startWith}
        />
      )}
      {at.step === 'plan' && shown === 'plan' && (
        <PlanView
          plan={at.plan}
          busy={apply.isPending || plan.isPending}
          options={
            <>
              <PlanQuestions plan={at.plan} hosts={hosts} value={options} onChange={change(at.source)} />
              <OptionsForm
                value={options}
                hasAddress={at.source.url !== undefined}
                onChange={change(at.source)}
              />
            </>
          }
          onBack={() => history.back()}
          onPlanAgain={() => plan.mutate({ source: at.source, options }, { onError: toastProblem })}
          onApply={(choice) => apply.mutate({ source: at.source, choice })}
        />
      )}
      {at.step === 'credential' && shown === 'credential' && (
        <CredentialStep
          key={at.at}
          api={at.added.apis[at.at]!.slug}
          onDone={() => toCredential(at.added, at.at + 1)}
        />
      )}
      {at.step === 'publish' && shown === 'publish' && (
        <PublishForm
          name={at.added.apis[0]!.name}
          rules={at.added.apis.map(({ slug }) => ({ api: slug }))}
          onPublished={(published) => go({ step: 'done', added: at.added, published }, { replace: true })}
          skip={() => go({ step: 'done', added: at.added, published: null }, { replace: true })}
        />
      )}
      {at.step === 'done' && shown === 'done' && (
        <ImportFinished api={at.added.apis[0]!.slug} tool={at.added.tool} published={at.published} />
      )}
    </Page>
  );
}

const wizardSteps = ['source', 'plan', 'credential', 'publish', 'done'] as const;

/** The progress through the steps. */
function WizardSteps({ at }: { at: (typeof wizardSteps)[number] }) {
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
