import { Alert, Badge, Button, Checkbox, Select, Text, UnstyledButton } from '@mantine/core';
import { Info, ListChecks } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import type { ImportResult, ReportLine } from '../../../api/resources.ts';
import { ModeCosts } from '../../../components/cost/ModeCosts.tsx';
import { sharesOf } from '../../../components/cost/token-shares.ts';
import { TokenShares } from '../../../components/cost/TokenShares.tsx';
import { EmptyState } from '../../../components/feedback/EmptyState.tsx';
import layout from '../../../components/Layout.module.css';
import { Facts } from '../../../components/display/Facts.tsx';
import { MethodBadge } from '../../../components/display/MethodBadge.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { ProblemText } from '../../../components/remedies/ProblemText.tsx';
import { SearchBox } from '../../../components/inputs/SearchBox.tsx';
import { TwoLines } from '../../../components/tables/TwoLines.tsx';
import { VirtualTable, type Column } from '../../../components/tables/VirtualTable.tsx';
import { useFormats } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/text.tsx';
import { valuesOf } from '../../tools/filter-tools.ts';
import { breaksCallers } from './breaks-callers.ts';
import styles from './PlanView.module.css';
import {
  filterReport,
  groupOf,
  groupsOf,
  partsOf,
  ruleOf,
  type PlanFilter,
  type Selection,
} from './choose.ts';
import { OperationNotes } from './OperationNotes.tsx';
import { given, identityFault, type ApiIdentity } from './api-identity.ts';
import { PlanIdentity } from './PlanIdentity.tsx';

/** The choices made in a plan, as the import takes them. */
export interface Choice {
  readonly api?: string;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly select?: Selection;
}

interface PlanViewProps {
  readonly plan: readonly ImportResult[];
  readonly busy: boolean;
  /** Further options to show before the import. */
  readonly options: ReactNode;
  readonly onBack: () => void;
  /** Plans again with the same options. */
  readonly onPlanAgain: () => void;
  readonly onApply: (choice: Choice) => void;
}

// These have their own form.
const asked = new Set([
  'set_once',
  'server_variable',
  'origin_not_agreed',
  'base_url_unset',
  'authentication_unknown',
]);

const fidelities = ['exact', 'noted', 'skipped'] as const;

/** Shows what an import will do, operation by operation, before it runs. */
export function PlanView({ plan, busy, options, onBack, onPlanAgain, onApply }: PlanViewProps) {
  const t = useText();
  const format = useFormats();
  const report = useMemo(() => [...groupsOf(plan.flatMap((part) => part.report)).values()].flat(), [plan]);
  const changes = useMemo(() => changesOf(plan), [plan]);
  const [left, setLeft] = useState<ReadonlySet<string>>(
    () => new Set(report.filter((line) => !line.selected).map((line) => line.operation)),
  );
  const single = plan.length === 1;
  const isAgain = plan.some((part) => !part.isNewApi);
  const [identity, setIdentity] = useState<ApiIdentity>({});
  const [filter, setFilter] = useState<PlanFilter>({ search: '', method: null, tag: null, fidelity: null });
  const shown = useMemo(() => filterReport(report, filter), [report, filter]);
  const methods = useMemo(() => valuesOf(report.map((line) => partsOf(line.operation).method)), [report]);
  const tags = useMemo(() => valuesOf(report.flatMap((line) => line.tags)), [report]);
  const usable = useMemo(() => report.filter((line) => line.fidelity !== 'skipped'), [report]);
  const chosen = usable.filter((line) => !left.has(line.operation));
  const shownUsable = shown.filter((line) => line.fidelity !== 'skipped');
  const allShown = shownUsable.length > 0 && shownUsable.every((line) => !left.has(line.operation));
  const [rule, setRule] = useState<Selection | null>(null);
  const [opened, setOpened] = useState<ReportLine | null>(null);
  const onlyShown = () => {
    const kept = new Set(shownUsable.map((line) => line.operation));
    setLeft(new Set(report.map((line) => line.operation).filter((operation) => !kept.has(operation))));
    setRule(ruleOf(filter));
  };
  const leaveOut = (lines: readonly ReportLine[], out: boolean) => {
    setRule(null);
    const next = new Set(left);
    for (const line of lines) {
      if (out) next.add(line.operation);
      else next.delete(line.operation);
    }
    setLeft(next);
  };
  const tokens = chosen.reduce((sum, line) => sum + (line.tokens ?? 0), 0);
  const budget = plan[0]?.cost.budget ?? 0;
  const search = Math.max(0, ...plan.map((part) => part.cost.search));
  const shares = useMemo(
    () =>
      sharesOf(
        usable.filter((line) => !left.has(line.operation)),
        (line) => line.tokens ?? 0,
        (line) => line.tags,
      ),
    [usable, left],
  );
  const apply = () =>
    onApply({
      ...(single && given(identity, plan[0]!)),
      ...(chosen.length < usable.length && {
        select: rule ?? { operations: chosen.map((line) => line.operation) },
      }),
    });
  const columns: Column<ReportLine>[] = [
    {
      id: 'chosen',
      name: (
        <Checkbox
          size="xs"
          aria-label={t('add.selectShown')}
          checked={allShown}
          indeterminate={!allShown && shownUsable.some((line) => !left.has(line.operation))}
          onChange={() => leaveOut(shownUsable, allShown)}
        />
      ),
      width: '22px',
      cell: (line) => (
        <Checkbox
          size="xs"
          aria-label={t('tools.select', { name: line.operation })}
          disabled={line.fidelity === 'skipped'}
          checked={line.fidelity !== 'skipped' && !left.has(line.operation)}
          onChange={() => leaveOut([line], !left.has(line.operation))}
        />
      ),
    },
    {
      id: 'method',
      name: t('common.method'),
      width: '64px',
      cell: (line) => <MethodBadge method={partsOf(line.operation).method} />,
    },
    {
      id: 'path',
      name: t('common.path'),
      width: 'minmax(150px, 2fr)',
      sortBy: (line) => partsOf(line.operation).path,
      cell: (line) => (
        <TwoLines
          first={
            <UnstyledButton
              className={styles.path}
              title={line.operation}
              aria-label={t('add.seeNotes', { operation: line.operation })}
              onClick={() => setOpened(line)}
            >
              {partsOf(line.operation).path}
            </UnstyledButton>
          }
          second={line.description}
        />
      ),
    },
    {
      id: 'tool',
      name: t('add.tool'),
      width: 'minmax(110px, 1fr)',
      wideOnly: true,
      cell: (line) => (
        <TwoLines
          first={line.tool ?? '–'}
          second={line.fidelity === 'exact' ? null : line.notes.map((note) => note.message).join(' · ')}
        />
      ),
    },
    {
      id: 'fidelity',
      name: t(isAgain ? 'add.change' : 'add.fidelity'),
      width: '112px',
      wideOnly: true,
      cell: (line) => {
        const change = isAgain ? changes.get(line.operation) : undefined;
        if (change !== undefined && line.fidelity !== 'skipped')
          return (
            <Badge color={change === 'breaks' ? 'red' : change === 'added' ? 'green' : 'yellow'}>
              {t(change === 'breaks' ? 'add.breaks' : `add.change.${change}`)}
            </Badge>
          );
        return line.fidelity === 'exact' ? null : (
          <Badge color={line.fidelity === 'noted' ? 'yellow' : 'red'}>{t(`add.${line.fidelity}`)}</Badge>
        );
      },
    },
    {
      id: 'tokens',
      name: t('tools.tokens'),
      width: '66px',
      align: 'end',
      sortBy: (line) => line.tokens ?? 0,
      cell: (line) => (line.tokens === undefined ? '–' : format.compact(line.tokens)),
    },
  ];
  const inGroup = useMemo(() => groupsOf(shown), [shown]);
  const groupHead = (group: string) => {
    const lines = (inGroup.get(group) ?? []).filter((line) => line.fidelity !== 'skipped');
    const taken = lines.filter((line) => !left.has(line.operation)).length;
    return (
      <Checkbox
        size="xs"
        label={`${group} · ${taken} / ${lines.length}`}
        checked={lines.length > 0 && taken === lines.length}
        indeterminate={taken > 0 && taken < lines.length}
        disabled={lines.length === 0}
        onChange={() => leaveOut(lines, taken === lines.length)}
      />
    );
  };
  return (
    <>
      <div className={layout.aside}>
        <div className={layout.column}>
          <Panel flush title={t('add.planTitle')} lead={t('add.planLead')}>
            <div className={layout.bar}>
              <SearchBox
                label={t('add.search')}
                value={filter.search}
                onChange={(typed) => setFilter((before) => ({ ...before, search: typed }))}
              />
              {tags.length > 0 && (
                <Select
                  aria-label={t('common.tag')}
                  placeholder={t('common.tag')}
                  w={150}
                  clearable
                  searchable
                  data={tags}
                  value={filter.tag}
                  onChange={(tag) => setFilter({ ...filter, tag })}
                />
              )}
              <Select
                aria-label={t('common.method')}
                placeholder={t('common.method')}
                w={116}
                clearable
                data={methods.filter(Boolean)}
                value={filter.method}
                onChange={(method) => setFilter({ ...filter, method })}
              />
              <Select
                aria-label={t('add.fidelity')}
                placeholder={t('add.fidelity')}
                w={136}
                clearable
                data={fidelities.map((value) => ({ value, label: t(`add.${value}`) }))}
                value={filter.fidelity}
                onChange={(fidelity) => setFilter({ ...filter, fidelity: fidelity })}
              />
              {shown.length < report.length && (
                <Button variant="light" disabled={shownUsable.length === 0} onClick={onlyShown}>
                  {t('add.onlyShown', { count: shownUsable.length })}
                </Button>
              )}
            </div>
            {rule && (
              <Text size="sm" c="dimmed" px="md" py={8}>
                {t('add.ruleKept', { rule: ruleText(rule) })}
              </Text>
            )}
            {shown.length === 0 ? (
              <EmptyState icon={ListChecks} title={t('common.nothingFound')} />
            ) : (
              <VirtualTable
                label={t('add.planTitle')}
                rows={shown}
                columns={columns}
                keyOf={(line) => `${line.operation}${line.at}`}
                rowHeight={50}
                groupOf={groupOf}
                groupHead={groupHead}
                height="max(420px, calc(100dvh - 330px))"
                onOpen={setOpened}
              />
            )}
          </Panel>
        </div>
        <div className={`${layout.column} ${layout.rail}`}>
          {single && <PlanIdentity plan={plan[0]!} value={identity} onChange={setIdentity} />}
          {plan
            .flatMap((part) => part.notes)
            .filter(({ code }) => !single || !asked.has(code))
            .slice(0, 5)
            .map((note, at) => (
              <Alert
                key={`${at}${note.code}`}
                color={note.code === 'base_url_refused' ? 'orange' : 'blue'}
                icon={<Info size={16} aria-hidden />}
              >
                <ProblemText message={note.message} retry={onPlanAgain} />
              </Alert>
            ))}
          <Panel title={t('add.summary')}>
            <Facts
              facts={[
                [t('add.operations'), format.number(report.length)],
                ...fidelities.map((fidelity): [string, string] => [
                  t(`add.${fidelity}`),
                  format.number(report.filter((line) => line.fidelity === fidelity).length),
                ]),
                ...(isAgain
                  ? (['changed', 'removed', 'unchanged'] as const).map((change): [string, string] => [
                      t(`add.change.${change}`),
                      format.number(plan.reduce((sum, part) => sum + part[change].length, 0)),
                    ])
                  : []),
              ]}
            />
          </Panel>
          <Panel title={t('cost.planTitle')} lead={t('cost.planLead')}>
            <div className={layout.split}>
              <div aria-live="polite">
                <ModeCosts tokens={{ direct: tokens, search }} used={tokens > budget ? 'search' : 'direct'} />
                <Text size="sm" c="dimmed" mt="sm">
                  {t(tokens > budget ? 'cost.planSearched' : 'cost.planListed', {
                    budget: t('common.tokens', { count: format.number(budget) }),
                  })}
                </Text>
              </div>
              <TokenShares
                shares={shares}
                chosen={filter.tag}
                onChoose={(tag) => setFilter((before) => ({ ...before, tag }))}
              />
            </div>
          </Panel>
          {options}
        </div>
      </div>
      {opened && <OperationNotes line={opened} onClose={() => setOpened(null)} />}
      <div className={styles.actions}>
        <Button variant="default" onClick={onBack}>
          {t('common.back')}
        </Button>
        <Button
          onClick={apply}
          loading={busy}
          disabled={chosen.length === 0 || (single && identityFault(identity, plan[0]!) !== null)}
        >
          {t('add.apply', { count: chosen.length })}
        </Button>
      </div>
    </>
  );
}

/** What an import does to the tools of operations that it changes or adds. */
function changesOf(plan: readonly ImportResult[]): ReadonlyMap<string, 'added' | 'changed' | 'breaks'> {
  return new Map(
    plan.flatMap((part) => [
      ...part.added.map(({ operation }) => [operation, 'added'] as const),
      ...part.changed.map(
        ({ operation, fields }) => [operation, breaksCallers(fields) ? 'breaks' : 'changed'] as const,
      ),
    ]),
  );
}

function ruleText(rule: Selection): string {
  return Object.entries(rule)
    .map(([list, values]) => `${list.slice(0, -1)}:${values.join(', ')}`)
    .join(' · ');
}
