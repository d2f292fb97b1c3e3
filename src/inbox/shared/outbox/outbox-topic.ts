import type { OutboxOutcome } from './outbox-state.ts';

/** The actions of one feature: how they are shown and sent. */
export interface OutboxTopic<Payload, Response = unknown> {
  /** null: a payload of another version of the application, which is dropped. */
  parse(payload: unknown): Payload | null;
  /**
   * What it changes, such as ids of rows; null: any row, so that a repetition may change rows that match only later.
   */
  keysOf(payload: Payload): readonly string[] | null;
  /**
   * Applies the action to the rows in the state that it assumes. Called again with the same payload after an interruption; a
   * second call must change nothing.
   */
  send(payload: Payload): Promise<OutboxOutcome<Response>>;
  /** Shows the action as done, in every tab. */
  show(id: string, payload: Payload): void;
  /** Shows the outcome instead, in every tab. */
  settle(id: string, payload: Payload, outcome: OutboxOutcome<Response>): void;
  /** Performs the action again, on the current rows. */
  repeat(payload: Payload): void;
}

export interface AddedAction<Response = unknown> {
  readonly settled: Promise<OutboxOutcome<Response>>;
  /** Sends an action that was kept back for its undo. */
  release(): void;
  /** Removes the action; if it was sent already, calls `inverse` or shows that it is too late. */
  undo(inverse?: () => void): void;
}

/**
 * Shows and stores an action, and sends it at once, unless it must follow an earlier one. One that is `undoable` is kept back
 * until it is released, a later one follows it, the page closes, or 60 s have passed.
 */
export type AddAction<Payload, Response> = (payload: Payload, undo?: 'undoable') => AddedAction<Response>;

/** What the user must know. `repeat` performs the action again. */
export type OutboxNotice =
  | { readonly type: 'changed' | 'deleted' | 'refused'; readonly repeat: () => void }
  | { readonly type: 'too-late' };
