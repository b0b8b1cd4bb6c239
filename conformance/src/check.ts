/** What every kind of subject can say of itself. `Need`: what its checks may ask for, by name. */
export interface Claims<Need extends string = string> {
  /** Why the subject does not have something that a check needs; nothing when it has. */
  lacks(need: Need): string | undefined | Promise<string | undefined>;
}

/** What the checks of a kind of subject may need. */
export type NeedOf<Subject> = Subject extends { lacks(need: infer Need): unknown } ? Need & string : never;

/** One promise of a contract, as a function that any subject can be given to. */
export interface Check<Subject extends Claims<never>> {
  /** A sentence about the subject: "keeps a finished call". Unique in its suite. */
  readonly name: string;
  /** The topic it is listed under. */
  readonly group: string;
  /** What the subject must have for this to be asked of it. */
  readonly needs?: readonly NeedOf<Subject>[];
  /** How much longer than others it may take, ms: it starts processes, or writes very much. */
  readonly extraMs?: number;
  /** @throws what is wrong, when the promise is not kept. */
  run(subject: Subject): Promise<void>;
  /** What must hold of a subject that lacks the first of `needs`: the call is refused. Its outcome counts. */
  runWhenLacking?(subject: Subject): Promise<void>;
}

/** What came of one check. */
export interface CheckResult {
  readonly name: string;
  readonly group: string;
  readonly status: "passed" | "failed" | "skipped";
  /** What is wrong, or why it was skipped. */
  readonly message?: string;
}

/** What came of all of them. Plain data. */
export interface Report {
  readonly subject: string;
  /** Whether none failed. */
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly results: readonly CheckResult[];
}
