import {
  type Capability,
  isJsonObject,
  type JsonObject,
  type Message,
  type ModelWarning,
  oncePer,
} from "@tinyagents/core";
import { answerContent, resultContent, spokenContent, type WireContent } from "./to-blocks.js";
import {
  asUserTurn,
  isWellPlaced,
  mergeTurns,
  resultsFirst,
  type Turn,
  withoutTrailingSpace,
  withoutTrailingThought,
} from "./turns.js";

/** A history on the wire, with what it asks of the model. */
export interface WireHistory {
  readonly system: readonly JsonObject[];
  readonly turns: readonly Turn[];
  readonly needs: ReadonlySet<Capability>;
  readonly warnings: readonly ModelWarning[];
  /** Where the last answer's code ran, as the server described it. */
  readonly container: JsonObject | undefined;
}

/** A message as it stands on the wire. */
interface Converted extends WireContent {
  readonly role: Turn["role"];
}

/**
 * Puts messages on the wire. Keeps what it made for as long as the message lives: histories grow, old messages stay as
 * they are.
 */
export class MessageConverter {
  readonly #provider: string;
  readonly #midSystem: boolean;
  readonly #once = oncePer((message: Message) => this.#make(message));

  /** `midSystem`: the model takes system messages in the middle of a conversation. */
  constructor(provider: string, midSystem: boolean) {
    this.#provider = provider;
    this.#midSystem = midSystem;
  }

  convert(history: readonly Message[]): WireHistory {
    const system: JsonObject[] = [];
    const turns: Turn[] = [];
    const needs = new Set<Capability>();
    const warnings: ModelWarning[] = [];
    let container: JsonObject | undefined;
    for (const message of history) {
      const converted = this.#once(message);
      for (const need of converted.needs) needs.add(need);
      warnings.push(...converted.warnings);
      if (message.role === "system") needs.add("system_messages");
      if (message.role === "assistant") container = this.#containerOf(message.providerMetadata?.[this.#provider]);
      if (message.role === "system" && turns.length === 0) system.push(...converted.content);
      else if (converted.content.length > 0) turns.push(converted);
    }
    return { system, turns: this.#settle(turns, warnings), needs, warnings, container };
  }

  /** Gives the turns the order and the shape that the server wants of them. */
  #settle(turns: readonly Turn[], warnings: ModelWarning[]): readonly Turn[] {
    const placed = mergeTurns(this.#placeSystem(mergeTurns(turns), warnings));
    const settled = withoutTrailingSpace(mergeTurns(placed.map(withoutTrailingThought)).map(resultsFirst));
    if (settled.length === 0 || settled[0]?.role === "user") return settled;
    const message = "A conversation begins with the user here; a turn that says so was put before it.";
    warnings.push({ code: "changed_setting", setting: "messages", message });
    return [{ role: "user", content: [{ type: "text", text: "(The conversation begins.)" }] }, ...settled];
  }

  #placeSystem(turns: readonly Turn[], warnings: ModelWarning[]): readonly Turn[] {
    let moved = false;
    const placed = turns.map((turn, at) => {
      if (turn.role !== "system" || (this.#midSystem && isWellPlaced(turns, at))) return turn;
      moved = true;
      return asUserTurn(turn);
    });
    if (moved) {
      const message = "System messages in the middle were sent as text of the user's turn: the model takes none there.";
      warnings.push({ code: "changed_setting", setting: "messages", message });
    }
    return placed;
  }

  #containerOf(own: JsonObject | undefined): JsonObject | undefined {
    return isJsonObject(own?.container) ? own.container : undefined;
  }

  #make(message: Message): Converted {
    const provider = this.#provider;
    switch (message.role) {
      case "system":
        return { role: "system", ...spokenContent(message.content, provider, false) };
      case "user": {
        const spoken = spokenContent(message.content, provider, true);
        return { role: "user", ...spoken, warnings: [...spoken.warnings, ...nameWarning(message.name)] };
      }
      case "tool":
        return { role: "user", ...resultContent(message, provider) };
      case "assistant":
        return { role: "assistant", ...answerContent(message, provider) };
    }
  }
}

function nameWarning(name: string | undefined): readonly ModelWarning[] {
  if (name === undefined) return [];
  const message = "The Messages API has no place for a speaker's name; it was left out.";
  return [{ code: "unsupported_setting", setting: "messages", message }];
}
