import {
  collect,
  type JsonObject,
  type Message,
  type ModelRequest,
  type ModelResponse,
  resolvedModel,
  systemMessage,
  text,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { type OpenAIModelOptions, openaiModel } from "@tinyagents/provider-openai";
import { type OpenAIWireServer, openaiWireServer, type WireEntry } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };

let server: OpenAIWireServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(script: readonly WireEntry[], options: Partial<OpenAIModelOptions> = {}) {
  const wire = await openaiWireServer(script);
  server = wire;
  const model = openaiModel("gpt-5", { apiKey: "key-1234", api: "responses", baseUrl: wire.url, ...options });
  const ask = (request: Partial<ModelRequest> = {}): Promise<ModelResponse> =>
    collect(
      model.stream(
        { messages: [userMessage("Hi")], tools: [LOOK], ...request },
        { signal: undefined, delivery: "incremental" },
      ),
      resolvedModel(model),
    );
  const input = (number: number): readonly JsonObject[] => wire.requests[number]?.body.input as readonly JsonObject[];
  return { wire, ask, input };
}

/** A message as it is after it was stored. */
function stored<M extends Message>(message: M): M {
  return JSON.parse(JSON.stringify(message)) as M;
}

describe("a conversation over the Responses API", () => {
  it("gives a model its encrypted thoughts back, between its calls and their results (MSG-12, PA-06)", async () => {
    const call = { toolCalls: [{ id: "call_1", name: "look", args: { at: 1 } }] };
    const { wire, ask, input } = await serve([{ reasoning: "Hm.", signature: "ZW5j", ...call }, "Done.", "Again."]);
    const first = stored((await ask()).message);
    const history = [userMessage("Hi"), first, toolMessage({ id: "call_1", name: "look" }, "seen")];
    const second = stored((await ask({ messages: history })).message);
    await ask({ messages: [...history, second, userMessage("And?")] });
    expect(input(1).map(({ type, role }) => type ?? role)).toEqual([
      "user",
      "reasoning",
      "function_call",
      "function_call_output",
    ]);
    expect(input(1)[1]).toMatchObject({ encrypted_content: "ZW5j", summary: [{ text: "Hm." }] });
    expect(input(2).slice(0, 4)).toEqual(input(1));
    wire.assertDone();
  });

  it("goes on from an answer that the provider keeps, and sends only what is new (MSG-07)", async () => {
    const { wire, ask, input } = await serve([{ toolCalls: [{ id: "call_1", name: "look" }] }, "Done."], {
      store: true,
    });
    const { message, responseId } = await ask({ messages: [systemMessage("Be brief."), userMessage("Hi")] });
    const history = [systemMessage("Be brief."), userMessage("Hi"), stored(message)];
    const results = toolCalls(message).map((one) => toolMessage(one, "seen"));
    const { message: end } = await ask({ messages: [...history, ...results], previousResponseId: responseId ?? "" });
    expect(text(end)).toBe("Done.");
    expect(input(1)).toEqual([{ type: "function_call_output", call_id: "call_1", output: "seen" }]);
    expect(wire.requests[1]?.body).toMatchObject({
      previous_response_id: responseId,
      instructions: "Be brief.",
      store: true,
    });
    wire.assertDone();
  });

  it("keeps what the provider did by itself, and sends it back (MSG-08)", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
    const { wire, ask, input } = await serve([{ blocks: [search], text: "Found." }, "Again."]);
    const own = { openai: { tools: [{ type: "web_search" }] } };
    const { message } = await ask({ providerOptions: own });
    expect(message.content).toContainEqual({ type: "provider", provider: "openai", value: search });
    await ask({ messages: [userMessage("Hi"), stored(message), userMessage("And?")], providerOptions: own });
    expect(input(1)).toContainEqual(search);
    wire.assertDone();
  });

  it("shows an image in a tool's result as an image (PA-14)", async () => {
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
    const { wire, ask, input } = await serve([{ toolCalls: [{ id: "call_1", name: "look" }] }, "A cat."]);
    const { message } = await ask();
    const result = toolMessage({ id: "call_1", name: "look" }, [image]);
    await ask({ messages: [userMessage("Hi"), stored(message), result] });
    expect(input(1).at(-1)).toMatchObject({
      output: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }],
    });
    wire.assertDone();
  });

  it("tells that an earlier answer is gone as a wrong request", async () => {
    const { ask } = await serve(["Hi"]);
    await expect(ask({ previousResponseId: "resp_gone" })).rejects.toMatchObject({ code: "provider_bad_request" });
  });
});
