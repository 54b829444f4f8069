import { Alert, Button, Group, Text } from '@mantine/core';
import { GitPullRequestArrow } from 'lucide-react';
import { useChange } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import { Only } from '../../app/may.tsx';
import { toastProblem } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';

/** A change of the API's document that waits for someone to let it in. */
export function PendingChange({ tool }: { tool: Tool }) {
  const t = useText();
  const decide = useChange('POST', '/tools/:tool/pending', [
    '/tools/:tool',
    '/tools',
    '/tool-index',
    '/overview',
  ]);
  const answer = (approve: boolean) =>
    decide.mutate({ params: { tool: tool.id }, body: { approve } }, { onError: toastProblem });
  return (
    <Alert color="orange" icon={<GitPullRequestArrow size={17} aria-hidden />} title={t('tools.pending')}>
      <Text mb="sm">{t('tools.pendingText')}</Text>
      <Only>
        {' '}
        <Group gap="xs">
          <Button size="xs" loading={decide.isPending} onClick={() => answer(true)}>
            {t('tools.approve')}
          </Button>
          <Button size="xs" variant="default" loading={decide.isPending} onClick={() => answer(false)}>
            {t('tools.turnDown')}
          </Button>
        </Group>
      </Only>
    </Alert>
  );
}
