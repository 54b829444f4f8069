import type { DescribedOperation } from '../../domain/description.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import { sameJson } from '../../lib/json/same-json.ts';

type Definitions = Record<string, JsonSchema>;

const maxVariants = 4;

/**
 * Deduplicates the definitions that operations of one document have in common. Each arrives with its own copies, which in
 * a large document take many times the memory.
 */
export function createDefinitionSharing(): (operations: readonly DescribedOperation[]) => void {
  const known = new Map<string, JsonSchema[]>();
  const share = (definitions: Definitions): void => {
    for (const [name, schema] of Object.entries(definitions)) {
      const variants = known.get(name);
      if (variants === undefined) {
        known.set(name, [schema]);
        continue;
      }
      const same = variants.find((variant) => sameJson(variant, schema));
      if (same) definitions[name] = same;
      else if (variants.length < maxVariants) variants.push(schema);
    }
  };
  return (operations) => {
    for (const { content } of operations) {
      if (content?.operation.defs) share(content.operation.defs);
      const ofReply = content?.operation.replySchema?.['$defs'];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the values under `$defs` are schemas
      if (ofReply) share(ofReply as Definitions);
    }
  };
}
