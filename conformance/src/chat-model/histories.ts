import { assistantMessage, type Block, type Message, systemMessage, toolMessage, userMessage } from "@tinyagents/core";

/** A history as another provider, or an application, may have left it. It keeps the rules of histories. */
export interface ForeignHistory {
  /** A phrase: "thoughts that another provider signed". */
  readonly about: string;
  readonly messages: readonly Message[];
}

const QUESTION = userMessage("How is the weather in Paris?");
const NEXT = userMessage("And now?");
const LONG = `toolu|vendor:01.${"x".repeat(80)}`;

/** A turn that calls a tool under an id, and its result. */
function turn(id: string, ...before: readonly Block[]): readonly Message[] {
  return [
    assistantMessage([...before, { type: "tool_call", id, name: "get_weather", args: { city: "Paris" } }]),
    toolMessage({ id, name: "get_weather" }, "sunny in Paris"),
  ];
}

/** Histories that every adapter must be able to go on from: each is one kind of thing that others leave behind. */
export const foreignHistories: readonly ForeignHistory[] = [
  {
    about: "thoughts that another provider signed",
    messages: [
      QUESTION,
      ...turn("call_1", {
        type: "reasoning",
        text: "I have to look.",
        providerMetadata: { elsewhere: { signature: "c2ln", encryptedContent: "ZW5j" } },
      }),
      NEXT,
    ],
  },
  {
    about: "thoughts that another provider withheld",
    messages: [
      QUESTION,
      assistantMessage([
        { type: "reasoning", text: "", redacted: true, providerMetadata: { elsewhere: { data: "ZW5j" } } },
        { type: "text", text: "It is sunny." },
      ]),
      NEXT,
    ],
  },
  {
    about: "an answer that holds nothing but another provider's thoughts",
    messages: [QUESTION, assistantMessage([{ type: "reasoning", text: "Hm." }]), NEXT],
  },
  {
    about: "what another provider did by itself, and what it cited",
    messages: [
      QUESTION,
      assistantMessage([
        { type: "provider", provider: "elsewhere", value: { type: "web_search_call", id: "ws_1" } },
        {
          type: "tool_result",
          callId: "srv_1",
          name: "web_search",
          isError: false,
          content: [{ type: "text", text: "found" }],
        },
        { type: "text", text: "It is sunny." },
        { type: "citation", source: { url: "https://weather.test" }, text: "sunny" },
      ]),
      NEXT,
    ],
  },
  { about: "a refusal", messages: [QUESTION, assistantMessage([{ type: "refusal", text: "I will not say." }]), NEXT] },
  { about: "ids with marks that some providers refuse", messages: [QUESTION, ...turn("call|1:a.b c"), NEXT] },
  { about: "an id that is too long for most", messages: [QUESTION, ...turn(LONG), NEXT] },
  {
    about: "ids that differ in their marks alone",
    messages: [
      QUESTION,
      assistantMessage(
        ["a.b", "a:b", `${LONG}1`, `${LONG}2`].map((id) => ({ type: "tool_call", id, name: "get_weather", args: {} })),
      ),
      ...["a.b", "a:b", `${LONG}1`, `${LONG}2`].map((id) => toolMessage({ id, name: "get_weather" }, `result ${id}`)),
      NEXT,
    ],
  },
  {
    about: "a call whose arguments could not be read",
    messages: [
      QUESTION,
      assistantMessage([
        {
          type: "tool_call",
          id: "call_1",
          name: "get_weather",
          args: {},
          invalid: { reason: "It ends too early.", raw: '{"city":"Par' },
        },
      ]),
      toolMessage({ id: "call_1", name: "get_weather" }, "The arguments are no JSON.", "invalid"),
      NEXT,
    ],
  },
  {
    about: "results that are data, that are empty, and that tell of a failure",
    messages: [
      QUESTION,
      assistantMessage(
        ["call_1", "call_2", "call_3"].map((id) => ({ type: "tool_call", id, name: "get_weather", args: {} })),
      ),
      toolMessage({ id: "call_1", name: "get_weather" }, [{ type: "json", value: { celsius: 21, wind: null } }]),
      toolMessage({ id: "call_2", name: "get_weather" }, ""),
      toolMessage({ id: "call_3", name: "get_weather" }, "No such city.", "failed"),
      NEXT,
    ],
  },
  {
    about: "texts that are empty, or nothing but space",
    messages: [
      QUESTION,
      assistantMessage([
        { type: "text", text: "" },
        { type: "text", text: " \n" },
      ]),
      userMessage([
        { type: "text", text: "" },
        { type: "text", text: "And now?" },
      ]),
      ...turn("call_1", { type: "text", text: "Let me look.  \n" }, { type: "text", text: "" }),
      NEXT,
    ],
  },
  {
    about: "several messages of one kind in a row, and an answer before any question",
    messages: [assistantMessage("Welcome."), assistantMessage("Ask me."), QUESTION, NEXT],
  },
  {
    about: "instructions in the middle",
    messages: [systemMessage("Be brief."), QUESTION, assistantMessage("It is sunny."), systemMessage("Be kind."), NEXT],
  },
];
