import type { Timers } from '../timers.ts';
import { MAX_RETRIES, retryDelayMs } from './poll-schedule.ts';

/**
 * The simulated state of the real server's replication slot:
 * - `available`: the slot is created at once, and changes are delivered.
 * - `waiting`: the creation waits, as it does while a transaction is open. Changes committed meanwhile are lost.
 * - `refused`: the creation fails. The poller retries and ends after six failures; every channel then subscribes again,
 * which starts the poller again. Changes are lost.
 * - `ended`: the poller has ended without a message to channels. Changes are lost.
 */
export type SlotFault = 'available' | 'waiting' | 'refused' | 'ended';

/** The replication slot, from which changes are read. Without a slot, changes are lost. */
export interface ReplicationSlot {
  /** Whether changes can be read. */
  readonly isOpen: boolean;
  /** Creates the slot unless it exists; it starts after the changes that are already committed. */
  open(): Promise<void>;
  close(): void;
  setFault(fault: SlotFault): Promise<void>;
}

export interface ReplicationSlotOptions {
  readonly timers: Timers;
  /** Discards the changes committed before the slot. */
  readonly discard: () => Promise<void>;
  /** Called when the slot is open and changes can be read. */
  readonly onOpen: () => void;
  /** Called when the poller has ended after repeated failures; channels must subscribe again. */
  readonly onGivenUp: () => void;
}

export function createReplicationSlot(options: ReplicationSlotOptions): ReplicationSlot {
  const { timers, discard, onOpen, onGivenUp } = options;
  let fault: SlotFault = 'available';
  let isOpen = false;
  let isWanted = false;
  let failures = 0;
  let cancelRetry = () => {};

  const retry = () => {
    if (failures >= MAX_RETRIES) {
      isWanted = false;
      failures = 0;
      return onGivenUp();
    }
    cancelRetry = timers.after(retryDelayMs(failures), () => {
      failures += 1;
      retry();
    });
  };
  const create = async () => {
    if (isOpen || fault !== 'available') return;
    await discard();
    isOpen = true;
    onOpen();
  };
  return {
    get isOpen() {
      return isOpen;
    },
    async open() {
      if (isWanted) return;
      isWanted = true;
      if (fault === 'refused') return retry();
      await create();
    },
    close() {
      cancelRetry();
      isOpen = false;
      isWanted = false;
      failures = 0;
    },
    async setFault(next) {
      fault = next;
      cancelRetry();
      failures = 0;
      if (next !== 'available') isOpen = false;
      if (!isWanted) return;
      if (next === 'refused') retry();
      else await create();
    },
  };
}
