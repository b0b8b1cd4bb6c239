import { describe, expect, test } from "vitest";
import { notingScope } from "../../test/hook-scope.js";
import { thrownBy } from "../../test/support.js";
import type { Control } from "../agent/control.js";
import { TinyAgentsError } from "../errors.js";
import { userMessage } from "../message/build.js";
import type { ModelRequest } from "../model/request.js";
import { compose } from "./compose.js";
import type { HookReturn, Middleware } from "./middleware.js";

const request: ModelRequest = { messages: [userMessage("go")] };
const error = new TinyAgentsError("internal", "x", { details: { reason: "x" } });

type Hook = (request: ModelRequest) => HookReturn<ModelRequest>;

function run(hooks: readonly Hook[], noting = notingScope()) {
  const middleware = hooks.map((beforeModel, index): Middleware => ({ name: `m${index}`, beforeModel }));
  return compose(middleware).beforeModel?.(request, noting.scope);
}

/** The same hooks, some of them taking time. */
const later =
  (hook: Hook): Hook =>
  async (given) =>
    hook(given);

describe("hooks in a row", () => {
  test("that are all synchronous give no promise", () => {
    const result = run([() => {}, () => ({}), (given) => ({ replace: { ...given, seed: 1 } })]);
    expect(result).toStrictEqual({ value: { ...request, seed: 1 } });
  });

  test("see what the one before them made of the value, with or without promises", async () => {
    const seed: Hook = (given) => ({ replace: { ...given, seed: (given.seed ?? 0) + 1 } });
    for (const hooks of [
      [seed, seed, seed],
      [later(seed), seed, seed],
      [seed, later(seed), later(seed)],
    ]) {
      expect(await run(hooks)).toStrictEqual({ value: { ...request, seed: 3 } });
    }
    expect(request).not.toHaveProperty("seed");
  });

  test("may take time by any object with a then, also one whose then gives nothing", async () => {
    const thenable = (
      settle: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void,
    ): object => {
      const made: { [name: string]: unknown } = {};
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what is tested
      made.then = settle;
      return made;
    };
    const resolving = thenable((resolve) => resolve({ replace: { ...request, seed: 7 } }));
    const rejecting = thenable((_, reject) => reject(error));
    const foreign =
      (returned: unknown): Hook =>
      () =>
        returned as HookReturn<ModelRequest>;
    expect(await run([foreign(resolving), () => {}])).toStrictEqual({ value: { ...request, seed: 7 } });
    await expect(run([() => {}, foreign(rejecting)])).rejects.toBe(error);
  });

  test("give the very value that came in when nobody replaces it", () => {
    expect(run([() => {}])).toEqual({ value: request });
    expect((run([() => {}]) as { value: unknown }).value).toBe(request);
  });

  test("get the context of their own middleware", () => {
    const seen: unknown[] = [];
    const middleware = ["a", "b"].map(
      (name): Middleware => ({ name, beforeModel: (_, context) => void seen.push(context.state) }),
    );
    compose(middleware).beforeModel?.(request, notingScope().scope);
    expect(seen).toEqual(["a", "b"]);
  });

  test("have what they want to keep taken, with their name and hook", async () => {
    const noting = notingScope();
    const history = { from: 0, to: 1, messages: [] };
    await run(
      [() => ({ state: 1 }), later(() => ({ history })), () => ({ replace: request }), () => ({ state: null })],
      noting,
    );
    expect(noting.kept).toEqual([
      ["m0", "beforeModel", { state: 1 }],
      ["m1", "beforeModel", { history }],
      ["m3", "beforeModel", { state: null }],
    ]);
  });
});

describe("a control (MWH-04)", () => {
  const asks =
    (control: Control): Hook =>
    () => ({ control });
  const trace: string[] = [];
  const noted: Hook = () => void trace.push("heard");

  test.each<[Control]>([[{ type: "fail", error }], [{ type: "interrupt", payload: 1 }], [{ type: "stop" }]])(
    "that is strong ends the row, and says who asked: %j",
    async (control) => {
      for (const hook of [asks(control), later(asks(control))]) {
        trace.length = 0;
        expect(await run([noted, hook, noted])).toStrictEqual({ value: request, control: { ...control, by: "m1" } });
        expect(trace).toEqual(["heard"]);
      }
    },
  );

  test.each<[Control]>([[{ type: "jump", to: "end" }], [{ type: "retry" }]])(
    "that is weak lets the others be heard: %j",
    async (control) => {
      for (const hooks of [
        [asks(control), noted],
        [later(asks(control)), noted],
        [asks(control), later(noted)],
      ]) {
        trace.length = 0;
        expect(await run(hooks)).toStrictEqual({ value: request, control: { ...control, by: "m0" } });
        expect(trace).toEqual(["heard"]);
      }
    },
  );

  test("gives way to a stronger one, and of equals the first is honoured", async () => {
    const model: Control = { type: "jump", to: "model" };
    expect(await run([asks({ type: "retry" }), later(asks(model)), asks({ type: "stop" }), noted])).toMatchObject({
      control: { type: "stop", by: "m2" },
    });
    expect(await run([asks(model), asks({ type: "jump", to: "end" }), asks({ type: "retry" })])).toMatchObject({
      control: { to: "model", by: "m0" },
    });
  });

  test("goes with the value as it was replaced", async () => {
    const both: Hook = (given) => ({ replace: { ...given, seed: 7 }, control: { type: "jump", to: "end" } });
    const more: Hook = (given) => ({ replace: { ...given, topP: 1 } });
    const expected = { value: { ...request, seed: 7, topP: 1 }, control: { type: "jump", to: "end", by: "m0" } };
    expect(run([both, more])).toStrictEqual(expected);
    expect(await run([both, later(more)])).toStrictEqual(expected);
  });
});

describe("whoever watches hooks", () => {
  test("is told of the beginning and the end of each, also of those that take time", async () => {
    const noting = notingScope();
    await run([() => {}, later(() => {})], noting);
    expect(noting.watched).toEqual([
      "m0.beforeModel started",
      "m0.beforeModel ended",
      "m1.beforeModel started",
      "m1.beforeModel ended",
    ]);
  });

  test("is told what a hook failed with, and later hooks do not begin", async () => {
    const throwing: Hook = () => {
      throw new Error("oops");
    };
    for (const hook of [throwing, later(throwing)]) {
      const noting = notingScope();
      const failure = await thrownBy(() => run([hook, () => {}], noting));
      expect(noting.watched).toEqual(["m0.beforeModel started", "m0.beforeModel failed"]);
      expect(noting.errors).toEqual([failure]);
      expect(failure).toMatchObject({ code: "middleware_failed", details: { middleware: "m0" } });
    }
  });

  test("need not be there", () => {
    const { scope } = notingScope();
    const quiet = { contextOf: scope.contextOf, keep: scope.keep };
    expect(compose([{ name: "a", beforeModel: () => {} }]).beforeModel?.(request, quiet)).toEqual({ value: request });
  });
});
