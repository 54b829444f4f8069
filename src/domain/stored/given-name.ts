import { type Infer, object } from '../../lib/schema/schema.ts';
import { toolNameText } from '../names.ts';
import { idText } from '../fields/row-fields.ts';

/** A name that a server gave a tool because its own was taken. */
export const givenName = object({ serverId: idText, toolId: idText, name: toolNameText });

export type GivenName = Infer<typeof givenName>;
