import { RecentValues } from '../../lib/weak-cache.ts';
import type { Operation } from '../operation.ts';
import type { Tool } from '../tool.ts';

// Most tools of a large registry are never called between two restarts, and an operation with its schemas is most of a
// tool. It takes several times the memory of its row's text, so that text is kept instead.

const rowText = Symbol('row');

interface Packed extends Tool {
  readonly [rowText]: string;
}

const operations = new RecentValues<Packed, Operation>(1_000);

/**
 * The same tool, whose operation is read from the checked text of its row whenever someone asks for it. The operations
 * of tools used a moment ago are remembered. An operation with fixed values, which may be sealed, stays as it is.
 */
export function packTool(tool: Tool, text: string): Tool {
  if (text.includes('"fixed"')) return tool;
  const { operation: _operation, ...rest } = tool;
  // Added last, and with one getter for all, so that packed tools have one shape: V8 gives an object of its own shape a
  // table of its own, which takes as much memory as the operation.
  Object.defineProperty(rest, rowText, { value: text });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the getter added here makes it one
  return Object.defineProperty(rest as Packed, 'operation', getter);
}

const getter = { get: readOperation, enumerable: true };

/** Whether a tool's operation is still packed. It has no fixed values then. */
export function isPacked(tool: Tool): boolean {
  return isPackedTool(tool);
}

/** A tool as JSON, which for a packed one is the text of its row. */
export function textOfTool(tool: Tool): string {
  return isPackedTool(tool) ? tool[rowText] : JSON.stringify(tool);
}

function isPackedTool(tool: Tool): tool is Packed {
  return rowText in tool;
}

function readOperation(this: Packed): Operation {
  return operations.of(this, parseOperation);
}

function parseOperation({ [rowText]: text }: Packed): Operation {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text was checked when its row was read
  return (JSON.parse(text) as Tool).operation;
}
