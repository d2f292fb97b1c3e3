import { expect, it } from 'vitest';
import { createExpirableKeys } from '../src/keys/expirable-keys.ts';
import { createTokenKeys } from '../src/keys/keys.ts';

it('a token that is signed in the second of the expiry is valid, however long its signature takes', async () => {
  const startMs = 1_900_000_000_000;
  let nowMs = startMs;
  const keys = await createTokenKeys({ now: () => nowMs });
  const slow = {
    ...keys,
    sign: async (...args: Parameters<typeof keys.sign>) => {
      const token = await keys.sign(...args);
      nowMs += 1_000;
      return token;
    },
  };
  const expirable = createExpirableKeys(slow, () => nowMs);
  const claims = { role: 'authenticated', iat: startMs / 1000, exp: startMs / 1000 + 3_600 };
  const old = await expirable.sign(claims);
  nowMs = startMs;
  expirable.expireTokens();
  const fresh = await expirable.sign({ ...claims, sub: 'fresh' });
  expect([(await expirable.verify(old)).ok, (await expirable.verify(fresh)).ok]).toEqual([false, true]);
});
