/** All names of a listing that gives them in steps. */
export async function wholeList(list: (after: string | undefined) => Promise<readonly string[]>): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const page = await list(names.at(-1));
    if (page.length === 0) return names;
    names.push(...page);
  }
}
