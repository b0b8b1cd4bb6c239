import { type Checked, isThenable, type JsonObject, TinyAgentsError, type ToolInvocation } from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { Deadline } from "../run/deadlines.js";
import type { LiveRun } from "../run/live-run.js";
import { approvedArgs } from "./approve.js";
import { issueLines } from "./correction.js";
import { drain, isAsyncGenerator } from "./drain.js";
import type { PreparedCall } from "./prepare.js";
import type { LiveToolRuntime } from "./runtime.js";

/**
 * One attempt at a call: the input is put together, the tool runs, an async tool within its time. A late end is ignored,
 * no timer stays behind. What ignores the run's cancellation is the run's to leave behind: see `supervise`.
 */
export abstract class Attempt implements Deadline {
  readonly startedAtMs: number;
  atMs: number;
  place = -1;
  protected readonly run: LiveRun;
  protected readonly prepared: PreparedCall;
  protected readonly runtime: LiveToolRuntime;
  /** The tool is async: its time runs. */
  #waits = false;
  #over = false;

  constructor(run: LiveRun, prepared: PreparedCall, runtime: LiveToolRuntime) {
    this.run = run;
    this.prepared = prepared;
    this.runtime = runtime;
    this.startedAtMs = run.clock.now();
    this.atMs = this.startedAtMs + this.#limitMs;
  }

  get #limitMs(): number {
    return this.prepared.invocation.policy.timeoutMs ?? this.run.state.config.limits.toolTimeoutMs;
  }

  /** The tool came to its end with what it gave. Called once, or {@link broke} is; before `start` returns where nothing waits. */
  protected abstract done(value: unknown): void;

  /** The tool threw, or its time is up. */
  protected abstract broke(error: unknown): void;

  start(): void {
    const { checked, approvedArgsJson, tool } = this.prepared;
    // A second attempt does not get what the first one may have changed. What was approved runs, whatever has become of
    // the object that was shown. And only a schema of the tool's own makes an object that is nobody else's.
    const reusable = this.runtime.attempt === 1 && approvedArgsJson === undefined && tool.check !== undefined;
    if (checked !== undefined && reusable) {
      this.#invoke(checked.value);
      return;
    }
    let input: unknown;
    try {
      input = inputOf(this.prepared, this.runtime);
    } catch (error) {
      this.#break(error);
      return;
    }
    if (!(input instanceof Promise)) this.#invoke(input);
    else
      input.then(
        (settled) => this.#invoke(settled),
        (error) => this.#break(error),
      );
  }

  onPassed(): void {
    const { name } = this.runtime.spec;
    const limitMs = this.#limitMs;
    const error = new TinyAgentsError("timeout", `The tool ${name} did not finish within ${limitMs} ms.`, {
      details: { scope: "tool_call", limitMs, name },
    });
    this.runtime.scope.cancel(error);
    this.#break(error);
  }

  #invoke(input: unknown): void {
    const { runtime } = this;
    let returned: unknown;
    let work: PromiseLike<unknown> | undefined;
    try {
      returned = this.prepared.tool.execute(input as never, runtime);
      work = isThenable(returned) ? returned : isAsyncGenerator(returned) ? drain(returned, runtime) : undefined;
    } catch (error) {
      this.#break(error);
      return;
    }
    if (work === undefined) this.#finish(returned);
    else this.#wait(work);
  }

  #wait(work: PromiseLike<unknown>): void {
    this.#waits = true;
    this.runtime.deadline = this;
    this.run.deadlines.add(this);
    this.run.begin(this.runtime);
    Promise.resolve(work).then(
      (value) => this.#finish(value),
      (error) => this.#break(error),
    );
  }

  #finish(value: unknown): void {
    if (this.#close()) this.done(value);
  }

  #break(error: unknown): void {
    if (this.#close()) this.broke(error);
  }

  /** False when the attempt was over already. */
  #close(): boolean {
    if (this.#over) return false;
    this.#over = true;
    if (this.#waits) {
      this.run.deadlines.met(this);
      this.run.end(this.runtime);
    }
    this.runtime.close();
    return true;
  }
}

/** What `execute` gets: a copy of the arguments, completed by the runtime, as the tool's schema gives them. */
function inputOf({ tool, invocation, approvedArgsJson }: PreparedCall, runtime: LiveToolRuntime): Awaitable<unknown> {
  const given = approvedArgs(approvedArgsJson ?? JSON.stringify(invocation.args));
  const args: JsonObject = { ...given, ...tool.inject(runtime) };
  if (tool.check === undefined) return args;
  const checked = tool.check(args);
  if (checked instanceof Promise) return checked.then((settled) => checkedInput(invocation, settled));
  return checkedInput(invocation, checked);
}

function checkedInput({ name }: ToolInvocation, checked: Checked): unknown {
  if (checked.ok) return checked.value;
  throw new TinyAgentsError(
    "tool_arguments_invalid",
    `The arguments for the tool ${name} do not fit:\n${issueLines(checked.issues)}`,
    { details: { tool: name, issues: checked.issues } },
  );
}
