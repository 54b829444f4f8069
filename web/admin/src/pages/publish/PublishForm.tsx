import { Alert, Button, Group, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Rocket, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { reservedSlugs } from '#domain/names.ts';
import type { ListMode, ServerMode } from '#domain/server.ts';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import { useAll, useChange, useGet } from '../../api/queries.ts';
import type { Server, ToolLine } from '../../api/resources.ts';
import { modes } from '../../components/cost/ModeCosts.tsx';
import { TokenMeter } from '../../components/cost/TokenMeter.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { chosenBy, type ToolRule } from '../servers/choose-tools/tool-rules.ts';
import { tokensOf } from '../servers/choose-tools/tool-tree.ts';
import { ToolTree } from '../servers/choose-tools/ToolTree.tsx';
import { slugOf } from '../servers/slug-of.ts';
import styles from './PublishForm.module.css';

/** A newly published server and its key, which is shown only once. */
export interface PublishedServer {
  readonly server: Server;
  readonly key: { readonly id: string; readonly value: string } | null;
  readonly atMs: number;
}

interface PublishFormProps {
  /** The suggested name and tools. */
  readonly name: string;
  readonly rules: readonly ToolRule[];
  readonly onPublished: (published: PublishedServer) => void;
  readonly skip?: () => void;
}

/** Publishes a server with selected tools and a key. It is never open to everyone and never empty. */
export function PublishForm(props: PublishFormProps) {
  const index = useGet('/tool-index', {});
  const servers = useAll('/servers', {});
  return (
    <Loaded query={index}>
      {({ items }) => (
        <Loaded query={servers}>
          {(standing) => <Form {...props} tools={startingWith(props.rules, items)} standing={standing} />}
        </Loaded>
      )}
    </Loaded>
  );
}

type Access = 'key' | 'sign-in' | 'oauth';

function Form({
  name: proposed,
  rules: proposedRules,
  onPublished,
  skip,
  tools,
  standing,
}: PublishFormProps & { readonly tools: readonly ToolLine[]; readonly standing: readonly Server[] }) {
  const t = useText();
  const taken = useMemo(
    () => new Set([...reservedSlugs, ...standing.map((server) => server.slug)]),
    [standing],
  );
  const [name, setName] = useState(proposed);
  const [typedSlug, setTypedSlug] = useState<string | null>(null);
  const slug = typedSlug ?? freeSlug(slugOf(name), taken);
  const [rules, setRules] = useState<readonly ToolRule[]>(proposedRules);
  // The selection before it was limited to read-only tools.
  const [wider, setWider] = useState<readonly ToolRule[] | null>(null);
  const readsOnly = wider !== null;
  const [mode, setMode] = useState<ServerMode>('auto');
  const [access, setAccess] = useState<Access>('key');
  const [issuer, setIssuer] = useState('');
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const create = useChange('POST', '/servers', ['/servers', '/server-costs']);
  const makeKey = useChange('POST', '/keys', ['/keys']);
  const chosen = useMemo(() => {
    const ids = chosenBy(rules, tools);
    return tools.filter((tool) => ids.has(tool.id) && tool.enabled);
  }, [rules, tools]);
  const cost = useChoiceCost(rules, chosen.length > 0);
  const setReadsOnly = (on: boolean) => {
    setWider(on ? rules : null);
    if (!on) setRules(wider ?? rules);
    else {
      const ids = chosenBy(rules, tools);
      const reads = tools.filter((tool) => ids.has(tool.id) && tool.kind === 'read');
      setRules(reads.map(({ id }) => ({ tool: id })));
    }
  };
  async function publish(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const server = await create.mutateAsync({
        body: {
          slug,
          name: name.trim(),
          tools: [...rules],
          policy: access === 'oauth' ? { kind: 'oauth', issuer: issuer.trim() } : { kind: access },
          ...(mode !== 'auto' && { mode }),
        },
      });
      // Clients can't connect without a key. If this fails, the next page can create another.
      const key =
        access === 'key'
          ? await makeKey
              .mutateAsync({
                body: { name: t('connect.keyName', { server: server.name }), servers: [server.id] },
              })
              .catch(() => null)
          : null;
      onPublished({ server, key: key && { id: key.id, value: key.key }, atMs: Date.now() });
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }
  const slugFault =
    slug !== '' && typedSlug !== null && taken.has(slug) ? t('publish.slugTaken', { slug }) : undefined;
  const missing =
    chosen.length === 0
      ? t('publish.noTools')
      : name.trim() === '' || slug === ''
        ? t('publish.noName')
        : access === 'oauth' && !URL.canParse(issuer.trim())
          ? t('publish.noIssuer')
          : slugFault;
  return (
    <form
      className={layout.column}
      onSubmit={(event) => {
        event.preventDefault();
        void publish();
      }}
    >
      <Panel title={t('publish.nameTitle')} lead={t('publish.nameLead')}>
        <div className={layout.fields}>
          <TextInput
            label={t('common.name')}
            required
            maxLength={500}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t('common.slug')}
            description={`/mcp/${slug}`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required
            error={slugFault}
            value={slug}
            onChange={(event) => setTypedSlug(event.currentTarget.value)}
          />
          <Select
            label={t('servers.policy')}
            description={t(`publish.access.${access}`)}
            inputWrapperOrder={['label', 'input', 'description']}
            allowDeselect={false}
            data={[
              { value: 'key', label: t('publish.withKey') },
              { value: 'sign-in', label: t('publish.withSignIn') },
              { value: 'oauth', label: t('publish.withOauth') },
            ]}
            value={access}
            onChange={(next) => next && setAccess(next)}
          />
          {access === 'oauth' && (
            <TextInput
              label={t('servers.issuer')}
              required
              placeholder="https://login.example.com"
              value={issuer}
              onChange={(event) => setIssuer(event.currentTarget.value)}
            />
          )}
        </div>
      </Panel>
      <Panel
        flush
        title={t('choose.title')}
        lead={t('choose.lead')}
        actions={
          <Switch
            label={t('publish.readsOnly')}
            checked={readsOnly}
            onChange={(event) => setReadsOnly(event.currentTarget.checked)}
          />
        }
      >
        <div className={styles.meter}>
          <TokenMeter tools={chosen.length} tokens={tokensOf(chosen)} budget={cost?.budget ?? 0} />
        </div>
        <ToolTree
          tools={tools}
          rules={rules}
          onChange={setRules}
          height="min(44vh, 420px)"
          {...(readsOnly && { only: 'read' as const })}
        />
      </Panel>
      <Panel title={t('cost.modeTitle')} lead={t('publish.modeLead')}>
        <ModeRadios mode={mode} onChange={setMode} cost={cost} />
      </Panel>
      {problem !== null && (
        <Alert color="red" icon={<TriangleAlert size={16} aria-hidden />} title={t('publish.failed')}>
          {messageOf(problem)}
        </Alert>
      )}
      <div className={styles.actions}>
        {missing !== undefined && (
          <Text size="sm" c="dimmed">
            {missing}
          </Text>
        )}
        {skip && (
          <Button variant="default" onClick={skip}>
            {t('publish.later')}
          </Button>
        )}
        <Button
          type="submit"
          loading={busy}
          disabled={missing !== undefined}
          leftSection={<Rocket size={15} aria-hidden />}
        >
          {t('publish.go', { count: chosen.length })}
        </Button>
      </div>
    </form>
  );
}

type Cost = Readonly<Record<ListMode | 'budget', number>>;

function ModeRadios({
  mode,
  onChange,
  cost,
}: {
  mode: ServerMode;
  onChange: (mode: ServerMode) => void;
  cost: Cost | undefined;
}) {
  const t = useText();
  const format = useFormats();
  const tokens = (count: number) => t('common.tokens', { count: format.number(count) });
  const automatic: ListMode = cost !== undefined && cost.direct > cost.budget ? 'search' : 'direct';
  return (
    <Radio.Group aria-label={t('cost.mode')} value={mode} onChange={(next) => onChange(next)}>
      <Group gap="lg" align="flex-start" className={styles.modes}>
        <Stack gap={4} className={styles.mode}>
          <Radio
            value="auto"
            label={t('publish.auto', { now: t(`mode.${automatic}`) })}
            description={cost && t('publish.autoHint', { budget: tokens(cost.budget) })}
          />
        </Stack>
        {modes.map((one) => (
          <Stack key={one} gap={4} className={styles.mode}>
            <Radio
              value={one}
              label={cost === undefined ? t(`mode.${one}`) : `${t(`mode.${one}`)} · ${tokens(cost[one])}`}
              description={t(`mode.${one}Hint`)}
            />
          </Stack>
        ))}
      </Group>
    </Radio.Group>
  );
}

/** The token cost of a server with these tools, counted when the selection pauses. */
function useChoiceCost(rules: readonly ToolRule[], enabled: boolean): Cost | undefined {
  const [rested] = useDebouncedValue(rules, 250);
  const counted = useQuery({
    queryKey: ['/server-costs', 'choice', rested],
    queryFn: ({ signal }) => request('POST', '/server-costs', { body: { tools: [...rested] }, signal }),
    placeholderData: keepPreviousData,
    enabled: enabled && rested.length > 0,
  });
  return counted.data;
}

/** Suggested entries come first. */
function startingWith(rules: readonly ToolRule[], tools: readonly ToolLine[]): ToolLine[] {
  const proposed = chosenBy(rules, tools);
  return tools.toSorted((one, other) => Number(proposed.has(other.id)) - Number(proposed.has(one.id)));
}

function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (wanted === '' || !taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const numbered = `${wanted.slice(0, 36)}-${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
