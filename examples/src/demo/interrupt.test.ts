import { expect, it, vi } from "vitest";
import { onInterrupt } from "./interrupt.js";

it("the first Ctrl-C cancels, the second ends the program at once, and release gives Ctrl-C back", () => {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  const before = process.listenerCount("SIGINT");
  const { signal, release } = onInterrupt();
  process.emit("SIGINT");
  expect(signal.aborted).toBe(true);
  expect(exit).not.toHaveBeenCalled();
  process.emit("SIGINT");
  expect(exit).toHaveBeenCalledWith(130);
  release();
  expect(process.listenerCount("SIGINT")).toBe(before);
});
