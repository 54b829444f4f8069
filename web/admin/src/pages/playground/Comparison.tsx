import { useFormats } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { callCount, type Exchange } from './exchange.ts';
import styles from './Playground.module.css';

/** Two answers to one question, compared in numbers. */
export function Comparison({ left, right }: { left: Exchange | undefined; right: Exchange | undefined }) {
  const { t, has } = useLanguage();
  const format = useFormats();
  if (left?.state !== 'ended' || right?.state !== 'ended' || left.question !== right.question) return null;
  const outcome = ({ reason }: Exchange) => {
    const key = `playground.outcome.${reason}`;
    return has(key) ? t(key) : reason;
  };
  const lines: readonly (readonly [string, (one: Exchange) => string])[] = [
    [t('playground.mode'), ({ mode, version }) => `${mode} · ${version}`],
    [t('playground.tokensHead'), ({ tokens }) => format.number(tokens.input + tokens.output)],
    [t('playground.callsHead'), (one) => format.number(callCount(one))],
    [t('playground.timeHead'), ({ durationMs }) => format.duration(durationMs)],
    [t('playground.outcomeHead'), outcome],
  ];
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <caption>{t('playground.comparison')}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('playground.left')}</th>
            <th scope="col">{t('playground.right')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(([name, of]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{of(left)}</td>
              <td>{of(right)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
