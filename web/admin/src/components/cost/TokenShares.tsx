import { Text } from '@mantine/core';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { BarList } from '../charts/BarList.tsx';
import { largest, type TokenShare } from './token-shares.ts';

interface TokenSharesProps {
  readonly shares: readonly TokenShare[];
  /** How many shares get their own bar; the rest are combined into one. */
  readonly maxShown?: number;
  readonly chosen?: string | null;
  /** Called with the selected name, or null when it is deselected. */
  readonly onChoose?: (name: string | null) => void;
}

/** Where the tokens of a list go: one bar per tag, API or tool. */
export function TokenShares({ shares, maxShown = 8, chosen = null, onChoose }: TokenSharesProps) {
  const t = useText();
  const format = useFormats();
  if (shares.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('cost.nothing')}
      </Text>
    );
  const { shown, others } = largest(shares, maxShown);
  return (
    <BarList
      format={(value) => t('common.tokens', { count: format.compact(value) })}
      bars={[
        ...shown.map(({ name, tools, tokens }) => ({
          name,
          value: tokens,
          note: t('tools.count', { count: tools }),
          isChosen: name === chosen,
          ...(onChoose && { onChoose: () => onChoose(name === chosen ? null : name) }),
        })),
        ...(others
          ? [
              {
                name: t('cost.others', { count: others.groups }),
                value: others.tokens,
                note: t('tools.count', { count: others.tools }),
              },
            ]
          : []),
      ]}
    />
  );
}
