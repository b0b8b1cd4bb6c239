import {
  type AudioBlock,
  assistantMessage,
  type Capability,
  type FileBlock,
  type ImageBlock,
  systemMessage,
  text,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { assert, assertEqual, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { answerCheck, ask, BOTH, refusesWithout } from "./ask.js";
import { answerOf, type ScenarioName, scenarioMetadata } from "./scenarios.js";
import { type ModelNeed, type ModelUnderTest, RECORDED_REQUESTS } from "./subject.js";

const IMAGE: ImageBlock = {
  type: "image",
  source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwC" },
};

const PDF: FileBlock = {
  type: "file",
  name: "notes.pdf",
  source: { type: "base64", mediaType: "application/pdf", data: "JVBERi0xLjQKJcOkw7zDtsOfCg==" },
};
const WAV: AudioBlock = {
  type: "audio",
  source: { type: "base64", mediaType: "audio/wav", data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEA" },
};
const MEDIA: ReadonlySet<string> = new Set(["image_input", "file_input", "audio_input"]);

function dataOf({ source }: ImageBlock | FileBlock | AudioBlock): string {
  return source.type === "base64" ? source.data : "";
}

/** A check of what goes over the wire, in both deliveries. */
function sendingCheck(
  name: string,
  send: Parameters<typeof ask>[1],
  look: (body: string, delivery: string) => void,
  needs: readonly ModelNeed[] = [],
): Check<ModelUnderTest> {
  const [capability] = needs;
  return {
    name,
    group: "text and history",
    needs: [...needs, RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("text", async ({ model, requests }) => {
        for (const delivery of BOTH) {
          await ask(model, send, { delivery });
          look(JSON.stringify(requests().at(-1)?.body ?? null), delivery);
        }
      }),
    ...(capability !== undefined && MEDIA.has(capability)
      ? { runWhenLacking: (subject) => refusesWithout(subject, capability as Capability) }
      : {}),
  };
}

function textCheck(name: string, scenario: ScenarioName & ("text" | "unicode")): Check<ModelUnderTest> {
  return answerCheck({ name, group: "text and history", scenario }, ({ message }, delivery) => {
    const content = message.content.map(({ providerMetadata: _, ...block }) => block);
    assertEqual(content, [{ type: "text", text: answerOf(scenario).text }], `content (${delivery})`);
  });
}

function inOrder(body: string, pieces: readonly string[], delivery: string): void {
  const places = pieces.map((piece) => body.indexOf(piece));
  for (const piece of pieces) assertIncludes(body, piece, `the request (${delivery})`);
  assertEqual(
    places,
    places.toSorted((a, b) => a - b),
    `places of the messages in the request (${delivery})`,
  );
}

/** What is said and what is answered. */
export const contentChecks: readonly Check<ModelUnderTest>[] = [
  textCheck("answers with the text that the server sent", "text"),
  textCheck("keeps characters whole wherever the bytes are cut", "unicode"),
  answerCheck(
    { name: "says which model answered", group: "text and history", scenario: "text" },
    (response, delivery) => {
      assert(response.model.id !== "" && response.model.model !== "", `the model's identity is empty (${delivery})`);
      assertEqual(response.message.model, response.model, `message.model (${delivery})`);
    },
  ),
  sendingCheck(
    "sends system instructions",
    { messages: [systemMessage("Speak like a pirate."), userMessage("Say hello.")] },
    (body, delivery) => inOrder(body, ["Speak like a pirate.", "Say hello."], delivery),
    ["system_messages"],
  ),
  sendingCheck(
    "sends all turns of a history in their order",
    { messages: [userMessage("first turn"), assistantMessage("second turn"), userMessage("third turn")] },
    (body, delivery) => inOrder(body, ["first turn", "second turn", "third turn"], delivery),
  ),
  sendingCheck(
    "sends a history that has an empty answer in it",
    {
      messages: [userMessage("first turn"), assistantMessage([{ type: "text", text: "" }]), userMessage("third turn")],
    },
    (body, delivery) => {
      inOrder(body, ["first turn", "third turn"], delivery);
      assert(!body.includes('"text":""'), `the request has an empty text (${delivery}): ${body}`);
    },
  ),
  sendingCheck(
    "sends a call together with its result",
    {
      messages: [
        userMessage("How is the weather?"),
        assistantMessage([{ type: "tool_call", id: "call_1", name: "get_weather", args: { city: "Paris" } }]),
        toolMessage({ id: "call_1", name: "get_weather" }, "sunny in Paris"),
      ],
    },
    (body, delivery) => inOrder(body, ["How is the weather?", "get_weather", "sunny in Paris"], delivery),
    ["tools"],
  ),
  sendingCheck(
    "sends an image as an image",
    { messages: [userMessage([{ type: "text", text: "See." }, IMAGE])] },
    (body, delivery) => assertIncludes(body, dataOf(IMAGE), `the request (${delivery})`),
    ["image_input"],
  ),
  sendingCheck(
    "sends a document as a document",
    { messages: [userMessage([{ type: "text", text: "See." }, PDF])] },
    (body, delivery) => assertIncludes(body, dataOf(PDF), `the request (${delivery})`),
    ["file_input"],
  ),
  sendingCheck(
    "sends a recording as a recording",
    { messages: [userMessage([{ type: "text", text: "Hear." }, WAV])] },
    (body, delivery) => assertIncludes(body, dataOf(WAV), `the request (${delivery})`),
    ["audio_input"],
  ),
  sendingCheck(
    "never has an image's bytes in the text of a tool result",
    {
      messages: [
        userMessage("Look."),
        assistantMessage([{ type: "tool_call", id: "call_1", name: "look", args: {} }]),
        toolMessage({ id: "call_1", name: "look" }, [IMAGE]),
      ],
    },
    (body, delivery) => {
      const data = dataOf(IMAGE);
      assert(
        !body.includes(`"content":"${data}`) && !body.includes(`"text":"${data}`),
        `bytes as text (${delivery}): ${body}`,
      );
    },
    ["tools"],
  ),
  answerCheck(
    {
      name: "keeps reasoning apart from the text",
      group: "text and history",
      scenario: "reasoning_text",
      needs: "reasoning",
    },
    ({ message }, delivery) => {
      const { reasoning, text: visible } = answerOf("reasoning_text");
      assertEqual(text(message), visible, `visible text (${delivery})`);
      const thought = message.content.map((block) => (block.type === "reasoning" ? block.text : "")).join("");
      assertEqual(thought, reasoning, `reasoning (${delivery})`);
    },
  ),
  answerCheck(
    {
      name: "gives structured output that the provider enforces",
      group: "structured output",
      scenario: "structured",
      needs: "structured_output",
      request: {
        responseFormat: {
          type: "json_schema",
          name: "weather",
          schema: { type: "object", properties: { celsius_as_asked: { type: "number" } } },
        },
      },
    },
    ({ message }, delivery, { requests }) => {
      assertEqual(text(message), answerOf("structured").text, `text (${delivery})`);
      const sent = requests().at(-1);
      if (sent !== undefined)
        assertIncludes(JSON.stringify(sent.body), "celsius_as_asked", `the request (${delivery})`);
    },
  ),
  answerCheck(
    { name: "keeps a field of the provider's own, through storage and back", group: "metadata", scenario: "metadata" },
    async (response, delivery, { model }) => {
      const stored = JSON.stringify(response);
      assertIncludes(stored, scenarioMetadata, `the response (${delivery})`);
      assertEqual(JSON.parse(stored), response, `the response after storage (${delivery})`);
      const { message } = JSON.parse(stored) as typeof response;
      assertEqual(toolCalls(message), [], `tool calls (${delivery})`);
      await ask(
        model,
        { messages: [userMessage("Say hello."), message, userMessage("Again.")] },
        { delivery: "whole" },
      );
    },
  ),
];
