// Forms that are given out as secrets and as nothing else: signed tokens, keys of well-known makers, private keys.
const knownForms: readonly RegExp[] = [
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/,
  /^(?:bearer|basic|digest|token|apikey)\s+\S{6,}$/i,
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant)[-_][A-Za-z0-9_-]{8,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[\w-]{30,}|\bya29\.[\w-]{16,}/,
  /\bnpm_[A-Za-z0-9]{30,}|\bdop_v1_[0-9a-f]{32,}|\bSG\.[\w-]{16,}\.[\w-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

/** Whether a text is a secret by its form alone, whatever its name. */
export function looksLikeSecret(text: string): boolean {
  return text.length >= 10 && knownForms.some((form) => form.test(text));
}

// Numbers, UUIDs, dates and media types are read by people, too.
const plainForms = [
  /^\d{1,20}$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^\d{4}-\d{2}-\d{2}/,
  /^(?:application|audio|font|image|message|model|multipart|text|video)\//,
];

/** Whether a text says nothing to a reader, as tokens, session ids and hashes do; it may be a secret. */
export function looksOpaque(text: string): boolean {
  if (looksLikeSecret(text)) return true;
  if (text.length < 16 || /\s/.test(text) || plainForms.some((form) => form.test(text))) return false;
  return /^[A-Za-z0-9_\-+/=.~%]+$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);
}
