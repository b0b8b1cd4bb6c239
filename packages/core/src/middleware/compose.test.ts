import { describe, expect, expectTypeOf, test } from "vitest";
import { notingScope } from "../../test/hook-scope.js";
import { streamOf, thrownBy, toArray } from "../../test/support.js";
import { manualClock } from "../clock.js";
import { TinyAgentsError } from "../errors.js";
import { toolMessage, userMessage } from "../message/build.js";
import type { ModelResponse } from "../model/collect.js";
import type { ModelDelta } from "../model/delta.js";
import type { ModelRequest } from "../model/request.js";
import { retryStream } from "../model/retry.js";
import { compose } from "./compose.js";
import type { HookName, Middleware, MiddlewareContext, ModelHandler, ToolInvocation } from "./middleware.js";

const request: ModelRequest = { messages: [userMessage("go")] };
const response: ModelResponse = {
  message: { role: "assistant", content: [] },
  finishReason: "stop",
  model: { id: "mock/one", provider: "mock", model: "one" },
  attempts: 1,
  warnings: [],
};
const invocation: ToolInvocation = {
  id: "c1",
  name: "add",
  args: {},
  spec: { name: "add", description: "", inputSchema: {}, hiddenArgs: [], policy: {}, dynamicPolicy: false },
  policy: {},
  modelCallId: "m1",
  validation: "passed",
  attempt: 1,
};
const text = (value: string): ModelDelta => ({ type: "text", index: 0, text: value });
const finish: ModelDelta = { type: "finish", finishReason: "stop" };
const ask: ModelHandler = () => streamOf(text("a"), finish);

/** A middleware that notes each of its hooks in a trace. */
function tracing(name: string, trace: string[]): Middleware {
  const note = (hook: string) => void trace.push(`${name}.${hook}`);
  return {
    name,
    beforeAgent: () => note("beforeAgent"),
    afterAgent: () => note("afterAgent"),
    beforeModel: () => note("beforeModel"),
    async *wrapModel(inner, _context, next) {
      note("wrapModel in");
      yield* next(inner);
      note("wrapModel out");
    },
    onModelDelta: () => note("onModelDelta"),
    afterModel: () => note("afterModel"),
    beforeTool: () => note("beforeTool"),
    async wrapTool(call, _context, next) {
      note("wrapTool in");
      const result = await next(call);
      note("wrapTool out");
      return result;
    },
    onToolDelta: () => note("onToolDelta"),
    afterTool: () => note("afterTool"),
    onError: () => note("onError"),
  };
}

describe("a list of middleware", () => {
  test("without hooks has no parts, so that it costs nothing", () => {
    expect(compose([])).toStrictEqual({ names: [], ownsRetry: false });
    expect(compose([{ name: "a" }, { name: "b", owns: ["retry"] }])).toStrictEqual({
      names: ["a", "b"],
      ownsRetry: true,
    });
  });

  test("has the parts that some middleware has, and no others", () => {
    const only = (hook: Partial<Middleware>) => Object.keys(compose([{ name: "x" }, { name: "a", ...hook }])).slice(2);
    expect(only({ beforeModel: () => {} })).toEqual(["beforeModel"]);
    expect(only({ onModelDelta: () => {} })).toEqual(["aroundModel"]);
    expect(only({ onError: () => {} })).toEqual(["onError"]);
  });

  test("takes each name once, and no middleware without one (MWH-06)", () => {
    expect(() => compose([{ name: "a" }, { name: "a" }])).toThrow(
      new TypeError('middleware[1]: the name "a" is taken'),
    );
    expect(() => compose([{ name: "" }])).toThrow(new TypeError("middleware[0]: a name is missing"));
    expect(() => compose([{} as Middleware])).toThrow(TypeError);
  });

  test("is used as `this` nowhere it is not: methods keep their object", () => {
    class Counting implements Middleware {
      readonly name = "counting";
      calls = 0;
      beforeModel() {
        this.calls++;
      }
    }
    const counting = new Counting();
    compose([counting]).beforeModel?.(request, notingScope().scope);
    expect(counting.calls).toBe(1);
  });
});

describe("three middleware (MWH-02)", () => {
  test("around one model call: before in order, wraps nested, deltas in order, after in reverse", async () => {
    const trace: string[] = [];
    const composed = compose(["a", "b", "c"].map((name) => tracing(name, trace)));
    const { scope } = notingScope();
    await composed.beforeModel?.(request, scope);
    const model: ModelHandler = async function* () {
      trace.push("model");
      yield text("x");
    };
    await toArray(composed.aroundModel?.(request, scope, model) ?? streamOf());
    await composed.afterModel?.(response, scope);
    expect(trace).toEqual([
      ...["a.beforeModel", "b.beforeModel", "c.beforeModel"],
      ...["a.wrapModel in", "b.wrapModel in", "c.wrapModel in", "model"],
      ...["a.onModelDelta", "b.onModelDelta", "c.onModelDelta"],
      ...["c.wrapModel out", "b.wrapModel out", "a.wrapModel out"],
      ...["c.afterModel", "b.afterModel", "a.afterModel"],
    ]);
  });

  test("around one tool call likewise", async () => {
    const trace: string[] = [];
    const composed = compose(["a", "b", "c"].map((name) => tracing(name, trace)));
    const { scope } = notingScope();
    await composed.beforeTool?.(invocation, scope);
    await composed.aroundTool?.(invocation, scope, async (call) => {
      composed.onToolDelta?.(1, call, scope);
      trace.push("tool");
      return toolMessage(call, "3");
    });
    await composed.afterTool?.(toolMessage(invocation, "3"), invocation, scope);
    expect(trace).toEqual([
      ...["a.beforeTool", "b.beforeTool", "c.beforeTool"],
      ...["a.wrapTool in", "b.wrapTool in", "c.wrapTool in"],
      ...["a.onToolDelta", "b.onToolDelta", "c.onToolDelta", "tool"],
      ...["c.wrapTool out", "b.wrapTool out", "a.wrapTool out"],
      ...["c.afterTool", "b.afterTool", "a.afterTool"],
    ]);
  });

  test("around a run: before in order, after in reverse, errors in order", async () => {
    const trace: string[] = [];
    const composed = compose(["a", "b", "c"].map((name) => tracing(name, trace)));
    const { scope } = notingScope();
    await composed.beforeAgent?.(scope);
    await composed.afterAgent?.(scope);
    await composed.onError?.(new TinyAgentsError("internal", "x", { details: { reason: "x" } }), scope);
    expect(trace.map((entry) => entry.replace(/(before|after)Agent/, "$1"))).toEqual([
      ...["a.before", "b.before", "c.before", "c.after", "b.after", "a.after"],
      ...["a.onError", "b.onError", "c.onError"],
    ]);
  });
});

describe("a wrap around the model (MWH-03)", () => {
  const around = (middleware: Middleware[], handler: ModelHandler = ask, scope = notingScope().scope) =>
    toArray(compose(middleware).aroundModel?.(request, scope, handler) ?? streamOf());

  test("may answer without asking", async () => {
    const cached: Middleware = { name: "cache", wrapModel: () => streamOf(text("cached"), finish) };
    const never: ModelHandler = () => {
      throw new Error("the model was asked");
    };
    expect(await around([cached], never)).toEqual([text("cached"), finish]);
  });

  test("may replace the request", async () => {
    const asked: ModelRequest[] = [];
    const cool: Middleware = { name: "cool", wrapModel: (inner, _, next) => next({ ...inner, temperature: 0 }) };
    await around([cool], (inner) => {
      asked.push(inner);
      return ask(inner);
    });
    expect(asked).toEqual([{ ...request, temperature: 0 }]);
    expect(request).not.toHaveProperty("temperature");
  });

  test("may ask many times, and the wraps inside and the model see the same request each time (MW-09)", async () => {
    const seen: ModelRequest[] = [];
    const twice: Middleware = {
      name: "twice",
      async *wrapModel(inner, _context, next) {
        yield* next(inner);
        yield { type: "restart", attempt: 2, reason: "again" };
        yield* next(inner);
      },
    };
    const prompt: Middleware = {
      name: "prompt",
      wrapModel: (inner, _, next) => next({ ...inner, messages: [userMessage("rules"), ...inner.messages] }),
    };
    await around([twice, prompt], (inner) => {
      seen.push(inner);
      return ask(inner);
    });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual({ messages: [userMessage("rules"), userMessage("go")] });
    expect(seen[1]).toEqual(seen[0]);
    expect(request.messages).toHaveLength(1);
  });

  test("may try again what failed", async () => {
    const clock = manualClock();
    let asked = 0;
    const flaky: ModelHandler = async function* () {
      if (++asked === 1) throw new TinyAgentsError("network", "reset", { details: {} });
      yield finish;
    };
    const retrying: Middleware = {
      name: "retry",
      wrapModel: (inner, _, next) => retryStream({}, { clock, random: () => 0, signal: undefined }, () => next(inner)),
    };
    const done = around([retrying], flaky);
    await clock.advance(1_000);
    expect(await done).toEqual([{ type: "restart", attempt: 2, reason: "network" }, finish]);
  });

  test("serves several runs at once without mixing them (MW-09)", async () => {
    const prompt: Middleware = {
      name: "prompt",
      async *wrapModel(inner, context, next) {
        await Promise.resolve();
        yield* next({ ...inner, messages: [userMessage(`rules of ${context.state}`), ...inner.messages] });
      },
    };
    const composed = compose([prompt]);
    const run = async (name: string): Promise<ModelRequest[]> => {
      const asked: ModelRequest[] = [];
      const scope = { ...notingScope().scope, contextOf: () => ({ state: name }) as unknown as MiddlewareContext };
      const note: ModelHandler = (inner) => {
        asked.push(inner);
        return ask(inner);
      };
      await toArray(composed.aroundModel?.(request, scope, note) ?? streamOf());
      return asked;
    };
    const [first, second] = await Promise.all([run("first"), run("second")]);
    expect(first).toEqual([{ messages: [userMessage("rules of first"), userMessage("go")] }]);
    expect(second).toEqual([{ messages: [userMessage("rules of second"), userMessage("go")] }]);
  });

  test("begins no work before the stream is read", () => {
    const eager: Middleware = {
      name: "eager",
      wrapModel() {
        throw new Error("was called");
      },
    };
    expect(() => compose([eager]).aroundModel?.(request, notingScope().scope, ask)).not.toThrow();
  });

  test("is closed, and so is the model, when the reader leaves; that is no failure", async () => {
    const closed: string[] = [];
    const teardown: Middleware = {
      name: "teardown",
      async *wrapModel(inner, _context, next) {
        try {
          yield* next(inner);
        } finally {
          closed.push("wrap");
        }
      },
    };
    const endless: ModelHandler = async function* () {
      try {
        for (;;) yield text("x");
      } finally {
        closed.push("model");
      }
    };
    const noting = notingScope();
    for await (const _ of compose([teardown]).aroundModel?.(request, noting.scope, endless) ?? streamOf()) break;
    expect(closed).toEqual(["model", "wrap"]);
    expect(noting.watched).toEqual(["teardown.wrapModel started", "teardown.wrapModel ended"]);
  });

  test("that makes no stream leaves the call to those inside", async () => {
    const lazy = { name: "lazy", wrapModel: () => undefined } as unknown as Middleware;
    expect(await around([lazy])).toEqual([text("a"), finish]);
  });
});

describe("a wrap around a tool (MWH-03)", () => {
  const around = (middleware: Middleware[], run: (call: ToolInvocation) => Promise<ReturnType<typeof toolMessage>>) =>
    compose(middleware).aroundTool?.(invocation, notingScope().scope, run);

  test("may answer without running it, or run it many times with the same call", async () => {
    const refuse: Middleware = { name: "refuse", wrapTool: async (call) => toolMessage(call, "no", "denied") };
    const never = () => Promise.reject(new Error("the tool ran"));
    expect(await around([refuse], never)).toMatchObject({ status: "denied" });
    const calls: ToolInvocation[] = [];
    const twice: Middleware = {
      name: "twice",
      async wrapTool(call, _context, next) {
        await next(call);
        return next(call);
      },
    };
    await around([twice], async (call) => {
      calls.push(call);
      return toolMessage(call, "3");
    });
    expect(calls).toEqual([invocation, invocation]);
  });

  test("may replace the call and the result", async () => {
    const edit: Middleware = {
      name: "edit",
      wrapTool: async (call, _, next) => ({ ...(await next({ ...call, args: { a: 1 } })), summary: "edited" }),
    };
    const result = await around([edit], async (call) => toolMessage(call, JSON.stringify(call.args)));
    expect(result).toMatchObject({ content: [{ text: '{"a":1}' }], summary: "edited" });
  });

  test("that loses the result fails, and the tool does not run again", async () => {
    let runs = 0;
    const lossy = {
      name: "lossy",
      wrapTool: async (
        call: ToolInvocation,
        _: MiddlewareContext,
        next: (call: ToolInvocation) => Promise<unknown>,
      ) => {
        await next(call);
      },
    } as unknown as Middleware;
    const failed = thrownBy(() =>
      around([lossy], async (call) => {
        runs++;
        return toolMessage(call, "3");
      }),
    );
    expect(await failed).toMatchObject({
      code: "middleware_failed",
      details: { middleware: "lossy", hook: "wrapTool" },
    });
    expect(runs).toBe(1);
  });
});

describe("hooks on deltas", () => {
  const edited = (...hooks: NonNullable<Middleware["onModelDelta"]>[]) =>
    toArray(
      compose(hooks.map((onModelDelta, index) => ({ name: `m${index}`, onModelDelta }))).aroundModel?.(
        request,
        notingScope().scope,
        ask,
      ) ?? streamOf(),
    );

  test("may look, replace, drop or multiply, and each sees what the one before it gave", async () => {
    const double: Middleware["onModelDelta"] = (delta) => (delta.type === "text" ? [delta, text("b")] : undefined);
    const upper: Middleware["onModelDelta"] = (delta) =>
      delta.type === "text" ? text(delta.text.toUpperCase()) : undefined;
    const drop: Middleware["onModelDelta"] = (delta) => (delta.type === "text" && delta.text === "A" ? [] : undefined);
    expect(await edited(() => {})).toEqual([text("a"), finish]);
    expect(await edited(double, upper)).toEqual([text("A"), text("B"), finish]);
    expect(await edited(upper, double)).toEqual([text("A"), text("b"), finish]);
    expect(await edited(double, upper, drop)).toEqual([text("B"), finish]);
  });

  test("may take time", async () => {
    const later: Middleware["onModelDelta"] = async (delta) => (delta.type === "text" ? [delta, delta] : undefined);
    expect(await edited(later, later)).toEqual([text("a"), text("a"), text("a"), text("a"), finish]);
  });

  test("stand outside the wraps and see their restarts", async () => {
    const seen: string[] = [];
    const wrap: Middleware = {
      name: "wrap",
      async *wrapModel(inner, _, next) {
        yield { type: "restart", attempt: 2, reason: "x" };
        yield* next(inner);
      },
    };
    const look: Middleware = { name: "look", onModelDelta: ({ type }) => void seen.push(type) };
    await toArray(compose([look, wrap]).aroundModel?.(request, notingScope().scope, ask) ?? streamOf());
    expect(seen).toEqual(["restart", "text", "finish"]);
  });

  test("that fail close the stream and are named (MWH-06)", async () => {
    let closed = false;
    const model: ModelHandler = async function* () {
      try {
        yield text("a");
      } finally {
        closed = true;
      }
    };
    const broken: Middleware = { name: "broken", onModelDelta: () => Promise.reject(new Error("oops")) };
    const failed = thrownBy(() =>
      toArray(compose([broken]).aroundModel?.(request, notingScope().scope, model) ?? streamOf()),
    );
    expect(await failed).toMatchObject({
      code: "middleware_failed",
      details: { middleware: "broken", hook: "onModelDelta" },
    });
    expect(closed).toBe(true);
  });

  test("of tools replace progress in order, and look when they give nothing", () => {
    const composed = compose([
      { name: "a", onToolDelta: (delta) => [delta, "a"] },
      { name: "b", onToolDelta: () => {} },
      { name: "c", onToolDelta: (delta) => (delta === null ? 0 : [delta, "c"]) },
    ]);
    expect(composed.onToolDelta?.(1, invocation, notingScope().scope)).toEqual([[1, "a"], "c"]);
    expect(
      compose([{ name: "n", onToolDelta: () => null }]).onToolDelta?.(1, invocation, notingScope().scope),
    ).toBeNull();
  });
});

describe("an onToolDelta hook that takes time", () => {
  test.each([
    ["answers", async () => 2],
    [
      "fails",
      async () => {
        throw new Error("too late");
      },
    ],
  ])("is a failure that names it, also where it later %s", async (_, slow) => {
    const composed = compose([{ name: "slow", onToolDelta: slow as never }]);
    const ends: unknown[] = [];
    const scope = { ...notingScope().scope, watch: () => (error?: TinyAgentsError) => void ends.push(error?.code) };
    expect(await thrownBy(() => composed.onToolDelta?.(1, invocation, scope))).toMatchObject({
      code: "middleware_failed",
      message: "The middleware slow failed in onToolDelta: onToolDelta must be synchronous",
      details: { middleware: "slow", hook: "onToolDelta" },
    });
    expect(ends).toEqual(["middleware_failed"]);
  });
});

describe("a failing hook (MWH-06)", () => {
  const cause = new Error("oops");
  const fail = () => {
    throw cause;
  };
  const scope = () => notingScope().scope;
  const failures: { readonly [H in HookName]: (middleware: Middleware) => unknown } = {
    beforeAgent: (m) => compose([m]).beforeAgent?.(scope()),
    afterAgent: (m) => compose([m]).afterAgent?.(scope()),
    beforeModel: (m) => compose([m]).beforeModel?.(request, scope()),
    wrapModel: (m) => toArray(compose([m]).aroundModel?.(request, scope(), ask) ?? streamOf()),
    onModelDelta: (m) => toArray(compose([m]).aroundModel?.(request, scope(), ask) ?? streamOf()),
    afterModel: (m) => compose([m]).afterModel?.(response, scope()),
    beforeTool: (m) => compose([m]).beforeTool?.(invocation, scope()),
    wrapTool: (m) => compose([m]).aroundTool?.(invocation, scope(), async (call) => toolMessage(call, "3")),
    onToolDelta: (m) => compose([m]).onToolDelta?.(1, invocation, scope()),
    afterTool: (m) => compose([m]).afterTool?.(toolMessage(invocation, "3"), invocation, scope()),
    onError: (m) => compose([m]).onError?.(new TinyAgentsError("internal", "x", { details: { reason: "x" } }), scope()),
  };

  test.each(Object.entries(failures))("of %s names the middleware and the hook", async (hook, run) => {
    expect(await thrownBy(() => run({ name: "broken", [hook]: fail }))).toMatchObject({
      code: "middleware_failed",
      message: `The middleware broken failed in ${hook}: oops`,
      details: { middleware: "broken", hook },
      cause,
    });
  });

  test.each(Object.entries(failures))("of %s passes an error of ours as it is", async (hook, run) => {
    const error = new TinyAgentsError("tool_denied", "x", { details: { tool: "t", reason: "r" } });
    const throwing = () => {
      throw error;
    };
    expect(await thrownBy(() => run({ name: "m", [hook]: throwing }))).toBe(error);
  });
});

test("only hooks and parts that are known are in the types", () => {
  expectTypeOf<HookName>().toEqualTypeOf<
    | "beforeAgent"
    | "afterAgent"
    | "beforeModel"
    | "wrapModel"
    | "onModelDelta"
    | "afterModel"
    | "beforeTool"
    | "wrapTool"
    | "onToolDelta"
    | "afterTool"
    | "onError"
  >();
  expect(compose([{ name: "a" }]).names).toEqual(["a"]);
});
