import type { Clock, Timer } from '../../platform/platform.ts';
import { RealtimeError } from '../errors.ts';
import type { RealtimeEvent } from '../events.ts';
import { isRecord } from '../json.ts';
import type { TabPresence } from '../socket/connection.ts';

/** Keeps the server's presence of this client equal to its last entry, within the server's rate limit. */
export interface Tracker {
  /** Sets the payload to show; null for none. */
  set(payload: Readonly<Record<string, unknown>> | null): void;
  /** Sets whether the channel is joined. Each join tracks the payload again, because the server discards it. */
  setJoined(isJoined: boolean): void;
  /** The user changed: the payload belongs to the previous one. */
  discard(): void;
  close(): void;
}

/** The server closes a channel with more calls than this in a window of 30 s. */
const maxCalls = 5;
const windowMs = 30_000;

/** How often an entry is sent again when its reply is lost. */
const maxRepeats = 3;
/** Differs from every entry: it is unknown whether the server has received the last one. */
const unknownEntry = '';

/** The event by which the leading tab reports a refused entry to the others. */
export const presenceError = 'presence_error';

/** Name of the payload member that lists the entries of several tabs; see {@link expandTabs}. */
const tabsMember = '$tabs';

interface TrackerOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly emit: (event: RealtimeEvent) => void;
  readonly report: (problem: unknown) => void;
  readonly push: (event: string, payload: unknown) => Promise<unknown>;
  readonly onError?: (error: RealtimeError) => void;
}

export function createTracker(options: TrackerOptions): Tracker {
  const { name, clock, emit, report, push, onError = report } = options;
  let wanted: Readonly<Record<string, unknown>> | null = null;
  let sent: string | null = null;
  let isJoined = false;
  let calls: readonly number[] = [];
  let repeats = 0;
  let timer: Timer | undefined;

  const synchronize = () => {
    timer?.cancel();
    const next = wanted && JSON.stringify(wanted);
    if (!isJoined || next === sent) return;
    const nowMs = clock.monotonicMs();
    calls = calls.filter((atMs) => nowMs - atMs < windowMs);
    const [oldest = 0] = calls;
    if (calls.length >= maxCalls) {
      const waitMs = windowMs - (nowMs - oldest);
      timer = clock.setTimer(synchronize, waitMs);
      return emit({ type: 'throttled', name, waitMs });
    }
    calls = [...calls, nowMs];
    sent = next;
    const call = wanted ? { event: 'track', payload: wanted } : { event: 'untrack' };
    push('presence', { type: 'presence', ...call }).catch((problem: unknown) => {
      const error = refusalOf(problem);
      const isLost = error?.code === 'push-timeout';
      const isReplaced = sent !== next;
      if (!error || (isLost && isReplaced)) return;
      if (!isLost || repeats >= maxRepeats) return onError(error);
      repeats += 1;
      sent = unknownEntry;
      synchronize();
    });
    return undefined;
  };
  return {
    set(payload) {
      wanted = payload;
      repeats = 0;
      synchronize();
    },
    setJoined(value) {
      if (value === isJoined) return;
      isJoined = value;
      sent = null;
      calls = [];
      repeats = 0;
      synchronize();
    },
    discard() {
      timer?.cancel();
      wanted = null;
      sent = null;
    },
    close: () => timer?.cancel(),
  };
}

/**
 * Why a call failed; null if its channel has ended. The server refuses a missing right with an empty response, and a bad payload
 * with a reason.
 */
function refusalOf(problem: unknown): RealtimeError | null {
  if (!(problem instanceof RealtimeError)) return null;
  const { code, cause } = problem;
  if (code === 'closed' || code === 'channel-failed') return null;
  if (code !== 'push-refused') return problem;
  return isRecord(cause) && 'reason' in cause
    ? new RealtimeError('invalid-payload', String(cause['reason']), { cause: problem })
    : new RealtimeError(
        'unauthorized',
        'Refused: no policy on realtime.messages allows insert with the extension presence',
        { cause: problem },
      );
}

/** Merges the entries of several tabs into the one payload of a channel: the latest entry, or a list of all. */
export function mergeTabs(entries: readonly TabPresence[]): Readonly<Record<string, unknown>> | null {
  const latest = entries.at(-1);
  if (!latest) return null;
  return entries.some(({ perTab }) => perTab)
    ? { [tabsMember]: entries.map(({ payload }) => payload) }
    : latest.payload;
}

/** The entries of a tracked payload, one per tab where it lists several. */
export function expandTabs(payload: Readonly<Record<string, unknown>>): readonly unknown[] {
  const tabs = payload[tabsMember];
  return Array.isArray(tabs) ? tabs : [payload];
}
