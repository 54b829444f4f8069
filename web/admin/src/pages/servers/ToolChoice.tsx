import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { ArrowDown, ArrowUp, ArrowUpToLine, Pencil, Plus, Wrench, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import type { Server, ToolLine } from '../../api/resources.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { MethodBadge } from '../../components/display/MethodBadge.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { VirtualTable } from '../../components/tables/VirtualTable.tsx';
import { sameJson } from '#lib/json/same-json.ts';
import type { Draft } from '../../editing/use-draft.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

type Rule = Server['tools'][number];

/** Which tools a server has, in which order, and what it calls them. */
export function ToolChoice({ server, draft }: { server: Server; draft: Draft<Server> }) {
  const t = useText();
  const index = useGet('/tool-index', {});
  const rules = draft.value.tools;
  const setRules = (tools: Rule[]) => draft.set({ tools });
  const nameOf = (rule: Rule): string => {
    if ('all' in rule) return t('servers.ruleAll');
    if ('tool' in rule) return index.data?.items.find((tool) => tool.id === rule.tool)?.name ?? rule.tool;
    if ('api' in rule)
      return rule.tag === undefined
        ? t('servers.ruleApi', { api: rule.api })
        : t('servers.ruleApiTag', { api: rule.api, tag: rule.tag });
    return t('servers.ruleTag', { tag: rule.tag });
  };
  // The server that holds everything keeps doing so.
  if (server.slug === 'default')
    return (
      <>
        <Alert color="gray" mb="lg">
          {t('servers.defaultHoldsAll')}
        </Alert>
        <Members server={server} draft={draft} />
      </>
    );
  return (
    <div className={layout.split}>
      <Panel flush title={t('servers.rules')} lead={t('servers.rulesLead')}>
        <RowList>
          {rules.map((rule, at) => (
            <Row
              key={JSON.stringify(rule)}
              name={nameOf(rule)}
              side={
                <Group gap={2}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('common.up')}
                    disabled={at === 0}
                    onClick={() => setRules(move(rules, at, -1))}
                  >
                    <ArrowUp size={15} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('common.down')}
                    disabled={at === rules.length - 1}
                    onClick={() => setRules(move(rules, at, 1))}
                  >
                    <ArrowDown size={15} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('common.remove')}
                    onClick={() => setRules(rules.filter((_, index) => index !== at))}
                  >
                    <X size={15} aria-hidden />
                  </ActionIcon>
                </Group>
              }
            />
          ))}
        </RowList>
        {rules.length === 0 && (
          <EmptyState icon={Wrench} title={t('servers.noRules')} text={t('servers.noRulesText')} />
        )}
        <AddRule
          tools={index.data?.items ?? []}
          onAdd={(rule) => rules.some((entry) => sameJson(entry, rule)) || setRules([...rules, rule])}
        />
      </Panel>
      <Members
        server={server}
        draft={draft}
        onFirst={(id) =>
          setRules([{ tool: id }, ...rules.filter((rule) => !('tool' in rule) || rule.tool !== id)])
        }
      />
    </div>
  );
}

function move<T>(list: readonly T[], at: number, by: number): T[] {
  const next = [...list];
  const [entry] = next.splice(at, 1);
  next.splice(at + by, 0, entry!);
  return next;
}

function AddRule({ tools, onAdd }: { tools: readonly ToolLine[]; onAdd: (rule: Rule) => void }) {
  const t = useText();
  const [kind, setKind] = useState<'api' | 'tag' | 'tool' | 'all'>('api');
  const [value, setValue] = useState<string | null>(null);
  const choices = {
    api: [...new Set(tools.map((tool) => tool.api))].map((api) => ({ value: api, label: api })),
    tag: [...new Set(tools.flatMap((tool) => tool.tags))].map((tag) => ({ value: tag, label: tag })),
    tool: tools.map((tool) => ({ value: tool.id, label: `${tool.name} · ${tool.api}` })),
    all: [],
  }[kind];
  const add = () => {
    if (kind === 'all') onAdd({ all: true });
    else if (value === null) return;
    else if (kind === 'api') onAdd({ api: value });
    else if (kind === 'tag') onAdd({ tag: value });
    else onAdd({ tool: value });
    setValue(null);
  };
  return (
    <Group gap="xs" p="md" align="end">
      <Select
        label={t('servers.ruleKind')}
        w={120}
        allowDeselect={false}
        data={(['api', 'tag', 'tool', 'all'] as const).map((entry) => ({
          value: entry,
          label: t(`servers.kind.${entry}`),
        }))}
        value={kind}
        onChange={(next) => {
          setKind(next ?? 'api');
          setValue(null);
        }}
      />
      {kind !== 'all' && (
        <Select
          label={t('servers.ruleWhich')}
          flex="1 1 160px"
          searchable
          limit={200}
          data={choices}
          value={value}
          onChange={setValue}
          nothingFoundMessage={t('common.nothingFound')}
        />
      )}
      <Button
        variant="light"
        leftSection={<Plus size={15} aria-hidden />}
        onClick={add}
        disabled={kind !== 'all' && value === null}
      >
        {t('common.addOne')}
      </Button>
    </Group>
  );
}

interface MembersProps {
  readonly server: Server;
  readonly draft: Draft<Server>;
  /** Puts a tool before all others; absent where the order is fixed. */
  readonly onFirst?: (toolId: string) => void;
}

function Members({ server, draft, onFirst }: MembersProps) {
  const t = useText();
  const format = useFormats();
  const members = useGet('/tool-index', { query: { server: server.id } });
  const [editing, setEditing] = useState<ToolLine | null>(null);
  const { overrides } = draft.value;
  return (
    <Panel
      flush
      title={t('servers.members')}
      lead={
        members.data &&
        t('servers.membersLead', {
          count: members.data.items.length,
          tokens: t('common.tokens', { count: format.compact(members.data.estimatedTokens) }),
        })
      }
    >
      {!sameJson(draft.value.tools, server.tools) && (
        <Alert color="gray" m="md">
          {t('servers.membersAfterSave')}
        </Alert>
      )}
      <Loaded query={members}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Wrench} title={t('servers.noMembers')} />
          ) : (
            <VirtualTable
              label={t('servers.members')}
              rows={items}
              keyOf={(tool) => tool.id}
              height="520px"
              columns={[
                {
                  id: 'method',
                  name: t('common.method'),
                  width: '64px',
                  wideOnly: true,
                  cell: (tool) => <MethodBadge method={tool.method} />,
                },
                {
                  id: 'name',
                  name: t('common.name'),
                  width: 'minmax(120px, 1fr)',
                  cell: (tool) => (
                    <Link href={`/tools/${tool.id}`}>{overrides[tool.id]?.name ?? tool.name}</Link>
                  ),
                },
                {
                  id: 'tokens',
                  name: t('tools.tokens'),
                  width: '64px',
                  align: 'end',
                  cell: (tool) => format.compact(tool.estimatedTokens),
                },
                {
                  id: 'edit',
                  name: <VisuallyHidden>{t('servers.override')}</VisuallyHidden>,
                  width: onFirst ? '60px' : '30px',
                  cell: (tool) => (
                    <Group gap={2} wrap="nowrap">
                      {onFirst && (
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={t('servers.toFront', { name: tool.name })}
                          title={t('servers.toFront', { name: tool.name })}
                          onClick={() => onFirst(tool.id)}
                        >
                          <ArrowUpToLine size={14} aria-hidden />
                        </ActionIcon>
                      )}
                      <ActionIcon
                        variant="subtle"
                        color={overrides[tool.id] ? 'brand' : 'gray'}
                        aria-label={t('servers.overrideOf', { name: tool.name })}
                        onClick={() => setEditing(tool)}
                      >
                        <Pencil size={14} aria-hidden />
                      </ActionIcon>
                    </Group>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {editing && <Override tool={editing} draft={draft} onClose={() => setEditing(null)} />}
    </Panel>
  );
}

function Override({ tool, draft, onClose }: { tool: ToolLine; draft: Draft<Server>; onClose: () => void }) {
  const t = useText();
  const before = draft.value.overrides[tool.id] ?? {};
  const [name, setName] = useState(before.name ?? '');
  const [description, setDescription] = useState(before.description ?? '');
  const apply = () => {
    const { [tool.id]: _before, ...rest } = draft.value.overrides;
    const override = { ...(name !== '' && { name }), ...(description !== '' && { description }) };
    draft.set({ overrides: Object.keys(override).length === 0 ? rest : { ...rest, [tool.id]: override } });
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('servers.overrideOf', { name: tool.name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('servers.overrideLead')}
        </Text>
        <TextInput
          label={t('common.name')}
          placeholder={tool.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label={t('common.description')}
          placeholder={tool.summary}
          autosize
          minRows={3}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Button onClick={apply}>{t('common.apply')}</Button>
      </Stack>
    </Modal>
  );
}
