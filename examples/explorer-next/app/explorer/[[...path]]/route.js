import { createHandler } from '@handrail/explorer';
import { handleCall, tools } from '../../../tools.js';

const explorer = createHandler(tools, handleCall, { allowExecute: true, title: 'Next.js tools' });

const answer = (request) => explorer(request, '/explorer');

export { answer as GET, answer as HEAD, answer as OPTIONS, answer as POST };
