import { useEffect, useRef } from 'react';
import { Form } from '#explorer-page/form/form.ts';
import { overrideLanguage } from '#explorer-page/texts.ts';
import { useLanguage } from '../i18n/text.tsx';
import type { Schema } from './fields.ts';
import styles from './SchemaForm.module.css';

interface SchemaFormProps {
  readonly schema: Schema;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
}

/**
 * The explorer's form for a schema: objects, lists, alternatives, dates, files and constants, validated while typing.
 */
export function SchemaForm({ schema, value, onChange }: SchemaFormProps) {
  const { language } = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const form = useRef<Form | null>(null);
  // The form's own changes are not rendered into it again, because that would lose the focus.
  const lastValue = useRef<unknown>(null);
  const onChangeRef = useRef(onChange);
  useEffect(() => void (onChangeRef.current = onChange), [onChange]);
  // Refetching other data can create an equal schema as a new object.
  const text = JSON.stringify(schema);
  useEffect(() => {
    overrideLanguage(language);
    const made = new Form(JSON.parse(text), (next) => {
      lastValue.current = next;
      onChangeRef.current((next ?? {}) as Record<string, unknown>);
    });
    form.current = made;
    lastValue.current = null;
    place.current!.replaceChildren(made.element);
  }, [text, language]);
  useEffect(() => {
    if (value === lastValue.current) return;
    lastValue.current = value;
    form.current!.setValue(value);
  }, [value, text, language]);
  return <div ref={place} className={styles.form} />;
}
