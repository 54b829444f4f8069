import { Button, Group } from '@mantine/core';
import { ListChecks, Play, RotateCcw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useChange, useGet } from '../../api/queries.ts';
import type { CallRecord } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { Page } from '../../components/Page.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { CallDetails } from './CallDetails.tsx';

const SaveCheck = lazy(() => import('../playground/SaveCheck.tsx'));

/** The page of one call. */
export default function CallPage({ reference }: { reference: string }) {
  const call = useGet('/calls/:call', { params: { call: reference } });
  return <Loaded query={call}>{(loaded) => <Story call={loaded} />}</Loaded>;
}

function Story({ call }: { call: CallRecord }) {
  const t = useText();
  const format = useFormats();
  return (
    <Page
      wide
      title={call.toolName || t('calls.noTool')}
      parent={{ href: '/calls', label: t('nav.calls') }}
      badge={<OutcomeBadge outcome={call.outcome} status={call.upstreamStatus} />}
      lead={`${format.moment(call.startedAt)} · ${format.duration(call.durationMs)}`}
      actions={
        <RequireRole>
          <CallActions call={call} />
        </RequireRole>
      }
    >
      <CallDetails call={call} />
    </Page>
  );
}

/** What to do with a call: send it again, change it first, or expect it of a model. */
function CallActions({ call }: { call: CallRecord }) {
  const t = useText();
  const [, go] = useLocation();
  const [isChecking, setIsChecking] = useState(false);
  const tool = useRepeatable(call);
  const replay = useChange('POST', '/tools/:tool/call', ['/calls']);
  if (tool === null) return null;
  const args = readArguments(call.arguments);
  const open = new URLSearchParams({ arguments: call.arguments ?? '{}', server: call.server });
  const send = async () => {
    const isRead = call.request === null || /^(?:GET|HEAD) /.test(call.request);
    const question = {
      title: t('calls.replayTitle'),
      text: t('calls.replayText', { request: call.request?.split('\n', 1)[0] ?? call.toolName }),
      action: t('calls.replay'),
    };
    if (!isRead && !(await confirm(question))) return;
    replay.mutate(
      { params: { tool }, body: { arguments: args ?? {}, server: call.server } },
      { onSuccess: ({ callId }) => go(`/calls/${callId}`), onError: toastProblem },
    );
  };
  return (
    <Group gap="xs">
      {args !== null && (
        <Button
          variant="default"
          loading={replay.isPending}
          leftSection={<RotateCcw size={15} aria-hidden />}
          onClick={() => void send()}
        >
          {t('calls.replay')}
        </Button>
      )}
      <Button
        component={Link}
        href={`/tools/${tool}?${open.toString()}`}
        variant="default"
        leftSection={<Play size={15} aria-hidden />}
      >
        {t('calls.openInTry')}
      </Button>
      <Button
        variant="default"
        leftSection={<ListChecks size={15} aria-hidden />}
        onClick={() => setIsChecking(true)}
      >
        {t('calls.makeCheck')}
      </Button>
      <Suspense>
        {isChecking && (
          <SaveCheck
            server={call.server}
            draft={{
              question: '',
              calls: [args === null ? call.toolName : `${call.toolName} ${JSON.stringify(args)}`],
              usedTokens: 0,
            }}
            onClose={() => setIsChecking(false)}
          />
        )}
      </Suspense>
    </Group>
  );
}

/** Null for arguments that weren't recorded, or only their start. */
function readArguments(text: string | null): Record<string, never> | null {
  try {
    return text === null ? null : (JSON.parse(text) as Record<string, never>);
  } catch {
    return null;
  }
}

/** The tool to call again: the same one, or the one a draft was saved as; null if neither exists. */
function useRepeatable({ toolId, toolName, outcome }: CallRecord): string | null {
  const same = useGet('/tools/:tool', { params: { tool: toolId ?? '' } }, { enabled: toolId !== null });
  const named = useGet(
    '/tools/:tool',
    { params: { tool: toolName } },
    { enabled: outcome !== 'unknown_tool' && toolName !== '' && (toolId === null || same.error !== null) },
  );
  return same.data?.id ?? named.data?.id ?? null;
}
