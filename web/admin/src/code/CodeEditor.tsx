import { VisuallyHidden } from '@mantine/core';
import {
  type KeyboardEvent,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { useText } from '../i18n/text.tsx';
import styles from './CodeEditor.module.css';
import { HighlightedScript, rectOfPlace } from './HighlightedScript.tsx';
import { indentAfter, rangeOfLine, replaceText } from './edit-text.ts';
import { optionId, SuggestionList } from './SuggestionList.tsx';
import { type Suggestion, type Suggestions, suggestionsAt, toolAround } from './suggestions.ts';
import { ToolTypes } from './ToolTypes.tsx';
import type { ScriptTools } from './value-shapes.ts';

/** Controls an editor from outside. */
export interface CodeEditorHandle {
  /** Moves the caret to a line, counted from one. */
  readonly goToLine: (line: number) => void;
}

interface CodeEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  /** Tools to suggest while typing; no suggestions without them. */
  readonly tools?: ScriptTools | undefined;
  /** The error to mark, and its line. */
  readonly problem?: { readonly line?: number | undefined; readonly message: string } | undefined;
  /** Ctrl+Enter, or ⌘+Enter on a Mac. */
  readonly onRun?: () => void;
  readonly readOnly?: boolean;
  readonly ref?: Ref<CodeEditorHandle>;
}

interface OpenList extends Suggestions {
  readonly chosen: number;
  readonly place: { readonly left: number; readonly top: number };
}

const listWidth = 340;

/**
 * A script editor: the browser's own text field, with syntax highlighting behind it and suggestions in front. Tab
 * leaves it like any other field.
 */
export function CodeEditor({
  value,
  onChange,
  label,
  tools,
  problem,
  onRun,
  readOnly = false,
  ref,
}: CodeEditorProps) {
  const t = useText();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const asked = useRef(0);
  const [list, setList] = useState<OpenList | null>(null);
  const [around, setAround] = useState<string | null>(null);

  useImperativeHandle(ref, () => ({
    goToLine(line) {
      const { from, to } = rangeOfLine(area.current!.value, line);
      area.current!.focus();
      area.current!.setSelectionRange(from, to);
    },
  }));

  const closeList = useCallback(() => {
    asked.current++;
    setList(null);
  }, []);

  const ask = async () => {
    const { current: field } = area;
    if (tools === undefined || field === null || readOnly) return;
    const turn = ++asked.current;
    const { value: script, selectionStart: caret } = field;
    const found = await suggestionsAt(script, caret, tools).catch(() => null);
    // Superseded by a later keystroke.
    if (turn !== asked.current) return;
    const place = found && placeOf(frame.current!, script, found.from);
    // After a bracket, Enter starts a new line unless a suggestion was selected.
    const isBegun = found !== null && (found.from < caret || script[found.from - 1] === '.');
    setList(found && place && { ...found, place, chosen: isBegun ? 0 : -1 });
  };

  // Ask again once the tools have loaded, for users who typed before that.
  useEffect(() => {
    if (document.activeElement === area.current) void ask();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- uses the text at that time
  }, [tools]);

  const accept = ({ insert, caretBack }: Suggestion) => {
    const { current: field } = area;
    if (list === null || field === null) return;
    replaceText(field, list.from, list.to, insert);
    const caret = field.selectionEnd - caretBack;
    field.setSelectionRange(caret, caret);
    void ask();
  };

  const choose = (step: number) =>
    setList(
      (open) => open && { ...open, chosen: (open.chosen + step + open.items.length) % open.items.length },
    );

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isModified = event.ctrlKey || event.metaKey;
    const done = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.key === 'Enter' && isModified) {
      done();
      closeList();
      onRun?.();
    } else if (event.key === ' ' && event.ctrlKey) {
      done();
      void ask();
    } else if (list !== null && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      done();
      choose(event.key === 'ArrowDown' ? 1 : list.chosen === -1 ? 0 : -1);
    } else if (list !== null && event.key === 'Escape') {
      done();
      closeList();
    } else if (list !== null && list.chosen >= 0 && (event.key === 'Enter' || event.key === 'Tab')) {
      done();
      accept(list.items[list.chosen]!);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !readOnly) {
      done();
      const { selectionStart, selectionEnd } = event.currentTarget;
      replaceText(
        event.currentTarget,
        selectionStart,
        selectionEnd,
        `\n${indentAfter(value, selectionStart)}`,
      );
    }
  };

  const words =
    problem &&
    (problem.line === undefined
      ? problem.message
      : `${t('code.line', { line: problem.line })}: ${problem.message}`);
  return (
    <div className={styles.column}>
      <div className={styles.editor} ref={frame}>
        <div className={styles.scroll} onScroll={closeList}>
          <div className={styles.stack}>
            <HighlightedScript script={value} badLine={problem?.line} />
            <textarea
              ref={area}
              className={styles.area}
              aria-label={label}
              aria-describedby={`${id}-help`}
              aria-invalid={problem !== undefined || undefined}
              aria-autocomplete="list"
              aria-controls={list === null ? undefined : `${id}-list`}
              aria-activedescendant={
                list === null || list.chosen < 0 ? undefined : optionId(`${id}-list`, list.chosen)
              }
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              autoCorrect="off"
              readOnly={readOnly}
              value={value}
              onChange={(event) => {
                onChange(event.currentTarget.value);
                void ask();
              }}
              onKeyDown={onKeyDown}
              onSelect={({ currentTarget }) =>
                setAround(toolAround(currentTarget.value, currentTarget.selectionStart))
              }
              onMouseDown={closeList}
              onBlur={closeList}
            />
          </div>
        </div>
        {list !== null && (
          <SuggestionList
            id={`${id}-list`}
            items={list.items}
            chosen={list.chosen}
            place={list.place}
            onAccept={accept}
          />
        )}
        <VisuallyHidden id={`${id}-help`}>{words ?? t('code.editorHelp')}</VisuallyHidden>
        <VisuallyHidden role="status">
          {list === null ? '' : t('code.suggestionCount', { count: list.items.length })}
        </VisuallyHidden>
      </div>
      {tools !== undefined && <ToolTypes path={around} tools={tools} />}
    </div>
  );
}

/** Positions the list below the text being typed, within the editor. */
function placeOf(frame: HTMLElement, script: string, from: number): OpenList['place'] {
  const outer = frame.getBoundingClientRect();
  const at = rectOfPlace(frame.querySelector(`.${styles.lines}`)!, script, from);
  const left = Math.max(4, Math.min(at.left - outer.left, outer.width - listWidth - 4));
  return { left, top: at.bottom - outer.top + 2 };
}
