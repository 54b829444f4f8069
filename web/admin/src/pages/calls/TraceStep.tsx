import { Text } from '@mantine/core';
import { type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { ResultView } from '../../components/display/ResultView.tsx';
import styles from './TraceStep.module.css';

interface TraceStepProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** Sizes, tokens and times, in order. */
  readonly facts: readonly (string | false | null)[];
  /** What went over the wire in this step. */
  readonly text?: string | null;
  /** Shown instead, if there is no text. */
  readonly children?: ReactNode;
  readonly tone?: 'bad';
}

/** One step of a call, in the order in which they happened. */
export function TraceStep({ icon: Icon, title, facts, text, children, tone }: TraceStepProps) {
  const hasText = text !== undefined && text !== null && text !== '';
  const isJson = hasText && /^\s*[[{]/.test(text);
  return (
    <div role="group" aria-label={title} className={styles.step} data-tone={tone}>
      <span className={styles.icon} aria-hidden>
        <Icon size={16} strokeWidth={1.9} />
      </span>
      <div className={styles.body}>
        <div className={styles.head}>
          <h2 className={styles.title}>{title}</h2>
          <span className={styles.facts}>{facts.filter(Boolean).join(' · ')}</span>
        </div>
        {hasText && isJson ? (
          <ResultView content={[{ type: 'text', text }]} label={title} />
        ) : hasText ? (
          <CodeBlock text={text} label={title} />
        ) : (
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
        )}
      </div>
    </div>
  );
}
