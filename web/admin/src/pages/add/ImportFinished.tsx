import { Alert, Button, Group, Text } from '@mantine/core';
import { CircleCheck, LockKeyhole, Play, Wrench } from 'lucide-react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { ConnectPanel } from '../servers/connect/ConnectPanel.tsx';

/** The API is there: try it, or connect a client to it. */
export function ImportFinished({ api, tool }: { api: string; tool: string | null }) {
  const t = useText();
  const lines = useGet('/tool-index', { query: { api } });
  const servers = useGet('/servers', { query: { limit: 500 } });
  const made = useGet('/apis/:api', { params: { api } });
  const closed = made.data !== undefined && made.data.auth.kind !== 'none' && !made.data.hasCredential;
  const toTry = bestToTry(lines.data?.items ?? [], tool);
  const server = servers.data?.items.find((entry) => entry.slug === 'default') ?? servers.data?.items[0];
  return (
    <>
      {closed && (
        <Alert color="orange" icon={<LockKeyhole size={16} aria-hidden />} title={t('add.closed')}>
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex="1 1 260px">
              {t('add.closedText')}
            </Text>
            <Button component={Link} href="/credentials" size="xs" variant="default">
              {t('home.next.add-credential')}
            </Button>
          </Group>
        </Alert>
      )}
      <Panel>
        <EmptyState
          icon={CircleCheck}
          title={t('add.doneTitle')}
          text={t('add.doneText', { count: lines.data?.items.length ?? 0, api })}
          action={
            <Group gap="xs" justify="center">
              {toTry && (
                <Button
                  component={Link}
                  href={`/tools/${toTry.id}`}
                  leftSection={<Play size={15} aria-hidden />}
                >
                  {t('add.tryOne', { tool: toTry.name })}
                </Button>
              )}
              <Button
                component={Link}
                href={`/apis/${api}`}
                variant="default"
                leftSection={<Wrench size={15} aria-hidden />}
              >
                {t('add.seeTools')}
              </Button>
            </Group>
          }
        />
      </Panel>
      {server && <ConnectPanel server={server} />}
    </>
  );
}

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

// Paths that begin or end a sign-in say nothing about an API.
const signsIn = /(oauth|authori[sz]e|login|logout|token|session)/i;

/** A tool that is safe to try first: one that reads, preferably without anything to fill in. */
function bestToTry<T extends Candidate>(tools: readonly T[], fallback: string | null): T | undefined {
  const reads = tools.filter((tool) => tool.method === 'GET' && !signsIn.test(tool.path));
  return (
    reads.find((tool) => !tool.path.includes('{')) ??
    reads[0] ??
    tools.find((tool) => tool.name === fallback) ??
    tools[0]
  );
}
