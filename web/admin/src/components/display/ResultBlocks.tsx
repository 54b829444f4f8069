import { useEffect, useRef } from 'react';
import { contentView } from '#explorer-page/result/content-view.ts';
import { overrideLanguage } from '#explorer-page/texts.ts';
import { useLanguage } from '../../i18n/text.tsx';
import styles from './ResultBlocks.module.css';

/** The explorer's view of results. Nothing from a server is rendered as markup. */
export default function ResultBlocks({
  content,
  label,
}: {
  content: readonly Record<string, unknown>[];
  label: string;
}) {
  const { language } = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  // Refetching can create an equal result as a new object.
  const text = JSON.stringify(content);
  useEffect(() => {
    overrideLanguage(language);
    place.current!.replaceChildren(...(JSON.parse(text) as unknown[]).map(contentView));
  }, [text, language]);
  return <div ref={place} className={styles.result} role="region" aria-label={label} />;
}
