import { Button, Stack, Text } from '@mantine/core';
import { useChange, useGet } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { FieldDiff } from '../../components/display/FieldDiff.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { Panel } from '../../components/Panel.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';

/** A pending change from the API's document, with its diff. */
export function PendingChange({ tool, waiting }: { tool: Tool; waiting: NonNullable<Tool['waiting']> }) {
  const t = useText();
  const pending = useGet('/tools/:tool/pending', { params: { tool: tool.id } });
  const decide = useChange('POST', '/tools/:tool/pending', [
    '/tools/:tool',
    '/tools/:tool/pending',
    '/tools',
    '/tool-index',
    '/overview',
  ]);
  const answer = (approve: boolean) =>
    decide.mutate(
      { params: { tool: tool.id }, body: { approve } },
      {
        onSuccess: () => toastDone(t(approve ? 'tools.approved' : 'tools.declined')),
        onError: toastProblem,
      },
    );
  return (
    <Panel
      title={waiting === 'changed' ? t('tools.pendingTitle') : t(`pending.${waiting}`)}
      lead={waiting === 'changed' ? t('tools.pendingText') : t(`pending.${waiting}Text`)}
      actions={
        <RequireRole>
          <Button variant="default" size="xs" loading={decide.isPending} onClick={() => answer(false)}>
            {t('tools.decline')}
          </Button>
          <Button size="xs" loading={decide.isPending} onClick={() => answer(true)}>
            {t('tools.approve')}
          </Button>
        </RequireRole>
      }
    >
      <Loaded query={pending} rows={3}>
        {({ fields, kept }) => (
          <Stack gap="sm">
            {fields.map((change) => (
              <FieldDiff key={change.path} change={change} />
            ))}
            {fields.length === 0 && waiting === 'changed' && (
              <Text c="dimmed">{t('tools.pendingNothing')}</Text>
            )}
            {kept.length > 0 && (
              <Text size="sm" c="dimmed">
                {t('apis.kept', { fields: kept.join(', ') })}
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}
