import { Badge, Button, Group, Text } from '@mantine/core';
import { useChange, useGet } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './ToolLines.module.css';

/** Tools that left an API's document. If they return, they keep their edits. */
export function ApiRemoved({ api }: { api: Api }) {
  const t = useText();
  const format = useFormats();
  const removed = useGet('/apis/:api/removed', { params: { api: api.id } });
  const forget = useChange('DELETE', '/apis/:api/removed', ['/apis/:api', '/apis/:api/removed', '/servers']);
  return (
    <Panel title={t('removed.title')} lead={t('removed.lead')}>
      <Loaded query={removed} rows={3}>
        {({ items }) => (
          <ul className={styles.lines}>
            {items.map((item) => (
              <li key={item.id} className={styles.line}>
                <div className={styles.words}>
                  <Group gap={8}>
                    <b>{item.tool}</b>
                    {!item.enabled && <Badge color="gray">{t('common.disabled')}</Badge>}
                    {item.edited && <Badge color="blue">{t('removed.edited')}</Badge>}
                  </Group>
                  <Text size="sm" c="dimmed" className={styles.request}>
                    {[item.operation, format.ago(item.removedAt), ...item.servers].join(' · ')}
                  </Text>
                </div>
                <RequireRole>
                  <Button
                    variant="default"
                    size="compact-sm"
                    onClick={() =>
                      forget.mutate(
                        { params: { api: api.id }, query: { tools: item.id } },
                        { onSuccess: () => toastDone(t('common.saved')), onError: toastProblem },
                      )
                    }
                  >
                    {t('removed.forget')}
                  </Button>
                </RequireRole>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
