/** What is readonly to everybody else, as whoever alone holds it builds it in place. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
