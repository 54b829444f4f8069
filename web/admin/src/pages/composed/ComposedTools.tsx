import { Badge, Button } from '@mantine/core';
import { SquareFunction, SquareTerminal } from 'lucide-react';
import { Link } from 'wouter';
import { useAll } from '../../api/queries.ts';
import type { ComposedTool } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { ListPage, ListRows } from '../../components/tables/ListPage.tsx';
import { Row } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { ComposedBadges } from './ComposedBadges.tsx';

const wordsOf = (tool: ComposedTool) => `${tool.name} ${tool.title ?? ''} ${tool.server} ${tool.description}`;

/** Scripts saved as tools. */
export default function ComposedTools() {
  const t = useText();
  const tools = useAll('/composed-tools', {});
  return (
    <ListPage
      title={t('nav.composed')}
      lead={t('composed.lead')}
      edits="editor"
      query={tools}
      empty={{ icon: SquareFunction, title: t('composed.empty'), text: t('composed.emptyText') }}
      searchLabel={t('composed.search')}
      wordsOf={wordsOf}
      add={
        <RequireRole>
          <Button component={Link} href="/code" leftSection={<SquareTerminal size={15} aria-hidden />}>
            {t('composed.write')}
          </Button>
        </RequireRole>
      }
    >
      {(found) => <ListRows things={found} row={(tool) => <ComposedRow key={tool.id} tool={tool} />} />}
    </ListPage>
  );
}

function ComposedRow({ tool }: { tool: ComposedTool }) {
  const t = useText();
  const format = useFormats();
  return (
    <Row
      href={`/composed/${tool.id}`}
      name={tool.name}
      badge={
        <>
          <ComposedBadges tool={tool} /> <Badge color="gray">{tool.server}</Badge>
        </>
      }
      note={[
        t('composed.version', { number: tool.version }),
        t('tools.count', { count: tool.calls.length }),
        t('composed.saved', { when: format.ago(tool.savedAt), who: tool.savedBy }),
      ].join(' · ')}
    />
  );
}
