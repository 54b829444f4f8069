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

type LastCheckResult = NonNullable<NonNullable<Api['source']>['lastLook']>;

const tones: Readonly<Record<LastCheckResult['result'], string>> = {
  unchanged: 'gray',
  found: 'yellow',
  applied: 'green',
  failed: 'red',
};

/** Whether a document's URL is checked for changes, and the result of the last check. */
export function ApiWatch({ api, onReview }: { api: Api; onReview: () => void }) {
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
        {source.url !== undefined && <LastCheck check={source.lastLook} onReview={onReview} />}
      </Stack>
    </Panel>
  );
}

function LastCheck({ check, onReview }: { check: LastCheckResult | undefined; onReview: () => void }) {
  const t = useText();
  const format = useFormats();
  if (check === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t('apis.neverChecked')}
      </Text>
    );
  const { added = 0, changed = 0, removed = 0 } = check;
  return (
    <div>
      <Group gap="xs">
        <Badge color={tones[check.result]}>{t(`apis.check.${check.result}`)}</Badge>
        <Text size="sm" c="dimmed" title={format.moment(check.at)}>
          {t('apis.checkedAt', { time: format.ago(check.at) })}
        </Text>
        {check.result === 'found' && (
          <Button variant="light" size="compact-sm" onClick={onReview}>
            {t('apis.reviewChanges')}
          </Button>
        )}
      </Group>
      {(check.result === 'found' || check.result === 'applied') && (
        <Text size="sm" mt={4}>
          {t('apis.checkCounts', { added, changed, removed })}
        </Text>
      )}
      {check.message !== undefined && (
        <Text size="sm" c="red" mt={4}>
          {check.message}
        </Text>
      )}
    </div>
  );
}
