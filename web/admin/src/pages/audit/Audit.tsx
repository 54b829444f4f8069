import {
  Alert,
  Badge,
  Button,
  Code,
  Collapse,
  Group,
  Pill,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { Braces, ChevronDown, Filter, ScrollText, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { diff } from '#domain/field-changes.ts';
import { useGet, usePages } from '../../api/queries.ts';
import type { AuditEntry, AuditVerification } from '../../api/resources.ts';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { FieldDiff } from '../../components/display/FieldDiff.tsx';
import layout from '../../components/Layout.module.css';
import { LoadFailure, LoadingRows } from '../../components/feedback/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { SearchBox } from '../../components/inputs/SearchBox.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import styles from './Audit.module.css';
import { firstAuditQuery, rangesMs, readFilter, writeFilter, type AuditFilter } from './filter.ts';

const kinds = [
  'api',
  'tool',
  'server',
  'composed-tool',
  'credential',
  'key',
  'personal-key',
  'connected-app',
  'account',
  'person',
  'group',
  'identity-provider',
  'api-token',
  'setting',
] as const;

/** Who changed what, and when. */
export default function Audit() {
  const t = useText();
  const [address, setAddress] = useSearchParams();
  const filter = readFilter(address);
  const narrow = (changes: Partial<Record<keyof AuditFilter, string | null>>) =>
    setAddress(
      (before) =>
        writeFilter(
          Object.fromEntries(
            Object.entries({ ...readFilter(before), ...changes }).filter(([, value]) => value),
          ),
        ),
      { replace: true },
    );
  const actors = useGet('/audit/actors', {});
  const log = usePages('/audit', firstAuditQuery(address, Date.now()));
  const entries = log.items;
  const [isVerifying, setVerifying] = useState(false);
  const verified = useGet('/audit/verification', {}, { enabled: isVerifying });
  const narrowed = Object.keys(filter).length > 0;
  return (
    <Page
      title={t('nav.audit')}
      lead={t('audit.lead')}
      actions={
        <Button
          variant="default"
          leftSection={<ShieldCheck size={16} aria-hidden />}
          loading={verified.isFetching}
          onClick={() => (isVerifying ? void verified.refetch() : setVerifying(true))}
        >
          {t('audit.verify')}
        </Button>
      }
    >
      {verified.error && !verified.isFetching ? (
        <LoadFailure error={verified.error} retry={() => void verified.refetch()} />
      ) : (
        verified.data && <Verified result={verified.data} />
      )}
      <Panel flush>
        <div className={layout.bar}>
          <SearchBox
            label={t('audit.search')}
            value={filter.search ?? ''}
            onChange={(search) => narrow({ search })}
          />
          <SelectInput<string>
            name={t('audit.who')}
            w={150}
            options={(actors.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={filter.actor ?? null}
            onChange={(actor) => narrow({ actor })}
          />
          <SelectInput<string>
            name={t('audit.kind')}
            w={200}
            options={kinds.map((kind) => ({ value: kind, label: t(`audit.kind.${kind}`) }))}
            value={filter.kind ?? null}
            onChange={(kind) => narrow({ kind })}
          />
          <SelectInput<string>
            name={t('common.range')}
            w={140}
            options={Object.keys(rangesMs).map((range) => ({
              value: range,
              label: t(`range.${range as '1h'}`),
            }))}
            value={filter.range ?? null}
            onChange={(range) => narrow({ range })}
          />
          {filter.subject && (
            <Pill
              withRemoveButton
              removeButtonProps={{ 'aria-label': t('calls.removeFilter') }}
              onRemove={() => narrow({ subject: null })}
            >
              {entries?.find((entry) => entry.subject.id === filter.subject)?.subject.name ?? filter.subject}
            </Pill>
          )}
        </div>
        {entries === undefined ? (
          log.error ? (
            <LoadFailure error={log.error} retry={() => void log.refetch()} />
          ) : (
            <LoadingRows rows={9} />
          )
        ) : entries.length === 0 ? (
          narrowed ? (
            <EmptyState icon={ScrollText} title={t('common.nothingFound')} />
          ) : (
            <EmptyState icon={ScrollText} title={t('audit.empty')} text={t('audit.emptyText')} />
          )
        ) : (
          <>
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} onOnly={(subject) => narrow({ subject })} />
            ))}
            {log.hasNextPage && (
              <Button
                m="md"
                variant="default"
                loading={log.isFetchingNextPage}
                onClick={() => void log.fetchNextPage()}
              >
                {t('common.loadMore')}
              </Button>
            )}
          </>
        )}
      </Panel>
    </Page>
  );
}

/** What computing the chain of the log again showed. */
function Verified({ result: { ok, lines, removedUpTo, last, faults } }: { result: AuditVerification }) {
  const t = useText();
  const format = useFormats();
  return (
    <Alert
      role="status"
      color={ok ? 'green' : 'red'}
      icon={ok ? <ShieldCheck aria-hidden /> : <ShieldAlert aria-hidden />}
      title={ok ? t('audit.unchanged', { lines: format.number(lines) }) : t('audit.changed')}
    >
      {faults.map(({ message }) => (
        <Text key={message} size="sm">
          {message}
        </Text>
      ))}
      {removedUpTo > 0 && (
        <Text size="sm">{t('audit.removedUpTo', { line: format.number(removedUpTo) })}</Text>
      )}
      {last.seq > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('audit.newest')} <Code>{`${last.seq}:${last.hash}`}</Code>
        </Text>
      )}
    </Alert>
  );
}

const tones: Readonly<Record<string, string>> = {
  create: 'green',
  delete: 'red',
  refused: 'red',
  update: 'blue',
};

const pages: Readonly<Record<string, string>> = {
  api: '/apis',
  tool: '/tools',
  server: '/servers',
  'composed-tool': '/composed',
};

function Entry({ entry, onOnly }: { entry: AuditEntry; onOnly: (subject: string) => void }) {
  const t = useText();
  const format = useFormats();
  const [open, setOpen] = useState(false);
  const { id, kind } = entry.subject;
  return (
    <div className={styles.entry}>
      <UnstyledButton className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Text span size="sm" c="dimmed" className={styles.time} title={format.moment(entry.at)}>
          {format.ago(entry.at)}
        </Text>
        <Sentence entry={entry} />
        <Badge color={tones[entry.action.split('.').at(-1) ?? ''] ?? 'gray'} className={styles.action}>
          {entry.action}
        </Badge>
        <ChevronDown size={16} className={styles.arrow} data-open={open || undefined} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={open}>
        {open && (
          <Stack gap="md" className={styles.detail}>
            <Group gap="xs" justify="space-between">
              <Text size="sm" c="dimmed">
                {[format.moment(entry.at), entry.actor.address].filter(Boolean).join(' · ')}
              </Text>
              {id !== null && (
                <Group gap={4}>
                  {pages[kind] !== undefined && entry.action !== `${kind}.delete` && (
                    <Button component={Link} href={`${pages[kind]}/${id}`} size="compact-xs" variant="subtle">
                      {t('audit.open')}
                    </Button>
                  )}
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    leftSection={<Filter size={12} aria-hidden />}
                    onClick={() => onOnly(id)}
                  >
                    {t('audit.onlyThis')}
                  </Button>
                </Group>
              )}
            </Group>
            <Changes entry={entry} />
            <Whole entry={entry} />
          </Stack>
        )}
      </Collapse>
    </div>
  );
}

/** Who did what to what, in words; an action of a newer gateway stays a code. */
function Sentence({ entry: { action, actor, subject } }: { entry: AuditEntry }) {
  const { t, has } = useLanguage();
  const verb = action.split('.').at(-1) ?? '';
  const whole = `audit.did.${action}`;
  const did = `audit.verb.${verb}`;
  const noun = `audit.noun.${subject.kind}`;
  const name = subject.name ?? subject.id;
  return (
    <span className={styles.sentence}>
      <b>{actor.name}</b>{' '}
      {has(whole) ? (
        t(whole)
      ) : (
        <>
          {has(did) ? t(did) : action} {has(noun) && t(noun)} {name !== null && <b>{name}</b>}
        </>
      )}
    </span>
  );
}

function Changes({ entry: { before, after } }: { entry: AuditEntry }) {
  const t = useText();
  const changes = diff(before ?? {}, after ?? {});
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('audit.noFields')}
      </Text>
    );
  return (
    <Stack gap={8}>
      {changes.map((change) => (
        <FieldDiff key={change.path} change={change} />
      ))}
    </Stack>
  );
}

/** The line as the gateway stores it. */
function Whole({ entry }: { entry: AuditEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div>
      <Button
        size="compact-xs"
        variant="subtle"
        aria-expanded={isOpen}
        leftSection={<Braces size={12} aria-hidden />}
        onClick={() => setIsOpen(!isOpen)}
      >
        JSON
      </Button>
      {isOpen && <CodeBlock json text={JSON.stringify(entry)} label="JSON" />}
    </div>
  );
}
