import { Text } from '@mantine/core';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { BarList } from '../charts/BarList.tsx';
import { largest, type TokenShare } from './token-shares.ts';

interface TokenSharesProps {
  readonly shares: readonly TokenShare[];
  /** How many are shown on their own; the others stand together in one line. */
  readonly most?: number;
  readonly chosen?: string | null;
  /** Told the name that was chosen, or null when it was the one that is chosen already. */
  readonly onChoose?: (name: string | null) => void;
}

/** Where the tokens of a list go: a bar for each tag, API or tool. */
export function TokenShares({ shares, most = 8, chosen = null, onChoose }: TokenSharesProps) {
  const t = useText();
  const format = useFormats();
  if (shares.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('cost.nothing')}
      </Text>
    );
  const { shown, others } = largest(shares, most);
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
