import { expect, it, vi } from 'vitest';
import { createWire } from '../src/target/wire.ts';

it.each([
  ['/notifications', { id: 'eq.undefined' }],
  ['/notifications', { or: '(id.eq.undefined,status.eq.read)' }],
  ['/admin/users/undefined', {}],
])('a request that needs a value which an earlier response lacks is not sent: %s %o', async (path, query) => {
  const fetch = vi.fn<() => Promise<Response>>(() => Promise.resolve(Response.json([])));
  await expect(createWire('http://127.0.0.1', '', fetch).send('GET', path, { query })).rejects.toThrow(
    'an earlier response has each value of the request',
  );
  expect(fetch).not.toHaveBeenCalled();
});
