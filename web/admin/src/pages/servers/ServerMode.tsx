import { Checkbox, Radio, Stack, Switch, Text } from '@mantine/core';
import { Coins } from 'lucide-react';
import { useState } from 'react';
import type { ListMode } from '#domain/server.ts';
import { useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { EditableFields } from '../../app/account/permissions.tsx';
import { ModeCosts, modes } from '../../components/cost/ModeCosts.tsx';
import { TokenShares } from '../../components/cost/TokenShares.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import type { Draft } from '../../editing/use-draft.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

type Cost = ReplyOf<RouteAt<'GET', '/servers/:server/cost'>>;

/** How a server presents its tools, and the tokens each mode costs. */
export function ServerMode({ server, draft }: { server: Server; draft: Draft<Server> }) {
  const t = useText();
  const params = { server: server.id };
  const { enabled } = server;
  const cost = useGet('/servers/:server/cost', { params }, { enabled });
  // Output schemas can be megabytes, so their cost is counted separately.
  const whole = useGet('/servers/:server/cost', { params, query: { outputSchemas: 'true' } }, { enabled });
  if (!enabled)
    return (
      <Panel>
        <EmptyState icon={Coins} title={t('cost.disabled')} text={t('cost.disabledText')} />
      </Panel>
    );
  return (
    <Loaded query={cost}>
      {(loaded) => (
        <div className={layout.split}>
          <EditableFields>
            <ModeChoice
              server={server}
              draft={draft}
              cost={loaded}
              outputSchemas={whole.data?.outputSchemas}
            />
          </EditableFields>
          <Shares cost={loaded} />
        </div>
      )}
    </Loaded>
  );
}

interface ModeChoiceProps {
  readonly server: Server;
  readonly draft: Draft<Server>;
  readonly cost: Cost;
  /** The tokens output schemas add to the list; undefined until counted. */
  readonly outputSchemas: number | undefined;
}

function ModeChoice({ server, draft, cost, outputSchemas }: ModeChoiceProps) {
  const t = useText();
  const format = useFormats();
  const { mode, clientModes, listOutputSchemas = false } = draft.value;
  const tokens = (count: number) => t('common.tokens', { count: format.number(count) });
  const shown = server.listOutputSchemas ?? false;
  // As it will be after saving.
  const direct =
    cost.direct + (shown === listOutputSchemas ? 0 : (listOutputSchemas ? 1 : -1) * (outputSchemas ?? 0));
  const byMode = { direct, search: cost.search, code: cost.code };
  const automatic: ListMode = direct > cost.budget ? 'search' : 'direct';
  const used: ListMode = mode === 'auto' ? automatic : mode;
  return (
    <Panel title={t('cost.modeTitle')} lead={t('cost.modeLead')}>
      <Stack gap="lg">
        <ModeCosts tokens={byMode} used={used} />
        <Radio.Group label={t('cost.mode')} value={mode} onChange={(next) => draft.set({ mode: next })}>
          <Stack gap="sm" mt="xs">
            <Radio
              value="auto"
              label={t('mode.auto')}
              description={t('mode.autoHint', { budget: tokens(cost.budget), now: t(`mode.${automatic}`) })}
            />
            {modes.map((one) => (
              <Radio
                key={one}
                value={one}
                label={`${t(`mode.${one}`)} · ${tokens(byMode[one])}`}
                description={t(`mode.${one}Hint`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Checkbox.Group
          label={t('cost.clientModes')}
          description={t('cost.clientModesHint')}
          value={[...(clientModes ?? modes)]}
          onChange={(chosen) =>
            draft.set({
              clientModes: modes.every((one) => chosen.includes(one))
                ? undefined
                : modes.filter((one) => chosen.includes(one)),
            })
          }
        >
          <Stack gap="xs" mt="xs">
            {modes.map((one) => (
              <Checkbox key={one} value={one} label={t(`mode.${one}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Switch
          label={t('cost.outputSchemas')}
          description={
            outputSchemas === undefined
              ? t('cost.outputSchemasCounting')
              : t(listOutputSchemas ? 'cost.outputSchemasAre' : 'cost.outputSchemasAdd', {
                  tokens: tokens(outputSchemas),
                })
          }
          checked={listOutputSchemas}
          onChange={(event) => draft.set({ listOutputSchemas: event.currentTarget.checked })}
        />
        <Text size="sm" c="dimmed">
          {t('cost.budgetHint', { budget: tokens(cost.budget) })}
        </Text>
      </Stack>
    </Panel>
  );
}

type Grouping = 'tags' | 'apis' | 'tools';

function Shares({ cost }: { cost: Cost }) {
  const t = useText();
  const [grouping, setGrouping] = useState<Grouping>(
    cost.apis.length > 1 ? 'apis' : cost.tags.length > 0 ? 'tags' : 'tools',
  );
  const shares = {
    apis: cost.apis,
    tags: cost.tags,
    tools: cost.tools
      .map(({ name, tokens }) => ({ name, tokens, tools: 1 }))
      .toSorted((one, other) => other.tokens - one.tokens),
  }[grouping];
  return (
    <Panel
      title={t('cost.shares')}
      lead={t('cost.sharesLead')}
      actions={
        <SelectInput<Grouping>
          name={t('cost.groupBy')}
          required
          options={(['apis', 'tags', 'tools'] as const).map((value) => ({
            value,
            label: t(`cost.${value}`),
          }))}
          value={grouping}
          onChange={(next) => next && setGrouping(next)}
        />
      }
    >
      <TokenShares shares={shares} maxShown={12} />
    </Panel>
  );
}
