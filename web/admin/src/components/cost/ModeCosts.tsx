import type { ListMode } from '#domain/server.ts';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { BarList } from '../charts/BarList.tsx';

/** Tokens per mode, where known. */
type ModeTokens = Readonly<Partial<Record<ListMode, number>>>;

/** The modes of a server. */
export const modes = ['direct', 'search', 'code'] as const satisfies readonly ListMode[];

/** The modes side by side, with the tokens a model reads before it does anything. */
export function ModeCosts({ tokens, used }: { tokens: ModeTokens; used: ListMode }) {
  const t = useText();
  const format = useFormats();
  return (
    <BarList
      format={(value) => t('common.tokens', { count: format.number(value) })}
      bars={modes
        .filter((mode) => tokens[mode] !== undefined)
        .map((mode) => ({
          name: t(`mode.${mode}`),
          value: tokens[mode] ?? 0,
          isChosen: mode === used,
          ...(mode === used && { note: t('mode.used') }),
        }))}
    />
  );
}
