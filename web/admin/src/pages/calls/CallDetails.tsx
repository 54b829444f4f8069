import { Alert, Badge } from '@mantine/core';
import { ArrowDownLeft, ArrowUpRight, BookOpenText, Bot } from 'lucide-react';
import { Link } from 'wouter';
import type { CallRecord } from '../../api/resources.ts';
import { CopyButton } from '../../components/display/CopyButton.tsx';
import { Facts } from '../../components/display/Facts.tsx';
import { useOutcomeText } from '../../components/display/outcomes.ts';
import layout from '../../components/Layout.module.css';
import { ProblemText } from '../../components/remedies/ProblemText.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { readHttp } from '../tools/try-tool/request-code.ts';
import { RequestView } from '../tools/try-tool/RequestView.tsx';
import { ChildCalls } from './ChildCalls.tsx';
import { TraceStep } from './TraceStep.tsx';
import { Waterfall } from './Waterfall.tsx';

/** Everything that is known about a call; in one column inside a panel. */
export function CallDetails({ call, inPanel = false }: { call: CallRecord; inPanel?: boolean }) {
  const t = useText();
  const format = useFormats();
  const outcomeText = useOutcomeText();
  const isGathered = call.steps.some(({ name }) => name === 'pages');
  return (
    <>
      {call.message !== null && (
        <Alert color={call.outcome === 'waiting' ? 'yellow' : 'red'} title={outcomeText(call.outcome)}>
          <ProblemText message={call.message} />
        </Alert>
      )}
      <div className={inPanel ? layout.column : layout.aside}>
        <div className={layout.column}>
          <Panel>
            <Trace call={call} isGathered={isGathered} />
          </Panel>
          <Panel title={t('calls.waterfall')}>
            <Waterfall call={call} />
          </Panel>
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

/** What went over each wire, in order; also of a call that failed. */
function Trace({ call, isGathered }: { call: CallRecord; isGathered: boolean }) {
  const t = useText();
  const format = useFormats();
  const { message, read, readTokens, reply, request } = call;
  const isWhole = readTokens === null && message === null;
  const tokens = (count: number) => t('tools.aboutTokens', { count });
  // One token for four bytes, as the gateway estimates replies.
  const sizeOf = (text: string | null): string[] => {
    if (text === null) return [];
    const { length } = new TextEncoder().encode(text);
    return [format.bytes(length), tokens(Math.ceil(length / 4))];
  };
  const isAnswered = call.upstreamStatus !== null;
  const sent = isGathered || request === null ? null : readHttp(request);
  const notSent = t(call.cached ? 'calls.fromCache' : 'calls.noRequest');
  const received = isWhole ? reply : (message ?? read);
  return (
    <div>
      <TraceStep icon={Bot} title={t('calls.modelSent')} facts={sizeOf(call.arguments)} text={call.arguments}>
        {t('calls.notRecorded')}
      </TraceStep>
      <TraceStep
        icon={ArrowUpRight}
        title={t('tools.request')}
        facts={[call.requestBytes > 0 && !isGathered && format.bytes(call.requestBytes)]}
        text={isGathered || sent ? null : request}
      >
        {sent ? (
          <RequestView request={sent} />
        ) : isGathered ? (
          t('calls.requestInPages')
        ) : isAnswered ? (
          t('calls.notRecorded')
        ) : (
          notSent
        )}
      </TraceStep>
      <TraceStep
        icon={ArrowDownLeft}
        title={t('calls.apiReplied')}
        facts={[
          isAnswered && `HTTP ${call.upstreamStatus}`,
          isAnswered && !isGathered && format.bytes(call.replyBytes),
          call.upstreamMs !== null && format.duration(call.upstreamMs),
        ]}
        text={isWhole ? null : reply}
        {...((call.upstreamStatus ?? 0) >= 400 && { tone: 'bad' })}
      >
        {isWhole && reply !== null
          ? t('calls.passedOn')
          : isAnswered && message === null
            ? t('calls.notRecorded')
            : t('calls.nothingReceived')}
      </TraceStep>
      <TraceStep
        icon={BookOpenText}
        title={t('calls.modelReceived')}
        facts={readTokens === null && message === null ? [tokens(call.outputTokens)] : sizeOf(received)}
        text={readTokens === 0 ? null : received}
      >
        {readTokens === 0 ? t('calls.readTogether') : t('calls.notRecorded')}
      </TraceStep>
    </div>
  );
}
