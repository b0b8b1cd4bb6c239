/** All that a log could show of an error: itself, and what it was caused by. */
export function everythingIn(error: unknown): string {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const add = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof Headers) value.forEach(add);
    for (const key of Reflect.ownKeys(value)) add((value as { readonly [key: PropertyKey]: unknown })[key]);
  };
  add(error);
  return texts.join("\n");
}
