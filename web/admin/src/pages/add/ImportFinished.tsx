import { Alert, Button, Group, Text } from '@mantine/core';
import { CircleCheck, LockKeyhole, Play, Rocket, Wrench } from 'lucide-react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import { CredentialButton } from '../../components/remedies/ProblemText.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { ModeCosts } from '../../components/cost/ModeCosts.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { Published } from '../publish/Published.tsx';
import type { PublishedServer } from '../publish/PublishForm.tsx';
import { ConnectPanel } from '../servers/connect/ConnectPanel.tsx';

/** The import is done: try a tool, or connect a client. */
export function ImportFinished({
  api,
  tool,
  published,
}: {
  api: string;
  tool: string | null;
  published: PublishedServer | null;
}) {
  const t = useText();
  const lines = useGet('/tool-index', { query: { api } });
  const servers = useGet('/servers', { query: { limit: 500 } });
  const made = useGet('/apis/:api', { params: { api } });
  const closed = made.data !== undefined && made.data.auth.kind !== 'none' && !made.data.hasCredential;
  // Of what was just published; without a server, of what was imported.
  const count = published?.server.toolCount ?? lines.data?.items.filter(({ enabled }) => enabled).length;
  const toTry = bestToTry(lines.data?.items ?? [], tool);
  const server = servers.data?.items.find((entry) => entry.slug === 'default') ?? servers.data?.items[0];
  return (
    <>
      {published && <Published published={published} />}
      {closed && (
        <Alert color="orange" icon={<LockKeyhole size={16} aria-hidden />} title={t('add.closed')}>
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex="1 1 260px">
              {t('add.closedText')}
            </Text>
            <CredentialButton api={api} />
          </Group>
        </Alert>
      )}
      <Panel>
        <EmptyState
          icon={CircleCheck}
          title={published === null ? t('add.doneTitle') : t('publish.done', { name: published.server.name })}
          {...(count !== undefined && {
            text: published
              ? t('add.doneServed', { count, server: published.server.name })
              : t('add.doneText', { count, api }),
          })}
          action={
            <Group gap="xs" justify="center">
              {published === null && (
                <Button
                  component={Link}
                  href={`/publish?api=${encodeURIComponent(api)}`}
                  leftSection={<Rocket size={15} aria-hidden />}
                >
                  {t('servers.add')}
                </Button>
              )}
              {toTry && (
                <Button
                  component={Link}
                  href={`/tools/${toTry.id}`}
                  variant="default"
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
      {published === null && <ServerCosts api={api} />}
      {published === null && server && <ConnectPanel server={server} />}
    </>
  );
}

/** The servers that include the API's tools, with their mode and token cost. */
function ServerCosts({ api }: { api: string }) {
  const t = useText();
  const format = useFormats();
  const costs = useGet('/server-costs', { query: { api } });
  const tokens = (count: number) => t('common.tokens', { count: format.number(count) });
  return (
    <Panel title={t('cost.servedTitle')} lead={t('cost.servedLead')}>
      <Loaded query={costs} rows={3}>
        {({ items, budget }) => (
          <div className={layout.column}>
            {items.length === 0 && (
              <Text size="sm" c="dimmed">
                {t('cost.notServed')}
              </Text>
            )}
            {items.map((cost) => (
              <section key={cost.server} aria-label={cost.name}>
                <Group justify="space-between" mb={6} gap="sm">
                  <Text fw={550}>{cost.name}</Text>
                  <Button
                    component={Link}
                    href={`/servers/${cost.server}?tab=mode`}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {t('cost.changeMode')}
                  </Button>
                </Group>
                <ModeCosts tokens={cost} used={cost.servedAs} />
                <Text size="sm" c="dimmed" mt={6}>
                  {t(
                    cost.mode === 'auto' && cost.servedAs !== 'code'
                      ? `cost.auto.${cost.servedAs}`
                      : 'cost.byOperator',
                    {
                      budget: tokens(budget),
                    },
                  )}
                </Text>
              </section>
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

// Sign-in and sign-out paths aren't representative of an API.
const signsIn = /(oauth|authori[sz]e|login|logout|token|session)/i;

/** A tool that is safe to try first: read-only, preferably without required arguments. */
function bestToTry<T extends Candidate>(tools: readonly T[], fallback: string | null): T | undefined {
  const reads = tools.filter((tool) => tool.method === 'GET' && !signsIn.test(tool.path));
  return (
    reads.find((tool) => !tool.path.includes('{')) ??
    reads[0] ??
    tools.find((tool) => tool.name === fallback) ??
    tools[0]
  );
}
