/** What is there at once or later: only what really waits pays for a wait. */
export type Awaitable<T> = T | Promise<T>;
