import { program } from "../portable/program.js";

/** What a worker answers to any request. */
export interface WorkerAnswer {
  readonly report: Awaited<ReturnType<typeof program>>;
  /** Whether the platform refuses to make code of a text. */
  readonly forbidsCodeGeneration: boolean;
}

// biome-ignore lint/style/noDefaultExport: that is where workerd looks for a worker's handlers
export default {
  async fetch(): Promise<Response> {
    const answer: WorkerAnswer = { report: await program(), forbidsCodeGeneration: forbidsCodeGeneration() };
    return Response.json(answer);
  },
};

function forbidsCodeGeneration(): boolean {
  try {
    return new Function("return false")() as boolean;
  } catch {
    return true;
  }
}
