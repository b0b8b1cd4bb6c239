import { join } from "node:path";
import { type CheckedListQuery, compareKeyPrefix, type StoreKey } from "@tinyagents/core";
import type { Files } from "./files.js";
import { comparePieces, folderName, type KeyPiece, pieceOfFolder, piecesOf } from "./key-path.js";
import type { RecordReader } from "./record-folder.js";

/** How many names of a folder are held at once. A folder with more is read again for the next. */
const MOST_NAMES = 2_000;

/** A folder of the tree of keys. */
interface Node {
  readonly folder: string;
  readonly pieces: readonly KeyPiece[];
}

/** The keys that may have a record, in order. Holds some names of each folder on the way down, however many there are. */
export class KeyWalk {
  readonly #files: Files;
  readonly #reader: RecordReader;
  readonly #root: string;
  readonly #mostNames: number;

  constructor(files: Files, root: string, reader: RecordReader, mostNames: number = MOST_NAMES) {
    this.#files = files;
    this.#root = root;
    this.#reader = reader;
    this.#mostNames = mostNames;
  }

  async *keys({ prefix, descending, after }: Omit<CheckedListQuery, "where" | "limit">): AsyncGenerator<StoreKey> {
    const side = after === undefined ? 0 : compareKeyPrefix(after, prefix);
    if (side !== 0 && side > 0 !== descending) return;
    const pieces = piecesOf(prefix);
    const top = { folder: join(this.#root, ...pieces.map(folderName)), pieces };
    yield* this.#below(top, side === 0 && after ? piecesOf(after).slice(pieces.length) : undefined, descending);
  }

  /** Keys of a folder and those below it, beyond `after`, which is told from this folder on. */
  async *#below(node: Node, after: readonly KeyPiece[] | undefined, descending: boolean): AsyncGenerator<StoreKey> {
    const [next, ...rest] = after ?? [];
    if (descending && after?.length === 0) return;
    if (!descending && after === undefined) yield* keyOf(node);
    for await (const piece of this.#children(node, next, descending)) {
      const child = { folder: join(node.folder, folderName(piece)), pieces: [...node.pieces, piece] };
      const isOnTheWay = next !== undefined && comparePieces(piece, next) === 0;
      yield* this.#below(child, isOnTheWay ? rest : undefined, descending);
    }
    if (descending) yield* keyOf(node);
  }

  /** The folders in a folder, in order, from one on. */
  async *#children(node: Node, from: KeyPiece | undefined, descending: boolean): AsyncGenerator<KeyPiece> {
    const compare = (one: KeyPiece, other: KeyPiece): number => comparePieces(one, other) * (descending ? -1 : 1);
    let isWanted = (piece: KeyPiece): boolean => from === undefined || compare(piece, from) >= 0;
    for (;;) {
      const pieces = await this.#first(node, isWanted, compare);
      yield* pieces;
      const last = pieces.at(-1);
      if (last === undefined || pieces.length < this.#mostNames) return;
      isWanted = (piece) => compare(piece, last) > 0;
    }
  }

  /** The first of those that are wanted, as many as may be held. */
  async #first(
    { folder }: Node,
    isWanted: (piece: KeyPiece) => boolean,
    compare: (one: KeyPiece, other: KeyPiece) => number,
  ): Promise<readonly KeyPiece[]> {
    if (!(await this.#reader.isFolder(folder))) return [];
    let held: KeyPiece[] = [];
    for await (const { name, kind } of this.#files.entries(folder)) {
      const piece = pieceOfFolder(name);
      if (piece === undefined || !isWanted(piece)) continue;
      // Refuses a link, where a name of ours is one. Other files are nobody's key.
      if (kind !== "folder" && !(kind === "other" && (await this.#reader.isFolder(join(folder, name))))) continue;
      held.push(piece);
      if (held.length >= 2 * this.#mostNames) held = held.sort(compare).slice(0, this.#mostNames);
    }
    return held.sort(compare).slice(0, this.#mostNames);
  }
}

function* keyOf({ pieces }: Node): Generator<StoreKey> {
  if (pieces.length === 0 || pieces.at(-1)?.goesOn === true) return;
  const names: string[] = [];
  let name = "";
  for (const { text, goesOn } of pieces) {
    name += text;
    if (goesOn) continue;
    names.push(name);
    name = "";
  }
  yield names;
}
