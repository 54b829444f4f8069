/** False with `HANDRAIL_TEST_NO_CACHE=1`, which makes every look-up miss: then nothing that a cache saves can be counted. */
export const cachesAreOn = process.env['HANDRAIL_TEST_NO_CACHE'] !== '1';
