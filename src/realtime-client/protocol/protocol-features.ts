import type { Clock } from '../../platform/platform.ts';
import type { Bindings, Change, ContinuityLoss, RowRecord } from './change.ts';
import type { Message, ProtocolVersion } from './message.ts';

/** What only some features need of the protocol; null until the entry of a feature installs it. */
export interface ProtocolFeatures {
  /** Installed by broadcasts, broadcast changes and the shared socket. */
  binaryFrames: BinaryFrames | null;
  /** Installed by `createPostgresChanges` and the shared socket. */
  postgresChanges: PostgresChangesProtocol | null;
}

/** Frames of broadcasts, which are binary ones unless version 1.0.0 or a replay makes them text. */
export interface BinaryFrames {
  /** Returns the payload of a text frame with the integers that `JSON.parse` has rounded. */
  withExactIntegers(payload: unknown, frame: string): unknown;
  /**
   * Encodes a broadcast of bytes, or one that is stored. @throws {RangeError} if the version has no such frame, or a name is
   * longer than 255 bytes.
   */
  encode(
    message: Message,
    broadcast: Readonly<Record<string, unknown>>,
    vsn: ProtocolVersion,
  ): Uint8Array<ArrayBuffer>;
  /** Parses a broadcast; null for another kind of frame. @throws for a malformed one. */
  parse(frame: ArrayBuffer): Message | null;
}

/** Subscriptions to the database's changes. */
export interface PostgresChangesProtocol {
  /** Encodes the bindings of a join. */
  encode(bindings: Bindings): readonly unknown[];
  /** Returns the payload of a change with the integers that `JSON.parse` has rounded. */
  withExactIntegers(payload: unknown, frame: string): unknown;
  /** Creates the receiver of one topic. */
  createReceiver(sink: ChangeSink, clock: Clock): ChangeReceiver;
}

/** Receives the changes of one topic. */
export interface ChangeSink {
  /** @param keys the bindings (see `bindingKey`) that the change matches. */
  onChange(keys: readonly string[], change: Change<RowRecord>): void;
  /** Changes may be missing. */
  onGap(loss: ContinuityLoss): void;
}

/** Passes the changes of one topic to its sink. */
export interface ChangeReceiver {
  /**
   * Reads the server's ids of the bindings from the reply to a join.
   *
   * @returns false if the server did not accept every binding.
   */
  accept(sent: Bindings, response: unknown): boolean;
  /**
   * @param frame the text of the whole frame, by which a repeated one is recognized.
   * @returns false if the payload is malformed.
   */
  receive(payload: unknown, frame: string): boolean;
}
