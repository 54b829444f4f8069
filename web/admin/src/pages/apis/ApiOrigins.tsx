import { Badge, Button, Group, Text } from '@mantine/core';
import { useChange } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import styles from './ToolLines.module.css';

/** Other servers that an API's document names for some operations, and whether its secrets are sent there. */
export function ApiOrigins({ api }: { api: Api }) {
  const t = useText();
  const isOwner = useHasRole('owner');
  const agree = useChange('POST', '/apis/:api/origins', ['/apis', '/apis/:api', '/credentials']);
  return (
    <Panel title={t('origins.title')} lead={t('origins.lead')}>
      <ul className={styles.lines}>
        {api.origins.map(({ origin, tools, agreed }) => (
          <li key={origin} className={styles.line}>
            <div className={styles.words}>
              <Group gap={8}>
                <code className={styles.request}>{origin}</code>
                <Badge color={agreed ? 'green' : 'orange'}>
                  {t(agreed ? 'origins.allowed' : 'origins.notAllowed')}
                </Badge>
              </Group>
              <Text size="sm" c="dimmed">
                {t('origins.tools', { count: tools })}
              </Text>
            </div>
            {isOwner && (
              <Button
                variant={agreed ? 'default' : 'light'}
                size="compact-sm"
                loading={agree.isPending}
                onClick={() =>
                  agree.mutate(
                    { params: { api: api.id }, body: { origin, agree: !agreed } },
                    { onSuccess: () => toastDone(t('common.saved')), onError: toastProblem },
                  )
                }
              >
                {t(agreed ? 'origins.revoke' : 'origins.allow')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
