import { Badge, Loader } from '@mantine/core';
import { BookOpen, Code, FileText, Search, Wrench, type LucideIcon } from 'lucide-react';
import { Link } from 'wouter';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { Waterfall } from '../calls/Waterfall.tsx';
import type { Part } from './exchange.ts';
import styles from './Playground.module.css';

const icons: Readonly<Record<string, LucideIcon>> = {
  search_tools: Search,
  describe_tools: BookOpen,
  read_reply: FileText,
  run_code: Code,
};

/** One call of a model: its arguments, the reply, timing and token cost. */
export function CallCard({ call }: { call: Extract<Part, { kind: 'call' }> }) {
  const t = useText();
  const format = useFormats();
  const { name, result } = call;
  const Icon = icons[name] ?? Wrench;
  const script = scriptIn(call);
  return (
    <details className={styles.card} data-state={result === null ? 'running' : result.ok ? 'ok' : 'failed'}>
      <summary className={styles.cardHead}>
        <Icon size={15} aria-hidden />
        <code className={styles.cardName}>{name}</code>
        <span className={styles.cardGist}>{gistOf(call)}</span>
        {result === null ? (
          <Loader role="img" size={14} aria-label={t('playground.calling')} />
        ) : (
          <span className={styles.cardFacts}>
            {!result.ok && <Badge color="red">{t('playground.callFailed')}</Badge>}
            {format.duration(result.durationMs)} · {t('playground.tokens', { count: result.tokens })}
          </span>
        )}
      </summary>
      <div className={styles.cardBody}>
        <h3>{t(script === null ? 'playground.arguments' : 'playground.script')}</h3>
        <CodeBlock
          text={script ?? call.arguments}
          json={script === null}
          label={t(script === null ? 'playground.arguments' : 'playground.script')}
          maxHeight={240}
        />
        {result !== null && (
          <>
            <h3>{t('playground.reply')}</h3>
            <CodeBlock text={result.text} json label={t('playground.reply')} maxHeight={240} />
            {result.shown !== '' && (
              <>
                <h3>{t('playground.shown')}</h3>
                <CodeBlock text={result.shown} label={t('playground.shown')} maxHeight={160} />
              </>
            )}
            {result.calls.map((trace) => (
              <div key={trace.callId} className={styles.trace}>
                <p>
                  <Link href={`/calls/${trace.callId}`}>{trace.tool}</Link> {trace.outcome}
                  {trace.status === null ? '' : ` · HTTP ${trace.status}`}
                </p>
                <Waterfall
                  call={{
                    durationMs: trace.durationMs,
                    upstreamMs: null,
                    steps: trace.steps.map((step) => ({ ...step })),
                  }}
                />
              </div>
            ))}
          </>
        )}
      </div>
    </details>
  );
}

function argumentsOf({ arguments: text }: { readonly arguments: string }): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function scriptIn(call: Extract<Part, { kind: 'call' }>): string | null {
  const { code } = argumentsOf(call);
  return call.name === 'run_code' && typeof code === 'string' ? code : null;
}

/** A short summary of a call. */
function gistOf(call: Extract<Part, { kind: 'call' }>): string {
  const { query, name, names } = argumentsOf(call);
  for (const value of [query, name]) if (typeof value === 'string') return value;
  return Array.isArray(names) ? names.join(', ') : '';
}
