import { Button, Text } from '@mantine/core';
import { ChevronDown, ChevronRight, ListTree } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ToolKind } from '#domain/tool.ts';
import type { ToolLine } from '../../../api/resources.ts';
import { MethodBadge } from '../../../components/display/MethodBadge.tsx';
import { EmptyState } from '../../../components/feedback/EmptyState.tsx';
import { RowCheckbox } from '../../../components/inputs/RowCheckbox.tsx';
import { SearchBox } from '../../../components/inputs/SearchBox.tsx';
import { SelectInput } from '../../../components/inputs/SelectInput.tsx';
import layout from '../../../components/Layout.module.css';
import { VirtualTable, type Column } from '../../../components/tables/VirtualTable.tsx';
import { useFormats } from '../../../i18n/format.ts';
import { useText } from '../../../i18n/text.tsx';
import { filterTools, valuesOf } from '../../tools/filter-tools.ts';
import { chosenBy, exclude, include, type ToolRule } from './tool-rules.ts';
import { tokensOf, treeLines, type Branch, type TreeLine } from './tool-tree.ts';
import styles from './ToolTree.module.css';

interface ToolTreeProps {
  readonly tools: readonly ToolLine[];
  readonly rules: readonly ToolRule[];
  readonly onChange: (rules: ToolRule[]) => void;
  /** Only tools of this kind can be selected; selecting a branch selects its current tools only. */
  readonly only?: ToolKind;
  readonly height?: string;
}

const kinds = ['read', 'write', 'destructive'] as const satisfies readonly ToolKind[];

// A tree this small is fully expanded at first.
const fewTools = 14;

/** Selects tools in a tree: API › tag › tool. Selecting a whole branch includes tools added to it later. */
export function ToolTree({ tools, rules, onChange, only, height = 'min(56vh, 560px)' }: ToolTreeProps) {
  const t = useText();
  const format = useFormats();
  const [search, setSearch] = useState('');
  const [method, setMethod] = useState<string | null>(null);
  const [kind, setKind] = useState<ToolKind | null>(null);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const methods = useMemo(() => valuesOf(tools.map((tool) => tool.method)), [tools]);
  const apis = useMemo(() => new Set(tools.map((tool) => tool.api)).size, [tools]);
  const chosen = useMemo(() => chosenBy(rules, tools), [rules, tools]);
  const wantedKind = only ?? kind;
  const shown = useMemo(
    () =>
      filterTools(tools, { search, api: null, tag: null, method, state: null }).filter(
        (tool) => wantedKind === null || tool.kind === wantedKind,
      ),
    [tools, search, method, wantedKind],
  );
  const isNarrowed = shown.length < tools.length || wantedKind !== null;
  // An API that was selected before, such as the one just added, shows what is in it.
  const [selectedAtFirst] = useState(() => rules.flatMap((rule) => ('api' in rule ? [rule.api] : [])));
  const isOpenAtFirst = ({ kind: branchKind, name }: Branch) =>
    search !== '' ||
    tools.length <= fewTools ||
    (branchKind === 'api' &&
      (apis <= 3 || (selectedAtFirst.length <= 3 && selectedAtFirst.includes(name ?? ''))));
  const isOpen = (branch: Branch) => turned.has(branch.key) !== isOpenAtFirst(branch);
  const lines = treeLines(shown, isOpen);
  const turn = ({ key }: Branch) => {
    const next = new Set(turned);
    if (!next.delete(key)) next.add(key);
    setTurned(next);
  };
  const toggleBranch = ({ tools: below, rule }: Branch) => {
    const ids = below.map(({ id }) => id);
    if (ids.every((id) => chosen.has(id))) onChange(exclude(rules, new Set(ids), tools));
    else if (isNarrowed || rule === undefined)
      onChange(
        include(
          rules,
          ids.map((tool) => ({ tool })),
          tools,
        ),
      );
    else onChange(include(rules, [rule], tools));
  };
  const toggleTool = ({ id }: ToolLine) =>
    onChange(chosen.has(id) ? exclude(rules, new Set([id]), tools) : include(rules, [{ tool: id }], tools));
  const columns: Column<TreeLine>[] = [
    {
      id: 'name',
      name: t('common.name'),
      width: 'minmax(140px, 1fr)',
      cell: (line) =>
        line.kind === 'tool' ? (
          <label className={styles.line} style={{ paddingInlineStart: 26 + line.level * 22 }}>
            <RowCheckbox
              label={t('tools.select', { name: line.tool.name })}
              checked={chosen.has(line.tool.id)}
              onChange={() => toggleTool(line.tool)}
            />
            <span className={styles.name} title={line.tool.summary}>
              {line.tool.name}
            </span>
          </label>
        ) : (
          <BranchCell
            line={line}
            chosen={chosen}
            rules={rules}
            onTurn={() => turn(line.branch)}
            onToggle={() => toggleBranch(line.branch)}
          />
        ),
    },
    {
      id: 'method',
      name: t('common.method'),
      width: '72px',
      wideOnly: true,
      cell: (line) => line.kind === 'tool' && <MethodBadge method={line.tool.method} />,
    },
    {
      id: 'tokens',
      name: t('tools.tokens'),
      width: '66px',
      align: 'end',
      cell: (line) =>
        format.compact(line.kind === 'tool' ? line.tool.estimatedTokens : tokensOf(line.branch.tools)),
    },
  ];
  const allShown = shown.length > 0 && shown.every((tool) => chosen.has(tool.id));
  const shownIds = () => shown.map(({ id }) => id);
  return (
    <div className={styles.tree}>
      <div className={layout.bar}>
        <SearchBox label={t('tools.search')} value={search} onChange={setSearch} />
        <SelectInput
          name={t('common.method')}
          w={116}
          options={methods}
          value={method}
          onChange={setMethod}
        />
        {only === undefined && (
          <SelectInput<ToolKind>
            name={t('choose.kind')}
            w={140}
            options={kinds.map((value) => ({ value, label: t(`choose.kind.${value}`) }))}
            value={kind}
            onChange={setKind}
          />
        )}
        <Button
          variant="default"
          size="xs"
          disabled={shown.length === 0}
          onClick={() =>
            onChange(
              allShown
                ? exclude(rules, new Set(shownIds()), tools)
                : include(
                    rules,
                    shownIds().map((tool) => ({ tool })),
                    tools,
                  ),
            )
          }
        >
          {t(allShown ? 'choose.deselectShown' : 'choose.selectShown', { count: shown.length })}
        </Button>
      </div>
      {lines.length === 0 ? (
        <EmptyState icon={ListTree} title={t('common.nothingFound')} />
      ) : (
        <VirtualTable
          label={t('choose.title')}
          rows={lines}
          columns={columns}
          keyOf={(line) => (line.kind === 'tool' ? line.tool.id : line.branch.key)}
          rowHeight={36}
          height={height}
          onOpen={(line) => (line.kind === 'tool' ? toggleTool(line.tool) : turn(line.branch))}
        />
      )}
    </div>
  );
}

interface BranchCellProps {
  readonly line: Extract<TreeLine, { readonly branch: Branch }>;
  readonly chosen: ReadonlySet<string>;
  readonly rules: readonly ToolRule[];
  readonly onTurn: () => void;
  readonly onToggle: () => void;
}

function BranchCell({ line: { branch, isOpen }, chosen, rules, onTurn, onToggle }: BranchCellProps) {
  const t = useText();
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  const name = branch.name ?? t('cost.untagged');
  const count = branch.tools.filter(({ id }) => chosen.has(id)).length;
  const isWhole = count === branch.tools.length;
  return (
    <div className={styles.line} style={{ paddingInlineStart: branch.kind === 'api' ? 0 : 22 }}>
      <button
        type="button"
        className={styles.turn}
        aria-expanded={isOpen}
        aria-label={t(isOpen ? 'choose.collapse' : 'choose.expand', { name })}
        onClick={onTurn}
      >
        <Arrow size={15} aria-hidden />
      </button>
      <RowCheckbox
        label={t('choose.branch', { name })}
        checked={isWhole}
        some={!isWhole && count > 0}
        onChange={onToggle}
      />
      <span className={styles.name} data-kind={branch.kind}>
        {name}
      </span>
      <Text span size="xs" c="dimmed" className={styles.count}>
        {t('choose.ofCount', { count, of: branch.tools.length })}
        {takesLater(branch, rules) && <span className={styles.later}> · {t('choose.later')}</span>}
      </Text>
    </div>
  );
}

/** Whether tools added to a branch later are selected automatically. */
function takesLater({ rule: own }: Branch, rules: readonly ToolRule[]): boolean {
  if (own === undefined || !('api' in own)) return false;
  return rules.some((rule) => {
    if ('tool' in rule) return false;
    if ('all' in rule) return true;
    if ('api' in rule) return rule.api === own.api && (rule.tag === undefined || rule.tag === own.tag);
    return rule.tag === own.tag;
  });
}
