/** The most processor time that one turn of the main thread may take, whatever was sent: others wait for as long. */
export const mostTurnMs = 250;

/** The most that may be held more than before once everything is over: prepared answers and bounded caches. */
export const mostHeldMb = 64;
