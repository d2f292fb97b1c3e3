import { describe, expect, it } from 'vitest';
import { createTurns } from '../src/database/turns.ts';

const never = () => new Promise<never>(() => undefined);

describe('the turns of the only session', () => {
  it('end a transaction that runs no statement while others wait, and refuse its later statements', async () => {
    const turns = createTurns(20);
    let later: Promise<unknown> | undefined;
    const held = turns.enter(() => {
      const lease = turns.lease();
      return lease.until(never()).finally(() => {
        later = lease.run(() => Promise.resolve('too late'));
        later.catch(() => undefined);
      });
    });
    const waiting = turns.enter(() => Promise.resolve('next'));
    await expect(held).rejects.toMatchObject({ code: '25P03' });
    await expect(waiting).resolves.toBe('next');
    await expect(later).rejects.toMatchObject({ code: '25P03' });
  });

  it('do not end a transaction while no other waits, or while its statement runs', async () => {
    const turns = createTurns(10);
    const idle = turns.enter(() =>
      turns.lease().until(new Promise((resolve) => setTimeout(() => resolve('done'), 60))),
    );
    await expect(idle).resolves.toBe('done');
    const busy = turns.enter(() => {
      const lease = turns.lease();
      return lease.until(lease.run(() => new Promise((resolve) => setTimeout(() => resolve('done'), 60))));
    });
    const waiting = turns.enter(() => Promise.resolve());
    await expect(busy).resolves.toBe('done');
    await waiting;
  });

  it('reject waiting tasks, end the current transaction, and admit later tasks', async () => {
    const turns = createTurns(60_000);
    const held = turns.enter(() => turns.lease().until(never()));
    const waiting = turns.enter(() => Promise.resolve());
    const outcomes = Promise.allSettled([held, waiting]);
    turns.end();
    const later = turns.enter(() => Promise.resolve('later'));
    expect(await outcomes).toMatchObject([{ reason: { code: '57P01' } }, { reason: { code: '57P01' } }]);
    await expect(later).resolves.toBe('later');
  });
});
