import { Tabs } from '@mantine/core';
import type { ReplyOf, RouteAt } from '../../../api/routes.ts';
import { CodeBlock } from '../../../components/display/CodeBlock.tsx';
import { useText } from '../../../i18n/text.tsx';
import { curlOf } from './curl.ts';

/** A request as it would be sent, as HTTP and as a cURL command. */
export function RequestView({
  request: shown,
}: {
  request: ReplyOf<RouteAt<'POST', '/tools/:tool/preview'>>;
}) {
  const t = useText();
  return (
    <Tabs defaultValue="http" variant="pills">
      <Tabs.List mb="sm">
        <Tabs.Tab value="http">HTTP</Tabs.Tab>
        <Tabs.Tab value="curl">cURL</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="http">
        <CodeBlock
          text={[
            `${shown.method} ${shown.url}`,
            ...Object.entries(shown.headers).map(([name, value]) => `${name}: ${value}`),
            ...(shown.body === null ? [] : ['', shown.body]),
          ].join('\n')}
          label={t('tools.preview')}
        />
      </Tabs.Panel>
      <Tabs.Panel value="curl">
        <CodeBlock text={curlOf(shown)} label="cURL" />
      </Tabs.Panel>
    </Tabs>
  );
}
