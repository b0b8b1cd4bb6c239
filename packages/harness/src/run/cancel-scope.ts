import type { TinyAgentsError } from "@tinyagents/core";

/** Told once that a scope was cancelled. */
export interface CancelListener {
  onCancelled(reason: TinyAgentsError): void;
}

/**
 * One node of a run's tree of cancellation: the run, a model attempt, a tool call. Costs an object; a controller is
 * made only when somebody reads `signal`.
 */
export class CancelScope implements CancelListener {
  readonly #parent: CancelScope | undefined;
  #reason: TinyAgentsError | undefined;
  #controller: AbortController | undefined;
  /** Most scopes have one listener: a set is made for the second. */
  #listener: CancelListener | undefined;
  #further: Set<CancelListener> | undefined;
  #linked = false;

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

  /** Tells a listener when the scope is cancelled, at once when it has been. */
  listen(listener: CancelListener): void {
    const { reason } = this;
    if (reason !== undefined) {
      listener.onCancelled(reason);
      return;
    }
    this.#linkToParent();
    if (this.#listener === undefined && this.#further === undefined) this.#listener = listener;
    else {
      this.#further ??= new Set();
      this.#further.add(listener);
    }
  }

  /** Takes a listener away. */
  unlisten(listener: CancelListener): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#further?.delete(listener);
  }

  /** The first reason stays. What was linked last, and so lies innermost, is told first. */
  cancel(reason: TinyAgentsError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const first = this.#listener;
    const further = this.#further;
    this.#listener = undefined;
    this.#further = undefined;
    if (further !== undefined) for (const listener of [...further].reverse()) listener.onCancelled(reason);
    first?.onCancelled(reason);
  }

  /** The scope above was cancelled, and this one is with it. */
  onCancelled(reason: TinyAgentsError): void {
    this.cancel(reason);
  }

  /** Takes this scope out of the tree: nothing above it holds it any more. */
  close(): void {
    if (!this.#linked) return;
    this.#linked = false;
    this.#parent?.unlisten(this);
  }

  #linkToParent(): void {
    if (this.#parent === undefined || this.#linked) return;
    this.#linked = true;
    this.#parent.listen(this);
  }
}
