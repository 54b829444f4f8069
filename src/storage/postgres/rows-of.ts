const types: Readonly<Record<string, string>> = {
  started_at_ms: 'bigint',
  duration_ms: 'double precision',
  upstream_ms: 'double precision',
  upstream_status: 'integer',
  tries: 'integer',
  cached: 'integer',
  request_bytes: 'bigint',
  reply_bytes: 'bigint',
  output_tokens: 'bigint',
  start_ms: 'bigint',
  calls: 'bigint',
  errors: 'bigint',
};

/**
 * Selects the rows of a JSON array of arrays, the first parameter of the statement. As `json` the text would be parsed
 * anew for each column.
 */
export function rowsOf(columns: readonly string[]): string {
  const values = columns.map((column, index) => {
    const type = types[column] ?? (/^h\d+$/.test(column) ? 'integer' : 'text');
    return `(value ->> ${index})::${type}`;
  });
  return `select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as batch (value)`;
}
