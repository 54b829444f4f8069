import { Badge, Button, Collapse, Select, Text, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronDown, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client.ts';
import type { AuditEntry } from '../../api/resources.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Failed, Waiting } from '../../components/Loaded.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './Audit.module.css';

const kinds = ['api', 'tool', 'server', 'credential', 'key', 'admin', 'session', 'settings'];

/** Who changed what, when, from what to what. */
export default function Audit() {
  const t = useText();
  const [kind, setKind] = useState<string | null>(null);
  const log = useInfiniteQuery({
    queryKey: ['/audit', kind],
    queryFn: ({ pageParam, signal }) =>
      request('GET', '/audit', {
        query: { limit: 50, ...(kind !== null && { kind }), ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  const entries = log.data?.pages.flatMap((page) => page.items);
  return (
    <Page title={t('nav.audit')} lead={t('audit.lead')}>
      <Panel flush>
        <div className={layout.bar}>
          <Select
            aria-label={t('audit.kind')}
            placeholder={t('audit.kind')}
            clearable
            w={190}
            data={kinds}
            value={kind}
            onChange={setKind}
          />
        </div>
        {entries === undefined ? (
          log.error ? (
            <Failed error={log.error} retry={() => void log.refetch()} />
          ) : (
            <Waiting />
          )
        ) : entries.length === 0 ? (
          <EmptyState icon={ScrollText} title={t('audit.empty')} text={t('audit.emptyText')} />
        ) : (
          <>
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
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

function Entry({ entry }: { entry: AuditEntry }) {
  const t = useText();
  const format = useFormats();
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.entry}>
      <UnstyledButton className={styles.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Text span size="sm" c="dimmed" className={styles.time} title={format.moment(entry.at)}>
          {format.ago(entry.at)}
        </Text>
        <span className={styles.who}>{entry.actor.name}</span>
        <Badge color="gray">{entry.action}</Badge>
        <span className={styles.subject}>{entry.subject.name ?? entry.subject.id}</span>
        <ChevronDown size={16} className={styles.arrow} data-open={open || undefined} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={open}>
        {open && (
          <div className={styles.detail}>
            <Text size="sm" c="dimmed" mb="sm">
              {format.moment(entry.at)} {entry.actor.address && `· ${entry.actor.address}`}
            </Text>
            <div className={layout.split}>
              <div>
                <Text size="sm" fw={600} mb={6}>
                  {t('audit.before')}
                </Text>
                <CodeBlock json text={JSON.stringify(entry.before)} label={t('audit.before')} />
              </div>
              <div>
                <Text size="sm" fw={600} mb={6}>
                  {t('audit.after')}
                </Text>
                <CodeBlock json text={JSON.stringify(entry.after)} label={t('audit.after')} />
              </div>
            </div>
          </div>
        )}
      </Collapse>
    </div>
  );
}
