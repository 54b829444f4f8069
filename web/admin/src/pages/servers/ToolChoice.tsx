import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Modal,
  Stack,
  Text,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { ArrowUpToLine, Pencil, Wrench } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import type { Server, ToolLine } from '../../api/resources.ts';
import { TokenMeter } from '../../components/cost/TokenMeter.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import layout from '../../components/Layout.module.css';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { MethodBadge } from '../../components/display/MethodBadge.tsx';
import { Panel } from '../../components/Panel.tsx';
import { VirtualTable } from '../../components/tables/VirtualTable.tsx';
import { sameJson } from '#lib/json/same-json.ts';
import type { Draft } from '../../editing/use-draft.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { chosenBy, type ToolRule } from './choose-tools/tool-rules.ts';
import { tokensOf } from './choose-tools/tool-tree.ts';
import { ToolTree } from './choose-tools/ToolTree.tsx';
import styles from './ToolChoice.module.css';

/** Which tools a server has, in which order, and under which names. */
export function ToolChoice({ server, draft }: { server: Server; draft: Draft<Server> }) {
  const t = useText();
  const index = useGet('/tool-index', {});
  const rules = draft.value.tools;
  const setRules = (tools: ToolRule[]) => draft.set({ tools });
  // The default server always has every tool.
  if (server.slug === 'default')
    return (
      <>
        <Alert color="gray" mb="lg">
          {t('servers.defaultHasAll')}
        </Alert>
        <Members server={server} draft={draft} />
      </>
    );
  return (
    <div className={layout.split}>
      <Panel flush title={t('servers.rules')} lead={t('choose.lead')}>
        <Loaded query={index}>
          {({ items }) => <Choice tools={items} rules={rules} onChange={setRules} />}
        </Loaded>
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

function Choice({
  tools,
  rules,
  onChange,
}: {
  tools: readonly ToolLine[];
  rules: readonly ToolRule[];
  onChange: (rules: ToolRule[]) => void;
}) {
  const t = useText();
  const costs = useGet('/server-costs', {});
  const chosen = useMemo(() => {
    const ids = chosenBy(rules, tools);
    return tools.filter(({ id, enabled }) => enabled && ids.has(id));
  }, [rules, tools]);
  return (
    <>
      <div className={styles.meter}>
        <TokenMeter tools={chosen.length} tokens={tokensOf(chosen)} budget={costs.data?.budget ?? 0} />
      </div>
      {chosen.length === 0 && (
        <Alert color="orange" m="md">
          {t('choose.empty')}
        </Alert>
      )}
      <ToolTree tools={tools} rules={rules} onChange={onChange} height="520px" />
    </>
  );
}

interface MembersProps {
  readonly server: Server;
  readonly draft: Draft<Server>;
  /** Moves a tool to the front; absent if the order is fixed. */
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
