import { redactText } from "@tinyagents/core";

/** How deep causes are followed. */
const DEEPEST = 5;

/** What people with a debugger get of an error: its words and its causes, without secrets and without anything else. */
export function cleanError(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (typeof error === "string") return new Error(redactText(error, secrets));
  if (!(error instanceof Error) || depth >= DEEPEST) return undefined;
  const clean: Error & { code?: string } = new Error(redactText(error.message, secrets));
  clean.name = redactText(error.name, secrets);
  if (error.stack !== undefined) clean.stack = redactText(error.stack, secrets);
  const code = codeOf(error);
  if (code !== undefined) clean.code = redactText(code, secrets);
  const cause = cleanError(error.cause, secrets, depth + 1);
  if (cause !== undefined) clean.cause = cause;
  return clean;
}

/** The system's code for a failure (`ECONNREFUSED`), wherever in the chain of causes it stands. */
export function firstCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < DEEPEST; at = at.cause, depth++) {
    const code = codeOf(at);
    if (code !== undefined) return code;
  }
  return undefined;
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
