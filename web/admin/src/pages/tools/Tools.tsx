import { Page } from '../../components/Page.tsx';
import { useText } from '../../i18n/text.tsx';
import { ToolTable } from './ToolTable.tsx';

/** All tools of all APIs. */
export default function Tools() {
  const t = useText();
  return (
    <Page title={t('nav.tools')} lead={t('tools.lead')} wide>
      <ToolTable />
    </Page>
  );
}
