import { type Control, strongerControl } from "../agent/control.js";
import { isTinyAgentsError, messageOf, TinyAgentsError } from "../errors.js";
import { isThenable } from "../thenable.js";
import { checkResult } from "./check-result.js";
import type { HookName, HookResult, HookReturn, Middleware, MiddlewareContext } from "./middleware.js";

/** What the hooks of one run need from around them. */
export interface HookScope {
  /** The context of a middleware in this run. */
  contextOf(middleware: string): MiddlewareContext;
  /** Takes the state and the history edit that a hook asked for. */
  keep(middleware: string, hook: HookName, result: HookResult<unknown>): void;
  /** A hook begins; what is returned is called when it has ended. Nothing when nobody listens. */
  watch?(middleware: string, hook: HookName): ((error?: TinyAgentsError) => void) | undefined;
}

/** What came of a chain of hooks. */
export interface Hooked<T> {
  readonly value: T;
  readonly control?: ControlBy;
}

/** A control, and which middleware asked for it. */
export type ControlBy = Control & { readonly by: string };

type Awaitable<T> = T | Promise<T>;
type Invoke<T> = (entry: Middleware, value: T, context: MiddlewareContext) => HookReturn<T>;
type Chain<T> = (value: T, scope: HookScope) => Awaitable<Hooked<T>>;

/** Hooks one after the other: each sees what the one before it made of the value. A strong control ends the chain. */
export function chain<T>(entries: readonly Middleware[], hook: HookName, invoke: Invoke<T>): Chain<T> | undefined {
  if (entries.length === 0) return undefined;
  const from = (index: number, value: T, scope: HookScope): Awaitable<Hooked<T>> => {
    for (let i = index; i < entries.length; i++) {
      const entry = entries[i] as Middleware;
      const given = value;
      const result = call(
        entry,
        hook,
        scope,
        () => invoke(entry, given, scope.contextOf(entry.name)),
        (returned) => checkResult(hook, returned, given),
      );
      if (result instanceof Promise) {
        return result.then((settled) => {
          const { value: next, control } = take(entry, hook, scope, value, settled);
          return endsChain(control) ? hooked(next, control) : withControl(from(i + 1, next, scope), control);
        });
      }
      const { value: next, control } = take(entry, hook, scope, value, result);
      if (control !== undefined) {
        return endsChain(control) ? hooked(next, control) : withControl(from(i + 1, next, scope), control);
      }
      value = next;
    }
    return { value };
  };
  return (value, scope) => from(0, value, scope);
}

/** After `fail`, `interrupt` or `stop` no further hook has a say; weaker controls let the others be heard. */
function endsChain(control: ControlBy | undefined): boolean {
  return control?.type === "fail" || control?.type === "interrupt" || control?.type === "stop";
}

function withControl<T>(rest: Awaitable<Hooked<T>>, control: ControlBy | undefined): Awaitable<Hooked<T>> {
  if (control === undefined) return rest;
  if (rest instanceof Promise) return rest.then((settled) => withControl(settled, control));
  return hooked(rest.value, strongerControl(control, rest.control));
}

function hooked<T>(value: T, control: ControlBy | undefined): Hooked<T> {
  return control === undefined ? { value } : { value, control };
}

function take<T>(
  entry: Middleware,
  hook: HookName,
  scope: HookScope,
  value: T,
  result: Awaited<HookReturn<T>>,
): Hooked<T> {
  if (result === undefined || result === null) return { value };
  if (result.state !== undefined || result.history !== undefined) scope.keep(entry.name, hook, result);
  const next = result.replace === undefined ? value : result.replace;
  return hooked(next, result.control === undefined ? undefined : { ...result.control, by: entry.name });
}

/**
 * Calls one hook; what it throws becomes a failure that names it, unless it is one of our errors already. So does what
 * `check` throws about what it returned.
 */
export function call<T>(
  entry: Middleware,
  hook: HookName,
  scope: HookScope,
  invoke: () => Awaitable<T>,
  check?: (returned: T) => void,
): Awaitable<T> {
  const ended = scope.watch?.(entry.name, hook);
  const fail = (error: unknown): never => {
    const failure = hookFailure(entry, hook, error);
    ended?.(failure);
    throw failure;
  };
  let result: Awaitable<T>;
  try {
    result = invoke();
  } catch (error) {
    return fail(error);
  }
  const end = (settled: T): T => {
    try {
      check?.(settled);
    } catch (error) {
      return fail(error);
    }
    ended?.();
    return settled;
  };
  return isThenable(result) ? Promise.resolve(result).then(end, fail) : end(result);
}

/** What a hook failed with: our own errors pass, anything else becomes one that names the middleware. */
export function hookFailure(entry: Middleware, hook: HookName, error: unknown): TinyAgentsError {
  if (isTinyAgentsError(error)) return error;
  return new TinyAgentsError(
    "middleware_failed",
    `The middleware ${entry.name} failed in ${hook}: ${messageOf(error)}`,
    {
      details: { middleware: entry.name, hook },
      cause: error,
    },
  );
}
