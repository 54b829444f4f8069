import { Button, Loader, Text } from '@mantine/core';
import { CircleCheck, CircleX } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { follow } from '../../api/follow.ts';
import { useGet } from '../../api/queries.ts';
import type { CallRecord } from '../../api/resources.ts';
import { Panel } from '../../components/Panel.tsx';
import { ProblemText } from '../../components/remedies/ProblemText.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './FirstCall.module.css';

// Calls tried in the app or the explorer don't come from a client.
const clientSurfaces = new Set(['mcp', 'stdio', 'rest']);

/** Waits for the first call from a client and shows it. */
export function FirstCall({ server, sinceMs }: { server: string; sinceMs: number }) {
  const t = useText();
  const format = useFormats();
  const from = new Date(sinceMs - 1_000).toISOString();
  const calls = useGet('/calls', { query: { server, from, limit: 100 } });
  const { refetch } = calls;
  const byClients = calls.data?.items.filter((call) => clientSurfaces.has(call.surface));
  // If the first call failed, a later one that succeeded replaces it.
  const first = byClients?.findLast((call) => outcomeOf(call) === 'ok') ?? byClients?.at(-1);
  const isWaiting = first === undefined || outcomeOf(first) !== 'ok';
  useEffect(() => {
    if (!isWaiting) return undefined;
    // A call may have arrived before the stream was open.
    return follow(
      '/calls/tail',
      { server },
      () => void refetch(),
      () => void refetch(),
    );
  }, [server, isWaiting, refetch]);
  return (
    <Panel>
      <div
        className={styles.first}
        role="status"
        data-state={first === undefined ? 'waiting' : outcomeOf(first)}
      >
        {first === undefined ? (
          <Loader size="sm" aria-hidden />
        ) : outcomeOf(first) === 'ok' ? (
          <CircleCheck size={22} className={styles.good} aria-hidden />
        ) : (
          <CircleX size={22} className={styles.bad} aria-hidden />
        )}
        <div className={styles.words}>
          <Text fw={600}>
            {t(first === undefined ? 'firstCall.waiting' : `firstCall.${outcomeOf(first)}`)}
          </Text>
          <Text size="sm" c="dimmed">
            {first === undefined
              ? t('firstCall.waitingText')
              : t('firstCall.details', {
                  tool: first.toolName,
                  client: first.client ?? first.caller,
                  time: format.clock(first.startedAt),
                })}
          </Text>
          {first !== undefined && outcomeOf(first) === 'failed' && first.message !== null && (
            <Text size="sm" component="div" mt={4}>
              <ProblemText message={first.message} />
            </Text>
          )}
        </div>
        {first !== undefined && (
          <Button component={Link} href={`/calls/${first.id}`} variant="default" size="xs">
            {t('calls.details')}
          </Button>
        )}
      </div>
    </Panel>
  );
}

function outcomeOf({ outcome }: CallRecord): 'ok' | 'failed' {
  return outcome === 'ok' || outcome === 'waiting' ? 'ok' : 'failed';
}
