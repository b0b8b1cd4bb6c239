/** Those fields of an object that say something: without what is undefined, an empty text, an empty list or an empty object. */
export function saidFields<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const said = Object.entries(fields).filter(([, value]) => saysSomething(value));
  return Object.fromEntries(said) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

function saysSomething(value: unknown): boolean {
  if (value === undefined || value === "") return false;
  return typeof value !== "object" || value === null || Object.keys(value).length > 0;
}
