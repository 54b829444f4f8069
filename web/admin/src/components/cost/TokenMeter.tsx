import { Text } from '@mantine/core';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './TokenMeter.module.css';

interface TokenMeterProps {
  readonly tools: number;
  readonly tokens: number;
  /** The token budget of the list; 0 while unknown. */
  readonly budget: number;
}

/** The tokens of the selected tools, compared with the budget of the list. */
export function TokenMeter({ tools, tokens, budget }: TokenMeterProps) {
  const t = useText();
  const format = useFormats();
  const max = Math.max(budget * 1.25, tokens, 1);
  const text = t('meter.text', {
    tools: t('tools.count', { count: tools }),
    tokens: t('common.tokens', { count: format.number(tokens) }),
  });
  return (
    <div className={styles.meter}>
      <div
        className={styles.track}
        role="meter"
        aria-label={t('meter.name')}
        aria-valuemin={0}
        aria-valuenow={tokens}
        aria-valuemax={Math.round(max)}
        aria-valuetext={text}
      >
        <div
          className={styles.fill}
          data-over={(budget > 0 && tokens > budget) || undefined}
          style={{ width: `${(tokens / max) * 100}%` }}
        />
        {budget > 0 && (
          <div className={styles.mark} style={{ insetInlineStart: `${(budget / max) * 100}%` }} />
        )}
      </div>
      <Text size="sm" aria-live="polite">
        {text}{' '}
        {budget > 0 && (
          <Text span c="dimmed">
            {t('meter.budget', { budget: format.number(budget) })}
          </Text>
        )}
      </Text>
    </div>
  );
}
