/**
 * A place where requests wait for each other, for servers that play `echo`: each goes on with its value once so many
 * have come. Those that come later wait for nobody.
 */
export function meeting(size: number): <T>(value: T) => Promise<T> {
  let missing = size;
  let open = (): void => undefined;
  const met = new Promise<void>((resolve) => (open = resolve));
  return async (value) => {
    missing -= 1;
    if (missing <= 0) open();
    await met;
    return value;
  };
}
