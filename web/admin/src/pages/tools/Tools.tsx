import { Page } from '../../components/Page.tsx';
import { useText } from '../../i18n/text.tsx';
import { ToolTable } from './ToolTable.tsx';

/** Every tool of every API. */
export default function Tools() {
  const t = useText();
  return (
    <Page title={t('nav.tools')} lead={t('tools.lead')} wide>
      <ToolTable />
    </Page>
  );
}
