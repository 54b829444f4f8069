import { Stack } from '@mantine/core';
import { CodeBlock } from '../../../components/display/CodeBlock.tsx';
import styles from './ContentView.module.css';

const imageType = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** MCP content for a person: text as text, pictures as pictures, anything else as JSON. */
export function ContentView({ content }: { content: readonly Record<string, unknown>[] }) {
  return (
    <Stack gap="sm">
      {content.map((part, at) => {
        if (part['type'] === 'text')
          return <CodeBlock key={at} json text={String(part['text'])} maxHeight={620} />;
        if (part['type'] === 'image' && imageType.test(String(part['mimeType'])))
          return (
            <img
              key={at}
              alt=""
              className={styles.picture}
              src={`data:${String(part['mimeType'])};base64,${String(part['data'])}`}
            />
          );
        return <CodeBlock key={at} json text={JSON.stringify(part)} maxHeight={620} />;
      })}
    </Stack>
  );
}
