/** Everything that an iterable gives, in order, once it has ended. @throws what it throws. */
export async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
