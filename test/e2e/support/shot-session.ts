import type { Browser } from '@playwright/test';
import { signInOnScreen } from '../../../scripts/shots/open-shot.ts';
import type { Stage } from './stage.ts';

type StorageState = Awaited<ReturnType<typeof signInOnScreen>>;

const sessions = new WeakMap<Stage, Map<string, Promise<StorageState>>>();

/** The session of a seeded user that all pictures of a stage share. */
export function shotSession(browser: Browser, stage: Stage, email: string): Promise<StorageState> {
  const known = sessions.get(stage) ?? new Map<string, Promise<StorageState>>();
  sessions.set(stage, known);
  const session = known.get(email) ?? signInOnScreen(browser, stage, email);
  known.set(email, session);
  return session;
}
