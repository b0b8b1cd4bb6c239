import {
  type ArtifactReference,
  artifactAttributes,
  type RunContext,
  TinyAgentsError,
  type ToolInvocation,
  type ToolRuntime,
  type ToolSpec,
} from "@tinyagents/core";
import { CancelScope } from "../run/cancel-scope.js";
import type { Deadline } from "../run/deadlines.js";
import type { LiveRun, UnderWay } from "../run/live-run.js";
import { LiveRunContext } from "../run/run-scope.js";
import { plainJson } from "./plain-json.js";

/** What one attempt at one call is given. Everything that costs is made when it is first read. */
export class LiveToolRuntime implements ToolRuntime, UnderWay {
  readonly callId: string;
  readonly attempt: number;
  readonly spec: ToolSpec;
  readonly resumed: ToolRuntime["resumed"];
  /** When its time is up; absent for a tool that is done at once. */
  deadline: Deadline | undefined;
  #artifacts: (ArtifactReference | undefined)[] | undefined;
  #over = false;
  readonly #live: LiveRun;
  readonly #invocation: ToolInvocation;
  #scope: CancelScope | undefined;
  #run: RunContext | undefined;

  constructor(live: LiveRun, invocation: ToolInvocation, attempt: number, resumed: ToolRuntime["resumed"]) {
    this.#live = live;
    this.#invocation = invocation;
    this.callId = invocation.id;
    this.spec = invocation.spec;
    this.attempt = attempt;
    this.resumed = resumed;
  }

  /** For whoever asks what did not stop. */
  get name(): string {
    return `tool ${this.spec.name}`;
  }

  get idempotencyKey(): string {
    return `${this.#live.state.config.runId}/${this.callId}`;
  }

  /** What was put into the artifact store so far, in the order in which it was given. */
  get artifacts(): readonly ArtifactReference[] {
    return this.#artifacts?.filter((reference) => reference !== undefined) ?? NO_ARTIFACTS;
  }

  get data(): unknown {
    return this.#live.data;
  }

  get run(): RunContext {
    this.#run ??= new LiveRunContext(this.#live);
    return this.#run;
  }

  /** The node of this attempt in the run's tree of cancellation. */
  get scope(): CancelScope {
    this.#scope ??= new CancelScope(this.#live.cancellation);
    return this.#scope;
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  /** A function of its own, so that a tool may take it out: `{ progress }`. */
  get progress(): (delta: unknown) => void {
    return (delta) => this.report(delta);
  }

  /** Like {@link progress}, a function that may be taken out. */
  get saveArtifact(): ToolRuntime["saveArtifact"] {
    return (artifact) => this.#save(artifact);
  }

  /**
   * What comes after the end of its call is dropped: its watchers have seen the result.
   * @throws `tool_failed` when somebody watches and it is no JSON.
   */
  report(delta: unknown): void {
    if (this.#over) return;
    const live = this.#live;
    const invocation = this.#invocation;
    const { onToolDelta } = live.definition.hooks;
    if (onToolDelta === undefined && !live.wantsDeltas && !live.shows("tools")) return;
    const { id: callId, name: tool } = invocation;
    const reported = plainJson(tool, callId, delta, "reported");
    const shown = onToolDelta === undefined ? reported : onToolDelta(reported, invocation, live.scope);
    if (live.wantsDeltas)
      live.emitUnnumbered(
        "tool.delta",
        live.wantsPayloads ? { callId, tool, payload: { delta: shown } } : { callId, tool },
      );
    if (live.shows("tools"))
      live.offer({ type: "tool_progress", runId: live.state.config.runId, callId, tool, delta: shown });
  }

  /**
   * Settles when watchers have taken the progress so far; nothing when nobody has to be waited for. Their time is not
   * the call's.
   */
  taken(): Promise<void> | undefined {
    const live = this.#live;
    return live.held === undefined ? undefined : live.waitForReader(live.taken(), this.deadline);
  }

  async #save(artifact: Parameters<ToolRuntime["saveArtifact"]>[0]): Promise<ArtifactReference> {
    const artifacts = this.#artifacts ?? [];
    this.#artifacts = artifacts;
    // The place is taken at once: several may be saved at the same time.
    const index = artifacts.push(undefined) - 1;
    const reference = await saveArtifact(this.#live, this.callId, index, artifact);
    artifacts[index] = reference;
    return reference;
  }

  close(): void {
    this.#over = true;
    this.#scope?.close();
  }
}

const NO_ARTIFACTS: readonly ArtifactReference[] = [];

/**
 * Puts something into the run's store `artifacts`. The key is the same when the call is run again; attributes say whose it
 * is, for an index.
 * @throws `invalid_request` when the run has no such store.
 */
export async function saveArtifact(
  live: LiveRun,
  callId: string,
  index: number,
  { data, mediaType, name }: { readonly data: string | Uint8Array; readonly mediaType: string; readonly name?: string },
): Promise<ArtifactReference> {
  const { usedStores: stores } = live;
  if (stores === undefined) {
    throw new TinyAgentsError(
      "invalid_request",
      "This run has nowhere to put artifacts. Give it a store: createAgent({ stores: storeRegistry({ stores: { artifacts } }) }).",
      {
        details: { reason: "no_stores" },
      },
    );
  }
  const { runId, rootRunId, threadId } = live.state.config;
  const key = [runId, callId, String(index)];
  const value =
    typeof data === "string" ? ({ type: "text", text: data } as const) : ({ type: "bytes", bytes: data } as const);
  await stores.store("artifacts").put(key, value, {
    attributes: artifactAttributes({ runId, rootRunId, threadId, callId, name, mediaType }),
  });
  const bytes = typeof data === "string" ? new TextEncoder().encode(data).length : data.length;
  return { key, mediaType, bytes, ...(name === undefined ? {} : { name }) };
}
