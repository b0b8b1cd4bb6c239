import { expect, it } from "vitest";
import { run } from "./run-program.js";

it("the weather example calls its tool and answers, also when one call of two fails", async () => {
  const { code, stdout, stderr } = await run("weather", []);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^get_weather \(Oslo\): celsius: 7, raining: true\n\d+ tokens, unpriced\n/);
  expect(stdout).toContain('> get_weather {"city":"Rome"}\n> get_weather {"city":"Atlantis"}\n');
  expect(stdout).toContain("get_weather (Rome): celsius: 21, raining: false");
  expect(stdout).toMatch(/get_weather \(Atlantis\) failed: .*There is no report for Atlantis/);
  expect(code).toBe(0);
});
