import { describe, it } from "vitest";
import { chatModelChecks } from "./chat-model/checks.js";
import { type ChatModelSubject, modelUnderTest } from "./chat-model/subject.js";
import { runCheck } from "./run-checks.js";

/** Registers one test per model check. What the adapter does not claim is shown as skipped, with the reason. */
export function chatModelConformance(subject: ChatModelSubject): void {
  describe(`${subject.name} keeps the contract of a chat model`, () => {
    for (const check of chatModelChecks) {
      it(`${check.group}: it ${check.name}`, async ({ skip }) => {
        const { result, error } = await runCheck(check, () => modelUnderTest(subject));
        if (result.status === "skipped") skip(result.message);
        if (result.status === "failed") throw error;
      }, 15_000);
    }
  });
}
