import { Alert, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ReplyOf, RouteAt } from '../../../api/routes.ts';
import { CodeBlock } from '../../../components/display/CodeBlock.tsx';
import { ResultView } from '../../../components/display/ResultView.tsx';
import { ProblemText } from '../../../components/remedies/ProblemText.tsx';
import { OutcomeBadge } from '../../../components/display/OutcomeBadge.tsx';
import { useFormats } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/text.tsx';

type CallReply = ReplyOf<RouteAt<'POST', '/tools/:tool/call'>>;

/** The outcome of a trial call in one line. */
export function CallSummary({ reply }: { reply: CallReply }) {
  const t = useText();
  const format = useFormats();
  return (
    <Group gap="sm">
      <OutcomeBadge outcome={outcomeOf(reply)} status={reply.upstreamStatus} />
      <Text size="sm" c="dimmed">
        {format.duration(reply.durationMs)}
      </Text>
      <Button component={Link} href={`/calls/${reply.callId}`} variant="subtle" size="compact-sm">
        {t('calls.details')}
      </Button>
    </Group>
  );
}

function outcomeOf({ ok, waiting, error }: CallReply): string {
  if (ok) return 'ok';
  return waiting ? 'waiting' : (error?.code ?? 'error');
}

/** The result as an agent would get it. */
export function CallResult({ reply, retry }: { reply: CallReply; retry?: () => void }) {
  const t = useText();
  return (
    <Stack gap="md">
      {reply.waiting && (
        <Alert color="yellow" title={t('calls.waiting')}>
          {reply.waiting.message}
        </Alert>
      )}
      {reply.error && (
        <Alert color="red" title={t(`fault.${reply.error.fault as 'caller'}`)}>
          <ProblemText message={reply.error.message} retry={retry} />
        </Alert>
      )}
      <Tabs defaultValue="content" variant="pills">
        <Tabs.List mb="sm">
          <Tabs.Tab value="content">{t('tools.content')}</Tabs.Tab>
          {reply.structuredContent !== undefined && (
            <Tabs.Tab value="structured">{t('tools.structured')}</Tabs.Tab>
          )}
          <Tabs.Tab value="raw">{t('tools.raw')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="content">
          <ResultView content={reply.content} label={t('tools.content')} />
        </Tabs.Panel>
        <Tabs.Panel value="structured">
          <ResultView
            content={[{ type: 'text', text: JSON.stringify(reply.structuredContent ?? null) }]}
            label={t('tools.structured')}
          />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <CodeBlock
            json
            text={JSON.stringify({
              content: reply.content,
              structuredContent: reply.structuredContent,
              isError: !reply.ok,
            })}
            maxHeight={620}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
