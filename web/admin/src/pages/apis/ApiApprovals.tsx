import { Badge, Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useChange, useGet } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import styles from './ToolLines.module.css';

const tones = { new: 'green', returned: 'teal', leaving: 'red', changed: 'yellow' } as const;

/** The pending changes of an API: new tools, changed tools, and tools that left the document. */
export function ApiApprovals({ api }: { api: Api }) {
  const t = useText();
  const waiting = useGet('/apis/:api/waiting', { params: { api: api.id } });
  const decide = useChange('POST', '/apis/:api/waiting', [
    '/apis',
    '/apis/:api',
    '/apis/:api/waiting',
    '/apis/:api/removed',
    '/tools',
    '/tool-index',
    '/overview',
  ]);
  const answer = (approve: boolean, tools?: string[]) =>
    decide.mutate(
      { params: { api: api.id }, body: { approve, ...(tools && { tools }) } },
      {
        onSuccess: () => toastDone(t(approve ? 'tools.approved' : 'tools.declined')),
        onError: toastProblem,
      },
    );
  return (
    <Panel
      title={t('pending.title')}
      lead={t('pending.lead')}
      actions={
        <RequireRole>
          <Button variant="default" size="xs" loading={decide.isPending} onClick={() => answer(false)}>
            {t('pending.declineAll')}
          </Button>
          <Button size="xs" loading={decide.isPending} onClick={() => answer(true)}>
            {t('pending.approveAll')}
          </Button>
        </RequireRole>
      }
    >
      <Loaded query={waiting} rows={3}>
        {({ items }) => (
          <ul className={styles.lines}>
            {items.map((item) => (
              <li key={item.id} className={styles.line}>
                <div className={styles.words}>
                  <Group gap={8}>
                    <Badge color={tones[item.waiting]}>{t(`pending.${item.waiting}`)}</Badge>
                    <Link href={`/tools/${item.id}`} className={styles.tool}>
                      {item.tool}
                    </Link>
                    {!item.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
                  </Group>
                  <Text size="sm" c="dimmed" className={styles.request}>
                    {item.operation} · {t(`pending.${item.waiting}Text`)}
                  </Text>
                </div>
                <RequireRole>
                  <Group gap={6} wrap="nowrap">
                    <Button variant="default" size="compact-sm" onClick={() => answer(false, [item.id])}>
                      {t('tools.decline')}
                    </Button>
                    <Button variant="light" size="compact-sm" onClick={() => answer(true, [item.id])}>
                      {t('tools.approve')}
                    </Button>
                  </Group>
                </RequireRole>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
