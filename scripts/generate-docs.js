// `npm run docs`: writes the pages of docs/reference that are generated from the program's own tables.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root } from './prepare.js';

checkNode();
ensureInstalled();
ensureBuilt();
const { configReference } = await import('../dist/config/reference.js');
const { errorReference } = await import('../dist/domain/errors.js');
const { workedErrors } = await import('../dist/pipeline/reply/errors/worked-errors.js');
const { cliReference } = await import('../dist/cli/reference.js');
writeFileSync(join(root, 'docs/reference/configuration.md'), configReference());
writeFileSync(join(root, 'docs/reference/errors.md'), errorReference() + workedErrors());
writeFileSync(join(root, 'docs/reference/cli.md'), await cliReference());
