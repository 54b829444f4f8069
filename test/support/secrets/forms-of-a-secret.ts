/** Every form in which a secret could be read by someone who looks for it. */
export function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + secret)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    Buffer.from(secret).toString('hex'),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}
