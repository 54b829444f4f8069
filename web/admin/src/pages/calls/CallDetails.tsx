import { Alert, Badge, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { CallRecord } from '../../api/resources.ts';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { CopyButton } from '../../components/display/CopyButton.tsx';
import { Facts } from '../../components/display/Facts.tsx';
import layout from '../../components/Layout.module.css';
import { ProblemText } from '../../components/remedies/ProblemText.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { ChildCalls } from './ChildCalls.tsx';
import { Waterfall } from './Waterfall.tsx';

/** Everything that is known about a call; in one column inside a panel. */
export function CallDetails({ call, inPanel = false }: { call: CallRecord; inPanel?: boolean }) {
  const t = useText();
  const format = useFormats();
  const isWhole = call.readTokens === null && call.message === null;
  const isGathered = call.steps.some(({ name }) => name === 'pages');
  return (
    <>
      {call.message !== null && (
        <Alert
          color={call.outcome === 'waiting' ? 'yellow' : 'red'}
          title={call.outcome === 'waiting' ? t('calls.waiting') : call.outcome.replaceAll('_', ' ')}
        >
          <ProblemText message={call.message} />
        </Alert>
      )}
      <div className={inPanel ? layout.column : layout.aside}>
        <div className={layout.column}>
          <Panel title={t('calls.waterfall')}>
            <Waterfall call={call} />
          </Panel>
          <Panel title={t('tools.arguments')}>
            <Recorded text={call.arguments} label={t('tools.arguments')} />
          </Panel>
          <Panel title={t('tools.request')}>
            {isGathered ? (
              <Text size="sm">{t('calls.requestInPages')}</Text>
            ) : (
              <Recorded text={call.request} label={t('tools.request')} />
            )}
          </Panel>
          <Panel title={t(isWhole ? 'calls.reply' : 'calls.sentByApi')}>
            {call.reply === null && call.message !== null ? (
              <Text size="sm">{t('calls.nothingReceived')}</Text>
            ) : (
              <Recorded text={call.reply} label={t('calls.reply')} />
            )}
          </Panel>
          {call.message !== null && (
            <Panel title={t('calls.readByModel')}>
              <CodeBlock text={call.message} label={t('calls.readByModel')} />
            </Panel>
          )}
          {call.readTokens !== null && (
            <Panel title={t('calls.readByModel')}>
              {call.readTokens === 0 ? (
                <Text size="sm">{t('calls.readTogether')}</Text>
              ) : (
                <Recorded text={call.read} label={t('calls.readByModel')} />
              )}
            </Panel>
          )}
          <ChildCalls
            parent={call.id}
            of={isGathered ? 'pages' : call.upstreamStatus === 202 ? 'job' : null}
          />
        </div>
        <Panel title={t('calls.facts')}>
          <Facts
            facts={[
              [
                t('calls.id'),
                <span key="id">
                  <code>{call.id}</code> <CopyButton text={call.id} />
                </span>,
              ],
              [
                t('calls.parent'),
                call.parentId && (
                  <Link href={`/calls/${call.parentId}`}>
                    <code>{call.parentId}</code>
                  </Link>
                ),
              ],
              [t('calls.api'), call.api && <Link href={`/apis/${call.api}`}>{call.api}</Link>],
              [
                t('calls.server'),
                <Link key="server" href={`/servers/${call.server}`}>
                  {call.server}
                </Link>,
              ],
              [
                t('calls.caller'),
                <Link key="caller" href={`/calls?caller=${encodeURIComponent(call.callerId)}`}>
                  {call.caller}
                </Link>,
              ],
              [t('calls.client'), [call.client, call.clientVersion].filter(Boolean).join(' ')],
              [
                t('calls.surface'),
                <Badge key="surface" color="gray">
                  {call.surface}
                </Badge>,
              ],
              [t('calls.tries'), isGathered ? undefined : call.tries],
              [t('calls.redacted'), redactedIn(call) || undefined],
              [t('calls.cached'), call.cached ? t('common.yes') : t('common.no')],
              [t('calls.sent'), isGathered ? undefined : format.bytes(call.requestBytes)],
              [
                t('calls.received'),
                [
                  !isGathered && format.bytes(call.replyBytes),
                  call.message === null && t('tools.aboutTokens', { count: call.outputTokens }),
                ]
                  .filter(Boolean)
                  .join(' · '),
              ],
              [
                t('calls.read'),
                call.readTokens === null ? undefined : t('tools.aboutTokens', { count: call.readTokens }),
              ],
              [
                t('calls.saved'),
                // Savings of a page are counted in the call it belongs to.
                call.readTokens === null || call.readTokens === 0
                  ? undefined
                  : t('tools.aboutTokens', { count: Math.max(0, call.outputTokens - call.readTokens) }),
              ],
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

// What the gateway writes in place of a secret.
const mask = '[masked]';

/** How many values were masked before the call was recorded. */
function redactedIn({ arguments: given, request, reply }: CallRecord): number {
  return [given, request, reply].join('\n').split(mask).length - 1;
}

function Recorded({ text, label }: { text: string | null; label: string }) {
  const t = useText();
  if (text === null)
    return (
      <Text c="dimmed" size="sm">
        {t('calls.notRecorded')}
      </Text>
    );
  return <CodeBlock json text={text} label={label} />;
}
