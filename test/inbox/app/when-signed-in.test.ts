import { expect, test } from 'vitest';
import { createObservable } from '../../../src/platform/observable.ts';
import type { AuthSnapshot } from '../../../src/auth-client/session/auth-snapshot.ts';
import { whenSignedIn } from '../../../src/inbox/app/when-signed-in.ts';

const createAuth = (status: AuthSnapshot['status']) => createObservable({ status } as AuthSnapshot);

test('a task for signed-in users runs at once in their pages', () => {
  let runs = 0;
  whenSignedIn(createAuth('signed-in'), () => (runs += 1));
  expect(runs).toBe(1);
});

test('a task for signed-in users waits on /login for the sign-in, and runs once', () => {
  const auth = createAuth('loading');
  let runs = 0;
  whenSignedIn(auth, () => (runs += 1));
  auth.set({ status: 'signed-out' } as AuthSnapshot);
  expect(runs).toBe(0);
  for (const status of ['signed-in', 'signed-out', 'signed-in'] as const)
    auth.set({ status } as AuthSnapshot);
  expect(runs).toBe(1);
});
