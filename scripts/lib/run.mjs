import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "./workspace.mjs";

/** The environment for tools: the workspace's own binaries come first, and nothing reports usage or asks questions. */
export function toolEnv() {
  return {
    ...process.env,
    PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
    DO_NOT_TRACK: "1",
  };
}

/** Runs a command to its end and returns its exit code; 1 when a signal ended it or it could not start. */
export function run(command, args, { cwd = root, env = toolEnv(), stdout = "inherit" } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", stdout, "inherit"], shell: onWindows() });
    child.once("error", (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Runs a command and returns what it printed; both streams in `output`. */
export function capture(command, args, { cwd = root, env = toolEnv(), timeoutMs = 120_000 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      shell: onWindows(),
    });
    let output = "";
    const keep = (text) => {
      output += text;
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code, signal) =>
      resolve({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}` : output }),
    );
  });
}

/** One of the workspace's tools. */
export function tool(name) {
  return join(root, "node_modules", ".bin", name);
}

/** turbo over the workspace. It needs pnpm on PATH, which `toolEnv` provides. */
export function turbo(tasks, args = []) {
  return run(tool("turbo"), ["run", ...tasks, "--output-logs=errors-only", "--concurrency=100%", ...args]);
}

function onWindows() {
  return process.platform === "win32";
}
