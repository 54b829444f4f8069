import { Tabs } from '@mantine/core';
import { CodeBlock } from '../../../components/display/CodeBlock.tsx';
import { useText } from '../../../i18n/text.tsx';
import { curlOf, httpOf, pythonOf, typescriptOf, type SentRequest } from './request-code.ts';

const forms = [
  ['HTTP', httpOf],
  ['cURL', curlOf],
  ['TypeScript', typescriptOf],
  ['Python', pythonOf],
] as const;

/** A request as it is sent, as HTTP and as code to copy. */
export function RequestView({ request }: { request: SentRequest }) {
  const t = useText();
  return (
    <Tabs defaultValue="HTTP" variant="pills">
      <Tabs.List mb="sm">
        {forms.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {forms.map(([name, write]) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock text={write(request)} label={name === 'HTTP' ? t('tools.preview') : name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
