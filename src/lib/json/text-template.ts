/** A piece of a template: literal text, or an expression to fill in. */
export type TemplatePart = { readonly text: string } | { readonly expression: string };

/** Splits text with `{{expression}}` in it. Braces that are never closed are text. */
export function splitTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf('{{', at);
    const close = open < 0 ? -1 : template.indexOf('}}', open + 2);
    if (close < 0) return [...parts, { text: template.slice(at) }];
    const expression = template.slice(open + 2, close).trim();
    if (expression === '') parts.push({ text: template.slice(at, close + 2) });
    else parts.push({ text: template.slice(at, open) }, { expression });
    at = close + 2;
  }
}
