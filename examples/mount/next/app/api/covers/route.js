import { answering, shop } from '../../../shop.js';

export const POST = answering(async (request) => Response.json(await shop.cover(await request.formData())));
