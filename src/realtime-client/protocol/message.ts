/** The supported protocol versions. Frames of 1.0.0 do not name the join that they belong to. */
export type ProtocolVersion = '1.0.0' | '2.0.0';

/** A Phoenix message. */
export interface Message {
  /** The ref of the join that the message belongs to. */
  readonly joinRef: string | null;
  /** The message's own ref, which its reply repeats. */
  readonly ref: string | null;
  /** The channel's name after `realtime:`, or `phoenix`. */
  readonly topic: string;
  /** The event, such as `phx_join` or `broadcast`. */
  readonly event: string;
  /** The payload as JSON has it. */
  readonly payload: unknown;
}
