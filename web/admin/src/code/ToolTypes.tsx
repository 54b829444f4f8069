import { useEffect, useState } from 'react';
import { CodeBlock } from '../components/display/CodeBlock.tsx';
import { useText } from '../i18n/text.tsx';
import type { ScriptTools } from './value-shapes.ts';

/** The TypeScript types of a tool; nothing until they have loaded. */
export function ToolTypes({ path, tools }: { path: string | null; tools: ScriptTools }) {
  const t = useText();
  const [shown, setShown] = useState<{ path: string; declaration: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    const load = async (wanted: string) => {
      // Types are only a typing aid, so a failure isn't reported. Running the script will show what is wrong.
      const found = await tools.describe(wanted).catch(() => undefined);
      if (isWanted && found !== undefined) setShown({ path: wanted, declaration: found.declaration });
    };
    if (path !== null) void load(path);
    return () => {
      isWanted = false;
    };
  }, [path, tools]);
  if (path === null || shown === null) return null;
  return <CodeBlock text={shown.declaration} label={t('code.types', { tool: shown.path })} maxHeight={220} />;
}
