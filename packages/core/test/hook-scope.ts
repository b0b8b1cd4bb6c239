import type { TinyAgentsError } from "../src/errors.js";
import type { HookScope } from "../src/middleware/chain.js";
import type { MiddlewareContext } from "../src/middleware/middleware.js";

/** A scope that notes what it is told. `contextOf(name)` gives a context that knows its middleware's name only. */
export function notingScope() {
  const kept: [string, string, unknown][] = [];
  const watched: string[] = [];
  const errors: (TinyAgentsError | undefined)[] = [];
  const scope: HookScope = {
    contextOf: (middleware) => ({ state: middleware }) as unknown as MiddlewareContext,
    keep: (middleware, hook, result) => kept.push([middleware, hook, result]),
    watch(middleware, hook) {
      watched.push(`${middleware}.${hook} started`);
      return (error) => {
        watched.push(`${middleware}.${hook} ${error === undefined ? "ended" : "failed"}`);
        errors.push(error);
      };
    },
  };
  return { scope, kept, watched, errors };
}
