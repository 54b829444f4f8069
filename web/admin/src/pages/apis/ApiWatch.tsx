import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useChange } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { OverlayFiles } from '../add/OverlayFiles.tsx';
import { WatchSelect } from './WatchSelect.tsx';

type Look = NonNullable<NonNullable<Api['source']>['lastLook']>;

const tones: Readonly<Record<Look['result'], string>> = {
  unchanged: 'gray',
  found: 'yellow',
  applied: 'green',
  failed: 'red',
};

/** Whether the address of an API's document is looked at, and what was seen there last. */
export function ApiWatch({ api, onSee }: { api: Api; onSee: () => void }) {
  const t = useText();
  const update = useChange('PATCH', '/apis/:api', ['/apis', '/apis/:api']);
  const source = api.source!;
  const set = (body: BodyOf<RouteAt<'PATCH', '/apis/:api'>>) =>
    update.mutate(
      { params: { api: api.id }, body },
      { onSuccess: () => toastDone(t('common.saved')), onError: toastProblem },
    );
  return (
    <Panel title={t('apis.watchTitle')} lead={t('apis.watchLead')}>
      <Stack gap="md">
        {source.url !== undefined && (
          <WatchSelect
            value={source.watchEveryMs}
            onChange={(everyMs) => set({ watchEveryMs: everyMs ?? null })}
          />
        )}
        <Switch
          label={t('apis.approve')}
          description={t('apis.approveHint')}
          checked={source.approveChanges ?? false}
          onChange={(event) => set({ approveChanges: event.currentTarget.checked })}
        />
        <OverlayFiles
          value={(source.overlays ?? []).map((name) => ({ name }))}
          onChange={(overlays) => set({ overlays })}
        />
        {source.url !== undefined && <LastLook look={source.lastLook} onSee={onSee} />}
      </Stack>
    </Panel>
  );
}

function LastLook({ look, onSee }: { look: Look | undefined; onSee: () => void }) {
  const t = useText();
  const format = useFormats();
  if (look === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t('apis.neverLooked')}
      </Text>
    );
  const { added = 0, changed = 0, removed = 0 } = look;
  return (
    <div>
      <Group gap="xs">
        <Badge color={tones[look.result]}>{t(`apis.look.${look.result}`)}</Badge>
        <Text size="sm" c="dimmed" title={format.moment(look.at)}>
          {t('apis.lookedAt', { time: format.ago(look.at) })}
        </Text>
        {look.result === 'found' && (
          <Button variant="light" size="compact-sm" onClick={onSee}>
            {t('apis.seeChanges')}
          </Button>
        )}
      </Group>
      {(look.result === 'found' || look.result === 'applied') && (
        <Text size="sm" mt={4}>
          {t('apis.lookCounts', { added, changed, removed })}
        </Text>
      )}
      {look.message !== undefined && (
        <Text size="sm" c="red" mt={4}>
          {look.message}
        </Text>
      )}
    </div>
  );
}
