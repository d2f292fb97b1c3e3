import { accountShots } from './account-shots.ts';
import { authShots } from './auth-shots.ts';
import { dialogShots } from './dialog-shots.ts';
import { inboxShots } from './inbox-shots.ts';
import { otherShots } from './other-shots.ts';
import type { Shot } from './shot.ts';
import { stateShots } from './state-shots.ts';

/** Every state of every screen that is pictured. */
export const shots: readonly Shot[] = [
  ...authShots,
  ...inboxShots,
  ...dialogShots,
  ...accountShots,
  ...otherShots,
  ...stateShots,
];
