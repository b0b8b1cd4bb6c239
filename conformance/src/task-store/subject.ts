import type { LogCapabilities, TaskStore } from "@tinyagents/core";
import type { Opened, Situation } from "../store/place.js";
import { type PlaceNeed, type PlaceSubject, type PlaceUnderTest, placeUnderTest } from "../store/place-subject.js";

/** An open task store. */
export interface OpenTasks extends Opened {
  readonly tasks: TaskStore;
  /** What it is built on can do, and so it can: the `capabilities` of a `Store`, mostly. */
  readonly capabilities: Pick<LogCapabilities, "durable" | "multiProcess">;
}

/** What the author of a task store says of it, to have it checked. */
export type TaskStoreSubject = PlaceSubject<OpenTasks>;

/** What checks may need: a capability, or what those of any backend may. */
export type TaskNeed = keyof OpenTasks["capabilities"] | PlaceNeed;

/** A place with a task store on it, as checks use it. */
export type TaskSituation = Situation<OpenTasks> & { readonly tasks: TaskStore };

/** A subject as checks use it. */
export type TaskStoreUnderTest = PlaceUnderTest<TaskSituation, TaskNeed>;

export function taskStoreUnderTest(subject: TaskStoreSubject): TaskStoreUnderTest {
  return placeUnderTest(
    {
      what: "store",
      show: ({ tasks }) => ({ tasks }),
      has: ({ capabilities }, need) => capabilities[need as keyof OpenTasks["capabilities"]] === true,
    },
    subject,
  );
}
