import { Button, FileButton, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileUp, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../api/client.ts';
import type { Api } from '../../api/resources.ts';
import { EditableFields, useHasRole } from '../../app/account/permissions.tsx';
import { Facts } from '../../components/display/Facts.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { namedFiles } from '../add/dropped-files.ts';
import { sourceOfFiles, type Source } from '../add/source.ts';
import { ApiOrigins } from './ApiOrigins.tsx';
import { ApiRemoved } from './ApiRemoved.tsx';
import { ApiApprovals } from './ApiApprovals.tsx';
import { ApiWatch } from './ApiWatch.tsx';
import { ExportMenu } from './ExportMenu.tsx';
import { ImportDiff } from './ImportDiff.tsx';

/** Where an API was imported from, and what has changed there since. */
export function ApiSource({ api }: { api: Api }) {
  const t = useText();
  const queries = useQueryClient();
  const mayEdit = useHasRole('editor');
  // A newer document to compare with, or null for the one at the source URL.
  const [newer, setNewer] = useState<Source | null>(null);
  const ask = ({ document, dryRun }: { document: Source | null; dryRun: boolean }) =>
    document === null
      ? request('POST', '/apis/:api/refresh', { params: { api: api.id }, body: { dryRun } })
      : request('POST', '/imports', { body: { ...document, api: api.slug, dryRun } });
  const check = useMutation({
    mutationFn: ask,
    onError: toastProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['/apis/:api'] }),
  });
  const apply = useMutation({
    mutationFn: ask,
    onError: toastProblem,
    onSuccess: async () => {
      toastDone(t('common.saved'));
      check.reset();
      await queries.invalidateQueries();
    },
  });
  const look = (document: Source | null) => {
    setNewer(document);
    check.mutate({ document, dryRun: true });
  };
  // The button in the page's header opens this tab to check at once.
  const [search, setSearch] = useSearchParams();
  const asked = search.get('check') === 'now';
  useEffect(() => {
    if (!asked) return;
    setSearch({ tab: 'source' }, { replace: true });
    look(null);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only when it is asked for
  }, [asked]);
  const found = check.data?.imports[0];
  const anything =
    found && found.added.length + found.changed.length + found.removed.length + found.apiFields.length > 0;
  return (
    <div className={layout.column}>
      {api.pendingCount > 0 && <ApiApprovals api={api} />}
      <div className={api.source ? layout.split : undefined}>
        <Panel
          title={t('apis.source')}
          actions={
            <Group gap="xs">
              {mayEdit && api.source?.url !== undefined && (
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<RefreshCw size={14} aria-hidden />}
                  loading={check.isPending}
                  onClick={() => look(null)}
                >
                  {t('apis.checkForChanges')}
                </Button>
              )}
              {mayEdit && api.source && (
                <FileButton
                  multiple
                  onChange={(files) => void sourceOfFiles(namedFiles(files), null).then(look, toastProblem)}
                >
                  {(props) => (
                    <Button
                      {...props}
                      variant="default"
                      size="xs"
                      leftSection={<FileUp size={14} aria-hidden />}
                    >
                      {t('apis.compareFile')}
                    </Button>
                  )}
                </FileButton>
              )}
              <ExportMenu api={api.slug} size="xs" />
            </Group>
          }
        >
          <SourceFacts api={api} />
        </Panel>
        {api.source && (
          <EditableFields>
            <ApiWatch api={api} onReview={() => look(null)} />
          </EditableFields>
        )}
      </div>
      {api.origins.length > 0 && <ApiOrigins api={api} />}
      {api.removedCount > 0 && <ApiRemoved api={api} />}
      {found && (
        <Panel title={t('apis.diff')} lead={anything ? t('apis.diffLead') : undefined}>
          {anything ? (
            <>
              <ImportDiff result={found} />
              <Group mt="md">
                <Button
                  loading={apply.isPending}
                  onClick={() => apply.mutate({ document: newer, dryRun: false })}
                >
                  {t('apis.applyChanges')}
                </Button>
                <Button variant="default" onClick={() => check.reset()}>
                  {t('common.cancel')}
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

function SourceFacts({ api: { source, createdAt, updatedAt } }: { api: Api }) {
  const t = useText();
  const format = useFormats();
  const { headers, cookies, fix = {} } = source?.rules ?? {};
  const rules = [
    headers === 'hide' && t('apis.headersHidden'),
    cookies === 'hide' && t('apis.cookiesHidden'),
    ...Object.entries(fix).map(([name, value]) => `${name}: ${value}`),
  ].filter((rule) => rule !== false);
  return (
    <Facts
      facts={[
        [t('apis.sourceKind'), source?.kind ?? t('apis.byHand')],
        [t('apis.sourceUrl'), source?.url],
        [t('apis.importedAt'), source && format.moment(source.importedAt)],
        [t('apis.documentHash'), source && <code>{source.documentHash.slice(0, 20)}</code>],
        [t('apis.rules'), rules.join(' · ')],
        [t('common.created'), format.moment(createdAt)],
        [t('common.updated'), format.moment(updatedAt)],
      ]}
    />
  );
}
