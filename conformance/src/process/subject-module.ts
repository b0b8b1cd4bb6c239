import type { JsonValue } from "@tinyagents/core";

/** How other processes find a subject. */
export interface SubjectModule {
  /**
   * The file that exports the subject: `import.meta.url`, said in that file. Other processes load it, so it registers no
   * tests. Absent: what needs other processes is skipped.
   */
  readonly module?: string | URL | undefined;
  /** The name of that export. Default `subject`. */
  readonly exportName?: string | undefined;
}

/** A subject that other processes can open places of. */
export interface OpenedElsewhere<Handle> extends SubjectModule {
  /** Opens a place that another process has made, from its `ref`. */
  openAt?(ref: JsonValue): Handle | Promise<Handle>;
}

/** Why other processes cannot open a place of the subject; nothing when they can. */
export function whyNotElsewhere(
  { module, openAt }: OpenedElsewhere<unknown>,
  place: { readonly ref?: JsonValue },
): string | undefined {
  const lacking = [
    ...(module === undefined ? ["a module"] : []),
    ...(openAt === undefined ? ["openAt"] : []),
    ...(place.ref === undefined ? ["a ref of the place"] : []),
  ];
  return lacking.length === 0 ? undefined : `other processes cannot open it: the subject lacks ${lacking.join(", ")}`;
}
