import { describe, expect, it } from "vitest";
import { declare, drive } from "../../test/drive.js";

const number = { type: "number" };
const calculator = declare("calculate", "Evaluates a formula.", { expression: { type: "string" } });
const add = declare("add", "Adds two numbers.", { a: number, b: number });
const multiply = declare("multiply", "Multiplies two numbers.", { x: number, y: number });

describe("arithmetic", () => {
  it("is done by the model itself when no tool can", () => {
    expect(drive("What is 15% of 1,200?").answer).toBe("15 / 100 * 1200 = 180.");
  });

  it("goes to a tool that takes a formula", () => {
    const { calls, answer } = drive("What is (2 + 3) * 4?", [calculator], () => ({ result: 20 }));
    expect(calls).toEqual([{ name: "calculate", args: { expression: "(2 + 3) * 4" } }]);
    expect(answer).toBe("(2 + 3) * 4 = 20.");
  });

  it("tells the tool's result, not its own", () => {
    expect(drive("What is 2 + 2?", [calculator], () => 5).answer).toBe("2 + 2 = 5.");
  });

  it("is taken apart for tools that do one operation each", () => {
    const { turns, answer } = drive("What is 2 + 3 * 4?", [add, multiply], ({ name, args }) =>
      name === "add" ? Number(args.a) + Number(args.b) : Number(args.x) * Number(args.y),
    );
    expect(turns).toEqual([[{ name: "multiply", args: { x: 3, y: 4 } }], [{ name: "add", args: { a: 2, b: 12 } }]]);
    expect(answer).toBe("2 + 3 * 4 = 14.");
  });

  it("asks for independent operations in one turn", () => {
    const { turns } = drive("What is 2 * 3 + 4 * 5?", [multiply], ({ args }) => Number(args.x) * Number(args.y));
    expect(turns).toEqual([
      [
        { name: "multiply", args: { x: 2, y: 3 } },
        { name: "multiply", args: { x: 4, y: 5 } },
      ],
    ]);
  });

  it("chooses the operation of a tool that does several", () => {
    const tool = declare("math", "Does one operation.", {
      operation: { enum: ["add", "divide"] },
      a: number,
      b: number,
    });
    expect(drive("Divide 9 by 3", [tool], () => 3).calls).toEqual([
      { name: "math", args: { operation: "divide", a: 9, b: 3 } },
    ]);
  });

  it("hands a list to a tool that takes one", () => {
    const tool = declare("sum", "Sums numbers.", { values: { type: "array", items: number } });
    expect(drive("What is 2 plus 3?", [tool], () => 5).calls).toEqual([{ name: "sum", args: { values: [2, 3] } }]);
  });

  it("is finished by the model when the tool fails, which it says", () => {
    const { answer, calls } = drive("What is 2 + 2?", [calculator], () => {
      throw new Error("out of order");
    });
    expect(calls).toHaveLength(1);
    expect(answer).toBe("2 + 2 = 4. I calculated it myself, since calculate failed (Error: out of order).");
  });

  it("says that a division by zero has no value", () => {
    expect(drive("What is 1 / 0?").answer).toBe("1 / 0 has no value: it divides by zero.");
  });
});
