import { useEffect, useRef } from 'react';
import { Form } from '#explorer-page/form/form.ts';
import { speak } from '#explorer-page/texts.ts';
import { useSpeaking } from '../i18n/text.tsx';
import type { Schema } from './fields.ts';
import styles from './SchemaForm.module.css';

interface SchemaFormProps {
  readonly schema: Schema;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
}

/** The explorer's form for a schema: objects, lists, alternatives, dates, files and constants, checked while one types. */
export function SchemaForm({ schema, value, onChange }: SchemaFormProps) {
  const { language } = useSpeaking();
  const place = useRef<HTMLDivElement>(null);
  const form = useRef<Form | null>(null);
  // What the form said itself is not drawn into it again: that would take the focus away.
  const said = useRef<unknown>(null);
  const tell = useRef(onChange);
  useEffect(() => void (tell.current = onChange), [onChange]);
  // The same schema may come as another object whenever something else of the page is read again.
  const text = JSON.stringify(schema);
  useEffect(() => {
    speak(language);
    const made = new Form(JSON.parse(text), (next) => {
      said.current = next;
      tell.current((next ?? {}) as Record<string, unknown>);
    });
    form.current = made;
    said.current = null;
    place.current!.replaceChildren(made.element);
  }, [text, language]);
  useEffect(() => {
    if (value === said.current) return;
    said.current = value;
    form.current!.setValue(value);
  }, [value, text, language]);
  return <div ref={place} className={styles.form} />;
}
