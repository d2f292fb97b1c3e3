import type { Unsubscribe } from 'supabase-protocol-clients/platform';

/** How sending a change ended. */
export type OutboxOutcome =
  /** The server has applied it. */
  | 'sent'
  /** The row has another value than the change assumed; the change was not applied. */
  | 'changed'
  /** The row no longer exists. */
  | 'deleted'
  /** The server refused it for good. */
  | 'refused';

/** A change that waits for a connection. */
export interface WaitingChange<Payload> {
  readonly id: string;
  readonly payload: Payload;
}

/** The waiting changes of one kind, such as those of notifications. The same in all tabs of the user. */
export interface OutboxTopic<Payload> {
  /** Whether earlier changes wait, of this kind or another. Changes that are held back do not count. */
  isBusy(): boolean;
  /**
   * Stores the change at once; it is sent after all earlier ones. With `delayMs` milliseconds (default 0) it is held back for
   * that long, and later changes overtake it.
   *
   * @throws what the storage throws; the change is then lost.
   */
  add(id: string, payload: Payload, delayMs?: number): Promise<void>;
  /** Ends the delay of a change. */
  release(id: string): Promise<void>;
  /** Removes a change. Resolves to false if it is already being sent. */
  withdraw(id: string): Promise<boolean>;
  /** Removes a change that reached the server, or was refused, by another request. */
  confirm(id: string): Promise<void>;
  /** Oldest first; the same array until it changes. */
  getSnapshot(): readonly WaitingChange<Payload>[];
  /** Calls the listener after each change of the snapshot. */
  subscribe(listener: () => void): Unsubscribe;
  /** Calls the listener in every tab when a change was sent or given up. */
  onSettled(listener: (change: WaitingChange<Payload>, outcome: OutboxOutcome) => void): Unsubscribe;
}

/** Sends the changes of one kind. */
export interface OutboxSender<Payload> {
  /** null: a payload of another version of the application, which is discarded. */
  parse(payload: unknown): Payload | null;
  /**
   * Applies the change if its row is as the change assumes. Called again with the same payload after an interruption, so
   * applying it twice must equal applying it once.
   */
  send(payload: Payload): Promise<OutboxOutcome>;
}

/** The IndexedDB database of the outbox. */
export const outboxDatabaseName = 'inbox-outbox';
