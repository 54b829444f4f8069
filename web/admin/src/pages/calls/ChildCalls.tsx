import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

const shownHere = 20;

/** The child calls of a call, newest first; nothing if it has none. */
export function ChildCalls({ parent, of }: { parent: string; of: 'pages' | 'job' | null }) {
  const t = useText();
  const format = useFormats();
  const children = useGet('/calls', { query: { parent, limit: shownHere } }).data;
  if (children === undefined || children.items.length === 0) return null;
  return (
    <Panel
      flush
      title={t('calls.children')}
      lead={of === null ? undefined : t(`calls.children.${of}`)}
      actions={
        children.nextCursor !== null && (
          <Button
            component={Link}
            href={`/calls?parent=${encodeURIComponent(parent)}`}
            variant="subtle"
            size="compact-sm"
          >
            {t('calls.allChildren')}
          </Button>
        )
      }
    >
      <RowList>
        {children.items.map((call) => (
          <Row
            key={call.id}
            name={call.toolName || t('calls.noTool')}
            href={`/calls/${call.id}`}
            badge={<OutcomeBadge outcome={call.outcome} status={call.upstreamStatus} />}
            note={[format.moment(call.startedAt), of === 'pages' && call.request].filter(Boolean).join(' · ')}
            side={format.duration(call.durationMs)}
          />
        ))}
      </RowList>
    </Panel>
  );
}
