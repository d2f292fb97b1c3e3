import { describe, expect, it } from 'vitest';
import { binding, createScriptedScene } from '../support/wire/scripted-realtime.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';

const tokenOf = (sub: string, serial = 1) => `.${btoa(JSON.stringify({ sub }))}.${serial}`;

async function openScene() {
  const tokens = { current: tokenOf('ada') };
  const scene = createScriptedScene({ getAccessToken: () => Promise.resolve(tokens.current) });
  const live = await scene.openLiveChannel();
  return {
    ...scene,
    ...live,
    signIn(token: string) {
      tokens.current = token;
      scene.setToken(token);
    },
  };
}

describe('a change of user', () => {
  it('leaves the topic and joins it again instead of pushing the token', async () => {
    const { server, world, signIn, losses } = await openScene();
    signIn(tokenOf('grace'));
    await world.settle();
    expect(server.sentEvents()).toEqual(['phx_join', 'phx_leave', 'phx_join']);
    expect(server.lastJoin().payload['access_token']).toBe(tokenOf('grace'));
    server.acceptJoin();
    server.confirm();
    expect(losses).toMatchObject([{ reason: 'rejoined' }]);
  });

  it('delivers nothing that was received for the previous user', async () => {
    const { server, world, signIn, changes } = await openScene();
    server.change({ record: { id: 'queued', owner: 'ada' } });
    signIn(tokenOf('grace'));
    await world.settle();
    server.change({ record: { id: 'late', owner: 'ada' } });
    await world.clock.advance(100);
    expect(changes).toEqual([]);
    server.acceptJoin();
    server.confirm();
    server.change({ record: { id: 'new', owner: 'grace' } });
    await world.clock.advance(100);
    expect(changes).toMatchObject([{ record: { id: 'new' } }]);
  });

  it('during a join joins again after the reply', async () => {
    const tokens = { current: tokenOf('ada') };
    const scene = createScriptedScene({ getAccessToken: () => Promise.resolve(tokens.current) });
    const channel = scene.client.channel('user:ada');
    createPostgresChanges(channel).on(binding, () => {});
    channel.join();
    scene.server.open();
    await scene.world.settle();
    tokens.current = tokenOf('grace');
    scene.setToken(tokens.current);
    scene.server.acceptJoin();
    await scene.world.settle();
    expect(scene.server.sentEvents()).toEqual(['phx_join', 'phx_leave', 'phx_join']);
    expect(scene.server.lastJoin().payload['access_token']).toBe(tokenOf('grace'));
  });

  it('does not happen with a renewed token of the same user', async () => {
    const { server, signIn } = await openScene();
    signIn(tokenOf('ada', 2));
    expect(server.sentEvents()).toEqual(['phx_join', 'access_token']);
  });
});
