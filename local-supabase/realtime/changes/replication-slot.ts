import type { Timers } from '../timers.ts';
import { MAX_RETRIES, retryDelayMs } from './poll-schedule.ts';

/**
 * What the replication slot of the real server does on command:
 * - `available`: it is created at once, and changes flow.
 * - `waiting`: its creation waits, as it does while a transaction is open. Changes committed meanwhile are lost.
 * - `refused`: its creation fails. The poller tries again and ends after six failures; every channel then subscribes
 *   anew, which starts the poller again. Changes are lost.
 * - `ended`: the poller has ended, and no channel is told. Changes are lost.
 */
export type SlotFault = 'available' | 'waiting' | 'refused' | 'ended';

/** The slot that changes are read from. Without one, changes are not kept. */
export interface ReplicationSlot {
  /** Whether changes can be read. */
  readonly isOpen: boolean;
  /** Creates the slot, if there is none; it starts after the changes that are committed by then. */
  open(): Promise<void>;
  close(): void;
  setFault(fault: SlotFault): Promise<void>;
}

export interface ReplicationSlotOptions {
  readonly timers: Timers;
  /** Discards the changes committed before the slot. */
  readonly discard: () => Promise<void>;
  /** The slot is open; changes can be read from now on. */
  readonly onOpen: () => void;
  /** The poller has given up; channels have to subscribe anew. */
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
