import { Button, Group, Text } from '@mantine/core';
import { RefreshCw } from 'lucide-react';
import { useChange } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { Facts } from '../../components/Facts.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/toasts.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { ImportDiff } from './ImportDiff.tsx';

/** Where an API came from, and what changed there since. */
export function ApiSource({ api }: { api: Api }) {
  const t = useText();
  const format = useFormats();
  const check = useChange('POST', '/apis/:api/refresh');
  const apply = useChange('POST', '/apis/:api/refresh', [
    '/apis',
    '/apis/:api',
    '/tools',
    '/tools/:tool',
    '/tool-index',
  ]);
  const params = { api: api.id };
  const found = check.data?.imports[0];
  const anything =
    found && found.added.length + found.changed.length + found.removed.length + found.apiFields.length > 0;
  return (
    <div className={layout.column}>
      <Panel
        title={t('apis.source')}
        actions={
          api.source?.url && (
            <Button
              variant="default"
              size="xs"
              leftSection={<RefreshCw size={14} aria-hidden />}
              loading={check.isPending}
              onClick={() => check.mutate({ params, body: { dryRun: true } }, { onError: toastProblem })}
            >
              {t('apis.lookForChanges')}
            </Button>
          )
        }
      >
        <Facts
          facts={[
            [t('apis.sourceKind'), api.source?.kind ?? t('apis.byHand')],
            [t('apis.sourceUrl'), api.source?.url],
            [t('apis.importedAt'), api.source && format.moment(api.source.importedAt)],
            [t('apis.documentHash'), api.source && <code>{api.source.documentHash.slice(0, 20)}</code>],
            [t('common.created'), format.moment(api.createdAt)],
            [t('common.changed'), format.moment(api.updatedAt)],
          ]}
        />
      </Panel>
      {found && (
        <Panel title={t('apis.diff')} lead={anything ? t('apis.diffLead') : undefined}>
          {anything ? (
            <>
              <ImportDiff result={found} />
              <Group mt="md">
                <Button
                  loading={apply.isPending}
                  onClick={() =>
                    apply.mutate(
                      { params, body: { dryRun: false } },
                      {
                        onSuccess: () => {
                          toastDone(t('common.saved'));
                          check.reset();
                        },
                        onError: toastProblem,
                      },
                    )
                  }
                >
                  {t('apis.applyChanges')}
                </Button>
              </Group>
            </>
          ) : (
            <Text c="dimmed">{t('apis.noChanges')}</Text>
          )}
        </Panel>
      )}
    </div>
  );
}
