import {
  type AppendStoreSubject,
  type CheckpointStoreSubject,
  type Place,
  type StoreSubject,
  type TaskStoreSubject,
  temporaryFolder,
} from "@tinyagents/conformance";
import { type JournalBackend, journalBackend } from "./journal-backend.js";
import { type JournalFault, journalFaults } from "./journal-faults.js";

/** Where a place is, and what is wrong with it. */
interface Ref {
  readonly folder: string;
  readonly fault?: JournalFault;
}

/** A subject that keeps every promise, or has one fault. */
export function journalSubject(
  fault?: JournalFault,
): StoreSubject & AppendStoreSubject & CheckpointStoreSubject & TaskStoreSubject {
  const open = ({ folder, fault: name }: Ref, onWrite?: () => void): JournalBackend => {
    const backend = journalBackend(folder, onWrite === undefined ? {} : { onWrite });
    return name === undefined ? backend : journalFaults[name](backend, folder);
  };
  return {
    name: fault === undefined ? "journal" : `journal: ${fault}`,
    module: import.meta.url,
    async create(): Promise<Place<JournalBackend>> {
      const { path: folder, remove } = temporaryFolder("journal");
      const ref = fault === undefined ? { folder } : { folder, fault };
      let failing = { after: 0, count: 0 };
      const onWrite = (): void => {
        const { after, count } = failing;
        failing = after > 0 ? { after: after - 1, count } : { after, count: Math.max(0, count - 1) };
        if (after === 0 && count > 0) throw new Error("ENOSPC: no space left on device");
      };
      return {
        ref,
        open: () => open(ref, onWrite),
        failWrites: (options) => {
          failing = options;
        },
        remove,
      };
    },
    openAt: (ref) => open(ref as unknown as Ref),
  };
}

export const subject = journalSubject();

/** The same under another name. */
export const another = journalSubject();
