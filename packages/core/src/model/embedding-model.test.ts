import { describe, expect, test } from "vitest";
import { TinyAgentsError } from "../errors.js";
import { readVectors } from "./embedding-model.js";

const place = "embeddings";

function problem(value: unknown, expected: { count: number; dimensions?: number }): unknown {
  try {
    return readVectors(value, { place, ...expected });
  } catch (error) {
    return error instanceof TinyAgentsError ? error.details : error;
  }
}

describe("EMB-01 vectors that a provider sent", () => {
  test("are given as they came, in order", () => {
    const vectors = [
      [1, -0.5],
      [0, 2],
    ];
    expect(readVectors(vectors, { place, count: 2, dimensions: 2 })).toEqual(vectors);
    expect(readVectors([], { place, count: 0 })).toEqual([]);
  });

  test.each<[string, unknown, { count: number; dimensions?: number }, string]>([
    ["are no list", { 0: [1] }, { count: 1 }, "embeddings"],
    ["are too few", [[1]], { count: 2 }, "embeddings"],
    ["are too many", [[1], [2]], { count: 1 }, "embeddings"],
    ["hold something that is no vector", [[1], null], { count: 2 }, "embeddings[1]"],
    ["hold an empty vector", [[1], []], { count: 2 }, "embeddings[1]"],
    ["hold a text among the numbers", [[1, "2"]], { count: 1 }, "embeddings[0][1]"],
    ["hold what is no number", [[1, Number.NaN]], { count: 1 }, "embeddings[0][1]"],
    ["differ in length", [[1, 2], [1]], { count: 2 }, "embeddings[1]"],
    ["are not as long as was asked for", [[1, 2]], { count: 1, dimensions: 3 }, "embeddings[0]"],
  ])("are refused when they %s", (_, value, expected, where) => {
    expect(problem(value, expected)).toMatchObject({ place: where });
  });
});
