import { Button } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import type { CallRecord } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { Page } from '../../components/Page.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { CallDetails } from './CallDetails.tsx';

/** The page of one call. */
export default function CallPage({ reference }: { reference: string }) {
  const call = useGet('/calls/:call', { params: { call: reference } });
  return <Loaded query={call}>{(loaded) => <Story call={loaded} />}</Loaded>;
}

function Story({ call }: { call: CallRecord }) {
  const t = useText();
  const format = useFormats();
  const tool = useRepeatable(call);
  const repeat =
    tool &&
    `/tools/${tool}?${new URLSearchParams({ arguments: call.arguments ?? '{}', server: call.server }).toString()}`;
  return (
    <Page
      wide
      title={call.toolName || t('calls.noTool')}
      parent={{ href: '/calls', label: t('nav.calls') }}
      badge={<OutcomeBadge outcome={call.outcome} status={call.upstreamStatus} />}
      lead={`${format.moment(call.startedAt)} · ${format.duration(call.durationMs)}`}
      actions={
        repeat && (
          <RequireRole>
            <Button
              component={Link}
              href={repeat}
              variant="default"
              leftSection={<RotateCcw size={15} aria-hidden />}
            >
              {t('calls.repeat')}
            </Button>
          </RequireRole>
        )
      }
    >
      <CallDetails call={call} />
    </Page>
  );
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
