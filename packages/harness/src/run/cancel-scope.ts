import type { TinyAgentsError } from "@tinyagents/core";

/**
 * One node of a run's tree of cancellation: the run, a model attempt, a tool call. Costs an object; a controller is
 * made only when somebody reads `signal`.
 */
export class CancelScope {
  readonly #parent: CancelScope | undefined;
  #reason: TinyAgentsError | undefined;
  #controller: AbortController | undefined;
  #callbacks: Set<() => void> | undefined;
  #unlink: (() => void) | undefined;

  constructor(parent?: CancelScope) {
    this.#parent = parent;
  }

  /** Why this scope, or one above it, was cancelled; nothing while it goes on. */
  get reason(): TinyAgentsError | undefined {
    return this.#reason ?? this.#parent?.reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.reason === undefined) this.#linkToParent();
      else controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Calls back once when the scope is cancelled, at once when it has been; the result takes the callback away. */
  onCancel(callback: () => void): () => void {
    if (this.reason !== undefined) {
      callback();
      return () => {};
    }
    this.#linkToParent();
    const callbacks = this.#callbacks ?? new Set();
    this.#callbacks = callbacks;
    callbacks.add(callback);
    return () => void callbacks.delete(callback);
  }

  /** The first reason stays. What was linked last, and so lies innermost, is told first. */
  cancel(reason: TinyAgentsError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    if (callbacks !== undefined) for (const callback of [...callbacks].reverse()) callback();
  }

  /** Takes this scope out of the tree: nothing above it holds it any more. */
  close(): void {
    this.#unlink?.();
    this.#unlink = undefined;
  }

  #linkToParent(): void {
    const parent = this.#parent;
    if (parent === undefined || this.#unlink !== undefined) return;
    this.#unlink = parent.onCancel(() => {
      const { reason } = parent;
      if (reason !== undefined) this.cancel(reason);
    });
  }
}
