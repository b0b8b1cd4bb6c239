import { canonicalJson, type Message, type ModelRequest, text, toolText } from "@tinyagents/core";

/** What a request must look like: a function that throws when it does not, or facts that must hold. */
export type RequestExpectation = ((request: ModelRequest) => void) | ExpectedRequest;

/** Facts about a request. What is absent is not looked at; a text is compared whole, a pattern is searched for. */
export interface ExpectedRequest {
  /** The roles of all messages, in order. */
  readonly roles?: readonly Message["role"][];
  /** The text of all system messages, joined by line feeds. */
  readonly systemText?: string | RegExp;
  readonly lastUserText?: string | RegExp;
  /** The results since the last answer, as text, in order. */
  readonly toolResults?: readonly (string | RegExp)[];
  /** The names of the offered tools, in order. */
  readonly toolNames?: readonly string[];
  readonly toolChoice?: ModelRequest["toolChoice"];
  readonly responseFormat?: ModelRequest["responseFormat"];
}

/** @throws Error that names the first fact that does not hold. */
export function expectRequest(request: ModelRequest, expectation: RequestExpectation): void {
  if (typeof expectation === "function") {
    expectation(request);
    return;
  }
  const { messages } = request;
  same("roles", expectation.roles, () => messages.map(({ role }) => role));
  matches("systemText", expectation.systemText, () => textsOf(messages, "system").join("\n"));
  matches("lastUserText", expectation.lastUserText, () => textsOf(messages, "user").at(-1));
  same("toolNames", expectation.toolNames, () => (request.tools ?? []).map(({ name }) => name));
  same("toolChoice", expectation.toolChoice, () => request.toolChoice);
  same("responseFormat", expectation.responseFormat, () => request.responseFormat);
  if (expectation.toolResults !== undefined) expectResults(expectation.toolResults, latestResults(messages));
}

/** A request in a few lines, for a message that somebody must understand. */
export function describeRequest({ messages, tools = [] }: ModelRequest): string {
  const skipped = Math.max(0, messages.length - 4);
  const lines = messages.slice(skipped).map((message) => `  ${message.role}: ${shorten(contentOf(message))}`);
  if (skipped > 0) lines.unshift(`  (${skipped} earlier messages)`);
  lines.push(`  tools: ${tools.length === 0 ? "none" : tools.map(({ name }) => name).join(", ")}`);
  return lines.join("\n");
}

function expectResults(expected: readonly (string | RegExp)[], found: readonly string[]): void {
  if (expected.length !== found.length) {
    throw new Error(`toolResults: expected ${expected.length} results, found ${found.length}: ${canonicalJson(found)}`);
  }
  for (const [index, wanted] of expected.entries()) matches(`toolResults[${index}]`, wanted, () => found[index]);
}

function same(name: string, expected: unknown, read: () => unknown): void {
  if (expected === undefined) return;
  const wanted = canonicalJson(expected);
  const value = read();
  const found = value === undefined ? "nothing" : canonicalJson(value);
  if (wanted !== found) throw new Error(`${name}: expected ${wanted}, found ${found}`);
}

function matches(name: string, expected: string | RegExp | undefined, read: () => string | undefined): void {
  if (expected === undefined) return;
  const found = read();
  const holds =
    typeof expected === "string" ? found === expected : found !== undefined && found.search(expected) !== -1;
  if (holds) return;
  const wanted = typeof expected === "string" ? JSON.stringify(expected) : String(expected);
  throw new Error(`${name}: expected ${wanted}, found ${found === undefined ? "nothing" : JSON.stringify(found)}`);
}

function textsOf(messages: readonly Message[], role: Message["role"]): readonly string[] {
  return messages.filter((message) => message.role === role).map(text);
}

function latestResults(messages: readonly Message[]): readonly string[] {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(answered + 1).flatMap((message) => (message.role === "tool" ? [toolText(message)] : []));
}

function contentOf(message: Message): string {
  if (message.role === "tool") return `${message.name} (${message.status}) ${toolText(message)}`;
  const said = message.content.map((block) => {
    if (block.type === "text") return block.text;
    return block.type === "tool_call" ? `[call ${block.name} ${canonicalJson(block.args)}]` : `[${block.type}]`;
  });
  return said.join(" ");
}

function shorten(line: string): string {
  const flat = line.replaceAll(/\s+/g, " ");
  return flat.length <= 120 ? flat : `${flat.slice(0, 117)}...`;
}
