import { type JsonObject, type JsonValue, messageOf, TinyAgentsError } from "@tinyagents/core";

/** How a tool gave a value, as errors say it. */
type Giving = "returned" | "reported";

/**
 * A copy that is nothing but JSON: what the tool does with its object later changes no history and no event. `root` is
 * the value's name in errors.
 * @throws `tool_failed` that names the place of what has no JSON form: see {@link copyJson}.
 */
export function plainJson(
  tool: string,
  callId: string,
  value: unknown,
  how: Giving = "returned",
  root: string = how === "returned" ? "result" : "progress",
): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  return copyJson(value, root, (place, reason) => notJson(tool, callId, how, `${place}: ${reason}`));
}

/** The error of a value that cannot be taken. */
function notJson(tool: string, callId: string, how: Giving, reason: string): TinyAgentsError<"tool_failed"> {
  return new TinyAgentsError("tool_failed", `The tool ${tool} ${how} something that is not JSON: ${reason}`, {
    details: { tool, callId },
  });
}

/** The deepest that a value may be nested, so that a state that holds it can still be read. */
const DEEPEST = 200;
/** The most values in one, and the most characters in its texts and keys: its JSON text can still be made. */
const MOST_VALUES = 1_000_000;
const MOST_CHARS = 64 * 1024 * 1024;

/**
 * A copy of a value as JSON has it. `undefined` is nothing: left out of objects, `null` in arrays and by itself. What has
 * a `toJSON`, as dates have, is what that gives. An instance of a class is its own fields. Refused, wherever it stands:
 * what JSON would drop or empty without a word (functions, symbols, maps, sets, errors, buffers, instances without
 * fields), numbers that are not finite, dates that are none, cycles, keys that reach for a prototype, and what is too
 * deep or too large.
 */
function copyJson(value: unknown, root: string, refuse: (place: string, reason: string) => Error): JsonValue {
  const copying = new Copying(root);
  try {
    return copying.copy(value, root) ?? null;
  } catch (error) {
    const reason = error instanceof NoJson ? error.reason : messageOf(error);
    throw refuse(copying.place, reason);
  }
}

/** Why a value is refused. No error for anybody else: it has no stack. */
class NoJson {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The containers that are being copied, the innermost first. */
interface Holder {
  readonly value: object;
  readonly above: Holder | undefined;
  readonly depth: number;
  /** Where in it the copy has got to. */
  key: string | number;
}

type ToJson = (key: string) => unknown;

/** One walk through a value. */
class Copying {
  readonly #root: string;
  #holder: Holder | undefined;
  #values = MOST_VALUES;
  #chars = MOST_CHARS;

  constructor(root: string) {
    this.#root = root;
  }

  /** The place of the value that is being copied, as `result.rows[3].when`; of a very deep one the last steps. */
  get place(): string {
    let path = "";
    let holder = this.#holder;
    for (let steps = 0; holder !== undefined && steps < MOST_STEPS; steps++) {
      path = step(holder.key) + path;
      holder = holder.above;
    }
    return holder === undefined ? this.#root + path : `${this.#root}…${path}`;
  }

  copy(value: unknown, key: string): JsonValue | undefined {
    switch (typeof value) {
      case "string":
        this.#spend(value.length);
        return value;
      case "number":
        if (!Number.isFinite(value)) throw new NoJson(`${value} has no JSON form`);
        // The JSON of -0 is 0.
        return value + 0;
      case "boolean":
      case "undefined":
        return value;
      case "object":
        return value === null ? null : this.#container(value, key);
      default:
        throw new NoJson(`a ${typeof value} has no JSON form`);
    }
  }

  #container(value: object, key: string): JsonValue {
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") return this.#saidBy(value, toJSON as ToJson, key);
    return this.#inside(value);
  }

  /** What an object says that its JSON is, is not asked again. */
  #saidBy(value: object, toJSON: ToJson, key: string): JsonValue {
    const said: unknown = toJSON.call(value, key);
    if (said === undefined || (said === null && value instanceof Date)) {
      throw new NoJson(`${kindOf(value)} has no JSON form`);
    }
    if (typeof said === "object" && said !== null) return this.#inside(said);
    return this.copy(said, key) ?? null;
  }

  #inside(value: object): JsonValue {
    const above = this.#holder;
    const depth = above === undefined ? 1 : above.depth + 1;
    if (depth > DEEPEST) throw new NoJson(`it is nested more than ${DEEPEST} levels deep`);
    for (let holder = above; holder !== undefined; holder = holder.above) {
      if (holder.value === value) throw new NoJson("it contains itself");
    }
    const holder: Holder = { value, above, depth, key: "" };
    const copied = Array.isArray(value) ? this.#array(value, holder) : this.#object(value, holder);
    this.#holder = above;
    return copied;
  }

  #array(values: readonly unknown[], holder: Holder): JsonValue {
    const { length } = values;
    this.#count(length);
    this.#holder = holder;
    const copied: JsonValue[] = [];
    for (let index = 0; index < length; index++) {
      holder.key = index;
      copied.push(this.copy(values[index], String(index)) ?? null);
    }
    return copied;
  }

  #object(value: object, holder: Holder): JsonValue {
    const keys = Object.keys(value);
    if (!isPlain(value) && (keys.length === 0 || !hasOnlyFields(value))) {
      throw new NoJson(`${kindOf(value)} has no JSON form`);
    }
    this.#count(keys.length);
    this.#holder = holder;
    const copied: { [key: string]: JsonValue } = {};
    for (const key of keys) {
      holder.key = key;
      this.#spend(key.length);
      const entry = this.copy((value as { readonly [key: string]: unknown })[key], key);
      if (entry === undefined) continue;
      if (reachesForPrototype(key, entry)) throw new NoJson("this key could reach a prototype, and no reader takes it");
      copied[key] = entry;
    }
    return copied;
  }

  #spend(chars: number): void {
    this.#chars -= chars;
    if (this.#chars < 0) throw tooLarge();
  }

  #count(values: number): void {
    this.#values -= values;
    if (this.#values < 0) throw tooLarge();
  }
}

function tooLarge(): NoJson {
  return new NoJson(`it has more than ${MOST_VALUES} values or ${MOST_CHARS} characters; keep it with saveArtifact`);
}

/** Whether an object was written as a literal, in whatever realm, or has no prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether what an object holds is in its fields: maps, errors, buffers keep theirs elsewhere. */
function hasOnlyFields(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function reachesForPrototype(key: string, value: JsonValue): boolean {
  if (key === "__proto__") return true;
  return key === "constructor" && Object.hasOwn(Object(value) as JsonObject, "prototype");
}

function kindOf(value: object): string {
  if (value instanceof Date) return "an invalid date";
  const { name } = (value as { readonly constructor?: { readonly name?: unknown } }).constructor ?? {};
  return typeof name === "string" && name !== "" ? `a value of the kind ${name.slice(0, LONGEST_STEP)}` : "this value";
}

const MOST_STEPS = 20;
const LONGEST_STEP = 60;

function step(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(key) && key.length <= LONGEST_STEP) return `.${key}`;
  return `[${JSON.stringify(key.slice(0, LONGEST_STEP))}]`;
}
