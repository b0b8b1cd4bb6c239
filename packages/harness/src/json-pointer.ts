/** A JSON Pointer as people write paths: `/items/2/name` is `items[2].name`. What stands before the first `/` is left out. */
export function pathOfPointer(pointer: string): string {
  let path = "";
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(key)) path += `[${key}]`;
    else path += path === "" ? key : `.${key}`;
  }
  return path;
}
