import { type JsonValue, messageOf } from "@tinyagents/core";
import type { Opened } from "../store/place.js";
import { type JobHandle, jobs } from "./jobs.js";
import type { FromChild, ToChild } from "./messages.js";
import type { OpenedElsewhere } from "./subject-module.js";

/** Does with a subject what the parent process asks for, until that lets go of this one. */
export function serve(subject: unknown): void {
  const { openAt } = (subject ?? {}) as OpenedElsewhere<JobHandle & Opened>;
  let handle: (JobHandle & Opened) | undefined;

  const answer = async (asked: ToChild): Promise<JsonValue> => {
    switch (asked.type) {
      case "open":
        handle = await openAt?.call(subject, asked.ref);
        if (handle === undefined) throw new TypeError("openAt: an open handle is expected");
        return null;
      case "do": {
        const job = jobs[asked.job];
        if (job === undefined || handle === undefined) throw new TypeError(`there is no ${asked.job} to be done here`);
        return job(handle, asked.args);
      }
      case "close":
        await handle?.close?.();
        return null;
    }
  };
  process.on("message", (asked: ToChild) => {
    const { id } = asked;
    answer(asked).then(
      (value) => tell({ type: "done", id, value }),
      (error: unknown) => tell({ type: "failed", id, message: messageOf(error) }),
    );
  });
  process.on("disconnect", () => process.exit(0));
  tell({ type: "ready" });
}

function tell(message: FromChild): void {
  process.send?.(message);
}
