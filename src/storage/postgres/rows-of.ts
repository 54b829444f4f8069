/** A column with PostgreSQL's name of its type. */
export type TypedColumn = readonly [name: string, type: string];

/**
 * Selects the rows of a JSON array of arrays, the first parameter of the statement. As `json` the text would be parsed
 * anew for each column.
 */
export function rowsOf(columns: readonly TypedColumn[]): string {
  const values = columns.map(([, type], index) => `(value ->> ${index})::${type}`);
  return `select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as batch (value)`;
}

/** Their names, for a statement. */
export function namesOf(columns: readonly TypedColumn[]): string {
  return columns.map(([name]) => name).join(', ');
}
