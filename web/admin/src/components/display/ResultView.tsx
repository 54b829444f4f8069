import { lazy, Suspense } from 'react';
import { CodeBlock } from './CodeBlock.tsx';

const ResultBlocks = lazy(() => import('./ResultBlocks.tsx'));

/** Pieces of a result, as MCP content: a table, a tree or text, to search, copy and download. Plain until that loaded. */
export function ResultView({
  content,
  label,
}: {
  content: readonly Record<string, unknown>[];
  label: string;
}) {
  return (
    <Suspense
      fallback={
        <CodeBlock
          text={content.flatMap(({ text }) => (typeof text === 'string' ? text : [])).join('\n')}
          label={label}
        />
      }
    >
      <ResultBlocks content={content} label={label} />
    </Suspense>
  );
}
