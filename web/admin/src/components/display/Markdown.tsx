import { useMemo } from 'react';
import { markdownBlocks, type Block, type Span } from './markdown-blocks.ts';
import styles from './Markdown.module.css';

/** Text that a model wrote, with its Markdown. Nothing in it can load anything or run. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <div className={styles.text}>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className={styles.heading}>
          <Spans of={block.spans} />
        </p>
      );
    case 'code':
      return (
        <pre className={styles.code} tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'rule':
      return <hr />;
    case 'quote':
      return (
        <blockquote>
          <Lines of={block.lines} />
        </blockquote>
      );
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List start={block.isOrdered ? block.start : undefined}>
          {block.items.map(({ depth, spans }, at) => (
            <li key={at} data-depth={depth}>
              <Spans of={spans} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return (
        <div className={styles.scroll} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at}>
                    <Spans of={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      <Spans of={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'paragraph':
      return (
        <p>
          <Lines of={block.lines} />
        </p>
      );
  }
}

function Lines({ of }: { of: readonly (readonly Span[])[] }) {
  return of.map((spans, at) => (
    <span key={at}>
      {at > 0 && <br />}
      <Spans of={spans} />
    </span>
  ));
}

function Spans({ of }: { of: readonly Span[] }) {
  return of.map((span, at) => {
    switch (span.kind) {
      case 'code':
        return <code key={at}>{span.text}</code>;
      case 'strong':
        return <strong key={at}>{span.text}</strong>;
      case 'emphasis':
        return <em key={at}>{span.text}</em>;
      case 'link':
        return (
          <a key={at} href={span.href} target="_blank" rel="noreferrer noopener" title={span.href}>
            {span.text}
          </a>
        );
      case 'text':
        return span.text;
    }
  });
}
