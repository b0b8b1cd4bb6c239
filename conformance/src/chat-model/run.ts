import type { Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { chatModelChecks } from "./checks.js";
import { type ChatModelSubject, modelUnderTest } from "./subject.js";

/** Runs all model checks on an adapter. */
export function checkChatModel(subject: ChatModelSubject, options: Omit<RunOptions, "name"> = {}): Promise<Report> {
  return runChecks(chatModelChecks, () => modelUnderTest(subject), { ...options, name: subject.name });
}
