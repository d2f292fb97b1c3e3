import type { Platform } from 'supabase-protocol-clients/platform';
import {
  createLiveReads,
  type LiveReads,
  type ReadCause,
} from 'supabase-protocol-clients/realtime-client/live-query';
import { staleAfterMs } from '../../../shared/cached.ts';
import { registeredKinds } from '../../../shared/registered-kinds.ts';
import { InboxReader } from './inbox-reader.ts';
import { InboxSync, type InboxSyncOptions } from './inbox-sync.ts';
import type { NotificationChange } from '../model/state-types.ts';

export interface InboxReadsOptions extends Omit<InboxSyncOptions, 'onStale'> {
  readonly platform: Pick<Platform, 'clock' | 'page' | 'report'>;
  /** Called when the followed channel has become live, or may have missed changes. */
  readonly onGap?: (() => void) | undefined;
}

/** Keeps the lists and totals of an inbox current: reads whole lists where the changes since the last read do not suffice. */
export class InboxReads {
  readonly follow: LiveReads['follow'];
  readonly #options: InboxReadsOptions;
  readonly #reader: InboxReader;
  readonly #sync: InboxSync;
  readonly #live: LiveReads;
  /** `message` is a kind of the application. */
  readonly #requestedKinds = new Set(['message']);
  /** Whether the lists have to be read; otherwise the changes suffice. */
  #areListsDue = true;
  #readAtMs: number;
  #error: Error | null = null;

  constructor(options: InboxReadsOptions) {
    const { platform } = options;
    this.#options = options;
    this.#readAtMs = platform.clock.monotonicMs();
    this.#reader = new InboxReader(options);
    this.#sync = new InboxSync({ ...options, onStale: () => void this.#live.recheck() });
    this.#live = createLiveReads({
      platform,
      onCause: (cause) => this.#noteCause(cause),
      read: (signal) => this.#read(signal),
    });
    this.follow = this.#live.follow;
    this.#live.subscribe(() => this.#showStatus());
  }

  refresh(): Promise<void> {
    this.#areListsDue = true;
    this.#sync.openGap();
    return this.#live.refresh();
  }

  /** Reads the shown list unless it is loaded and fresh. */
  ensure(): void {
    const { store, platform } = this.#options;
    const { status, isVerified } = store.getSnapshot();
    if (!isVerified) return;
    // A channel that is followed keeps the lists fresh.
    const isStale = platform.clock.monotonicMs() - this.#readAtMs > staleAfterMs;
    if (status === 'stopped' && isStale) void this.refresh();
    else void this.#reader.ensure();
  }

  loadMore(): Promise<void> {
    return this.#reader.loadMore();
  }

  /** Requests stale totals soon. */
  check(changed: boolean): void {
    this.#sync.check(changed);
  }

  receive(changes: readonly NotificationChange[]): void {
    this.#live.noteChanges(changes.length);
    this.#options.store.dispatch({ type: 'changes', changes });
    this.#sync.check(true);
    if (!changes.some((change) => this.#isOfNewKind(change))) return;
    this.#sync.openGap();
    void this.#live.refresh();
  }

  catchUp(): void {
    this.#noteCause('rate');
    void this.#live.refresh();
  }

  close(): void {
    this.#live.stop();
    this.#reader.close();
    this.#sync.close();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const [lists, changes] = await Promise.allSettled([
      this.#areListsDue && this.#readLists(),
      this.#sync.request(signal),
    ]);
    if (lists.status === 'rejected') throw lists.reason;
    if (changes.status === 'rejected') throw changes.reason;
    if (changes.value && !signal.aborted) await this.#readLists();
  }

  async #readLists(): Promise<void> {
    this.#areListsDue = false;
    this.#readAtMs = this.#options.platform.clock.monotonicMs();
    try {
      await this.#reader.readLists();
    } catch (error) {
      this.#areListsDue = true;
      throw error;
    }
  }

  #noteCause(cause: ReadCause): true {
    const { store, onGap } = this.#options;
    store.dispatch({ type: 'gap' });
    this.#sync.openGap();
    // Lists that were never read are read whole; loaded lists need the changes only.
    if (!store.getSnapshot().isVerified && !store.getSnapshot().isReading) this.#areListsDue = true;
    if (cause === 'live' || cause === 'gap') onGap?.();
    return true;
  }

  #showStatus(): void {
    const { store, platform } = this.#options;
    const before = store.getSnapshot();
    const { status, error } = this.#live.getSnapshot();
    if (status === before.status && error === this.#error) return;
    const asOfMs = before.status === 'current' ? platform.clock.now() : before.asOfMs;
    store.patch({ status, asOfMs, ...(error !== this.#error && { problem: error }) });
    this.#error = error;
  }

  /**
   * Whether the team may have registered the kind since the last response; checked once, because a removed kind stays
   * unknown.
   */
  #isOfNewKind(change: NotificationChange): boolean {
    if (change.type === 'remove' || change.notification.kind !== 'other') return false;
    const { kindName } = change.notification;
    if (registeredKinds.getSnapshot().has(kindName) || this.#requestedKinds.has(kindName)) return false;
    this.#requestedKinds.add(kindName);
    return true;
  }
}
