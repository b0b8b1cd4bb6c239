import {
  type ArgumentIssue,
  type Checked,
  checkStandard,
  isJsonObject,
  type JsonValue,
  lastAnswer,
  refusal,
  TinyAgentsError,
  text,
  userMessage,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { AgentDefinition } from "../definition.js";
import { extractJson } from "../output/extract.js";
import { withoutOptionalNulls } from "../output/optional-nulls.js";
import type { OutputPlan } from "../output/plan.js";
import { matchingVariant } from "../output/variant.js";
import type { LiveRun } from "../run/live-run.js";
import type { LiveState } from "../run/live-state.js";
import { checkWithSchema } from "../schema-validator.js";
import { correction, issueLines } from "../tools/correction.js";

/** What the last answer offers as structured output. */
interface Candidate {
  readonly text: string;
  readonly value: JsonValue | undefined;
  readonly issues: readonly ArgumentIssue[];
}

/**
 * Checks the structured answer. One that does not fit is the model's to mend, within the correction budget.
 * @throws `structured_output_invalid` for a refusal, an unfinished answer, or one that may not be mended.
 */
export async function validate(run: LiveRun): Promise<void> {
  const { state, definition } = run;
  const plan = definition.output;
  if (plan === undefined) {
    // The run was begun by an agent of this name that promised one.
    state.phase = "finalize";
    return;
  }
  const finishReason = state.lastResponse?.finishReason ?? "stop";
  const answer = lastAnswer(state.messages, state.newFrom);
  const declined = answer === undefined ? undefined : refusal(answer);
  if (declined !== undefined || finishReason === "refusal") throw invalid(run, "refusal", declined ?? "", []);
  if (finishReason !== "stop" && finishReason !== "tool_calls") {
    throw invalid(run, finishReason, answer === undefined ? "" : text(answer), []);
  }
  const candidate = candidateOf(run, plan, answer === undefined ? "" : text(answer));
  if (candidate.value === undefined) return correct(run, plan, candidate, candidate.issues);
  const unwrapped = unwrap(plan, candidate.value);
  if (unwrapped === undefined) return correct(run, plan, candidate, [{ path: "value", message: "is missing" }]);
  const value = withoutOptionalNulls(plan.schema, unwrapped.value);
  const checked = await check(run, plan, value);
  if (!checked.ok) return correct(run, plan, candidate, checked.issues);
  const variant = await matchingVariant(run, plan.variants, value);
  const which = { strategy: plan.strategy, ...(variant === undefined ? {} : { variant }) };
  state.output = { ...which, value };
  run.output = { value: checked.value };
  run.event()?.("output.validated", run.wantsPayloads ? { ...which, payload: { value } } : which);
  state.phase = "finalize";
}

/**
 * The structured answer as its schema gives it, of a run that was resumed after it had been checked: state has its JSON
 * alone. Nothing when that is all there is to it.
 */
export function outputAgain(
  { output: plan }: AgentDefinition,
  { output }: LiveState,
): Awaitable<{ readonly value: unknown } | undefined> {
  if (plan?.standard === undefined || output?.value === undefined) return undefined;
  const checked = checkStandard(plan.standard, output.value);
  return checked instanceof Promise ? checked.then(validOf) : validOf(checked);
}

function validOf(checked: Checked): { readonly value: unknown } | undefined {
  return checked.ok ? checked : undefined;
}

function candidateOf(run: LiveRun, plan: OutputPlan, answer: string): Candidate {
  const forced = run.state.output?.candidate;
  if (forced !== undefined) {
    if (forced.value !== undefined) return { text: forced.text, value: forced.value, issues: [] };
    return { text: forced.text, value: undefined, issues: [{ path: "", message: "the arguments are no JSON object" }] };
  }
  const found = extractJson(answer);
  if (found.found) return { text: answer, value: found.value, issues: [] };
  const missing =
    plan.strategy === "tool" ? `call the tool ${plan.name} to give the answer` : `it is no JSON: ${found.reason}`;
  return { text: answer, value: undefined, issues: [{ path: "", message: missing }] };
}

/** The answer itself, out of the object that it is sent in. A model that left the object out is understood. */
function unwrap(plan: OutputPlan, value: JsonValue): { readonly value: JsonValue } | undefined {
  if (!plan.wrapped) return { value };
  if (isJsonObject(value) && Object.hasOwn(value, "value")) return { value: value.value as JsonValue };
  return plan.strategy === "tool" ? undefined : { value };
}

async function check(run: LiveRun, plan: OutputPlan, value: JsonValue): Promise<Checked> {
  return plan.standard === undefined
    ? checkWithSchema(run.definition, plan.schema, value)
    : checkStandard(plan.standard, value);
}

/** Tells the model what is wrong and asks again. */
function correct(run: LiveRun, plan: OutputPlan, candidate: Candidate, issues: readonly ArgumentIssue[]): void {
  const { state } = run;
  if (plan.onInvalid === false) throw invalid(run, "invalid", candidate.text, issues);
  if (state.finalizing) throw invalid(run, "limit", candidate.text, issues);
  const { corrections } = state.counters;
  const { maxCorrections } = state.config.limits;
  if (corrections >= maxCorrections) {
    run.event()?.("limit.reached", { limit: "maxCorrections", allowed: maxCorrections });
    throw invalid(run, "corrections_used", candidate.text, issues);
  }
  correction(run, "output");
  state.output = null;
  state.messages.push(userMessage(complaint(plan, issues)));
  state.phase = "dispatch";
}

function complaint(plan: OutputPlan, issues: readonly ArgumentIssue[]): string {
  const { onInvalid } = plan;
  if (typeof onInvalid === "string") return onInvalid;
  if (typeof onInvalid === "function") return onInvalid(issues);
  return `Your answer does not have the form that was asked for:\n${issueLines(issues)}\nGive it again, complete, in the right form.`;
}

function invalid(
  run: LiveRun,
  reason: string,
  said: string,
  issues: readonly ArgumentIssue[],
): TinyAgentsError<"structured_output_invalid"> {
  const finishReason = run.state.lastResponse?.finishReason ?? "stop";
  const what = issues.length === 0 ? "" : `\n${issueLines(issues)}`;
  return new TinyAgentsError(
    "structured_output_invalid",
    `The run has no structured answer that fits (${reason}).${what}`,
    {
      details: { reason, text: said, finishReason, issues, counters: run.countersJson() },
    },
  );
}
