import { Text } from '@mantine/core';
import type { ToolLine } from '../../api/resources.ts';
import { sharesOf } from '../../components/cost/token-shares.ts';
import { TokenShares } from '../../components/cost/TokenShares.tsx';
import layout from '../../components/Layout.module.css';
import { useText } from '../../i18n/text.tsx';
import type { ToolFilter } from './filter-tools.ts';
import styles from './ToolTable.module.css';

interface ToolCostsProps {
  /** The tools shown in the table. */
  readonly tools: readonly ToolLine[];
  readonly filter: ToolFilter;
  readonly byApi: boolean;
  readonly onFilter: (change: Partial<ToolFilter>) => void;
}

const firstSegment = (path: string): string => path.split('/', 2).join('/');

/** Where the tokens of the listed tools go. Clicking a bar filters the table. */
export default function ToolCosts({ tools, filter, byApi, onFilter }: ToolCostsProps) {
  const t = useText();
  const tokensOf = (tool: ToolLine) => tool.estimatedTokens;
  const untagged = t('cost.untagged');
  // A document without tags is still grouped by something.
  const hasTags = tools.some((tool) => tool.tags.length > 0);
  const groups = [
    ...(byApi
      ? [
          {
            name: t('cost.apis'),
            shares: sharesOf(tools, tokensOf, (tool) => [tool.api]),
            chosen: filter.api,
            choose: (api: string | null) => onFilter({ api }),
          },
        ]
      : []),
    hasTags
      ? {
          name: t('cost.tags'),
          shares: sharesOf(tools, tokensOf, ({ tags }) => (tags.length === 0 ? [untagged] : tags)),
          chosen: filter.tag,
          choose: (tag: string | null) => tag !== untagged && onFilter({ tag }),
        }
      : {
          name: t('cost.paths'),
          shares: sharesOf(tools, tokensOf, ({ path }) => [firstSegment(path)]),
          chosen: filter.search === '' ? null : filter.search,
          choose: (path: string | null) => onFilter({ search: path ?? '' }),
        },
  ];
  return (
    <div className={`${layout.split} ${styles.costs}`}>
      {groups.map(({ name, shares, chosen, choose }) => (
        <section key={name} aria-label={t('cost.sharesBy', { group: name })}>
          <Text size="sm" fw={550} mb={6}>
            {t('cost.sharesBy', { group: name })}
          </Text>
          <TokenShares shares={shares} chosen={chosen} onChoose={choose} />
        </section>
      ))}
    </div>
  );
}
