import { execFileSync } from "node:child_process";

/** Whether a server for MongoDB can be built here: with Go, in a version that can. */
export function hasGo() {
  try {
    const [, minor = 0] = /^go1\.(\d+)/.exec(execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8" })) ?? [];
    return Number(minor) >= 22;
  } catch {
    return false;
  }
}
