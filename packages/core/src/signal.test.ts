import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { TinyAgentsError } from "./errors.js";
import { abortError, linkedSignal, onAbort, throwIfAborted } from "./signal.js";

describe("waiting for an abort", () => {
  test("calls back once, with nothing, when the signal aborts", () => {
    const controller = new AbortController();
    const callback = vi.fn();
    onAbort(controller.signal, callback);
    expect(callback).not.toHaveBeenCalled();
    controller.abort();
    controller.abort();
    expect(callback.mock.calls).toEqual([[]]);
  });

  test("calls back at once when the signal has aborted", () => {
    const callback = vi.fn();
    onAbort(AbortSignal.abort(), callback)();
    expect(callback).toHaveBeenCalledOnce();
  });

  test("leaves no listener behind once it is unlinked", () => {
    const controller = new AbortController();
    const callback = vi.fn();
    for (let i = 0; i < 100; i++) onAbort(controller.signal, callback)();
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    expect(callback).not.toHaveBeenCalled();
  });

  test("keeps waits apart that share a callback", () => {
    const controller = new AbortController();
    const callback = vi.fn();
    onAbort(controller.signal, callback);
    onAbort(controller.signal, callback)();
    controller.abort();
    expect(callback).toHaveBeenCalledOnce();
  });

  test("does nothing without a signal", () => {
    const callback = vi.fn();
    onAbort(undefined, callback)();
    expect(callback).not.toHaveBeenCalled();
  });
});

describe("the error of an abort", () => {
  test("is the reason itself when that is an error of ours", () => {
    const reason = new TinyAgentsError("timeout", "too slow", { details: { scope: "tool_call", limitMs: 5 } });
    expect(abortError(reason)).toBe(reason);
  });

  test("says what a text or another error said, and keeps it as cause", () => {
    const cause = new Error("user left");
    expect(abortError(cause)).toMatchObject({ code: "cancelled", details: { reason: "user left" }, cause });
    expect(abortError("user left").message).toBe("The work was cancelled: user left");
  });

  test("is made of the reason of a signal, when it is given the signal", () => {
    const reason = new TinyAgentsError("timeout", "too slow", { details: { scope: "tool_call", limitMs: 5 } });
    expect(abortError(AbortSignal.abort(reason))).toBe(reason);
    expect(abortError(AbortSignal.abort("user left"))).toMatchObject({ cause: "user left" });
    expect(abortError(new AbortController().signal)).toMatchObject({ code: "cancelled", details: {} });
  });

  test("says nothing of a reason that is neither", () => {
    expect(abortError({ secret: 1 }).toJSON()).toMatchObject({ message: "The work was cancelled.", details: {} });
    expect(abortError(undefined)).toMatchObject({ code: "cancelled", retryable: false, details: {} });
  });
});

test("work stops when its signal has aborted, and goes on without one", () => {
  expect(() => throwIfAborted(undefined)).not.toThrow();
  expect(() => throwIfAborted(new AbortController().signal)).not.toThrow();
  expect(() => throwIfAborted(AbortSignal.abort("enough"))).toThrow("The work was cancelled: enough");
});

describe("a linked signal", () => {
  test("aborts when the caller's does, for the same reason", () => {
    const controller = new AbortController();
    const linked = linkedSignal(controller.signal);
    expect(() => linked.throwIfAborted()).not.toThrow();
    controller.abort("user left");
    expect(linked.signal.reason).toBe("user left");
    expect(() => linked.throwIfAborted()).toThrow("The work was cancelled: user left");
  });

  test("has aborted when the caller's had already", () => {
    expect(linkedSignal(AbortSignal.abort("enough")).signal.aborted).toBe(true);
  });

  test("leaves no listener on the caller's once it is released, and aborts no more", () => {
    const controller = new AbortController();
    const linked = linkedSignal(controller.signal);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    linked.release();
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    expect(linked.signal.aborted).toBe(false);
  });

  test("never aborts without a caller's", () => {
    const linked = linkedSignal(undefined);
    linked.release();
    expect(linked.signal.aborted).toBe(false);
  });
});
