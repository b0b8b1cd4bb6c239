import "./without-code.js";
import { program, type Report } from "../portable/program.js";

/** What the page leaves for whoever drives the browser. */
export interface PageAnswer {
  readonly report?: Report;
  readonly error?: string;
  /** What the page tried that its policy forbids. */
  readonly violations: readonly string[];
  /** Whether the policy keeps code from being made of a text. */
  readonly forbidsCodeGeneration: boolean;
}

declare global {
  interface Window {
    answer?: Promise<PageAnswer>;
  }
}

window.answer = run();

async function run(): Promise<PageAnswer> {
  const violations: string[] = [];
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    violations.push(`${violatedDirective}: ${blockedURI}`);
  });
  const came = await program().then(
    (report) => ({ report }),
    (error: unknown) => ({ error: error instanceof Error ? `${error.stack}` : String(error) }),
  );
  await nextTask();
  const before = violations.slice();
  return { ...came, violations: before, forbidsCodeGeneration: forbidsCodeGeneration() };
}

/** Violations are told in tasks of their own. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function forbidsCodeGeneration(): boolean {
  try {
    return new Function("return false")() as boolean;
  } catch {
    return true;
  }
}
