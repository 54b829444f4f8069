import { Lock } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useHasRole } from '../../app/account/permissions.tsx';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import type { ToolRule } from '../servers/choose-tools/tool-rules.ts';
import { Published } from './Published.tsx';
import { PublishForm, type PublishedServer } from './PublishForm.tsx';

/** The tools selected on the page that led here. */
function handedTools(): ToolRule[] {
  const { tools } = (history.state ?? {}) as { tools?: unknown };
  return Array.isArray(tools) ? tools.map((tool) => ({ tool: String(tool) })) : [];
}

/** From tools to a server that clients can reach: select, publish, connect, see the first call. */
export default function Publish() {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const [search] = useSearchParams();
  const [published, setPublished] = useState<PublishedServer | null>(null);
  const api = search.get('api');
  const [rules] = useState<ToolRule[]>(() => (api === null ? handedTools() : [{ api }]));
  return (
    <Page
      title={published === null ? t('servers.add') : t('publish.done', { name: published.server.name })}
      lead={t(published === null ? 'servers.lead' : 'publish.doneLead')}
      parent={{ href: '/servers', label: t('nav.servers') }}
      edits="editor"
    >
      {!mayEdit ? (
        <Panel>
          <EmptyState icon={Lock} title={t('publish.editorsOnly')} text={t('add.editorsOnlyText')} />
        </Panel>
      ) : published === null ? (
        <PublishForm name={api ?? ''} rules={rules} onPublished={setPublished} />
      ) : (
        <Published published={published} />
      )}
    </Page>
  );
}
