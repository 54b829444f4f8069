// Beyond these a page of millions of records would keep someone waiting. On SQLite both are spent one after the other.
export const searchBudgetMs = 500;
export const countBudgetMs = 250;
/** What is counted at most, unless told. */
export const mostCounted = 10_000;
