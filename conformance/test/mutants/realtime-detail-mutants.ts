import type { Frame } from '../../src/target/frames.ts';
import {
  mutantsOf,
  patch,
  replacing,
  replacingSent,
  textAt,
  valueAt,
  withMember,
  type Json,
  type ServerMutant,
} from './mutant.ts';
import { isEvent } from '../../src/audits/realtime/frame-socket.ts';

const liveness = mutantsOf('realtime', 'heartbeat and frames', 'realtime#frames');
const joins = mutantsOf('realtime', 'joins', 'realtime#joins');
const limits = mutantsOf('realtime', 'limits', 'realtime#limits');
const broadcast = mutantsOf('realtime', 'broadcast', 'realtime#broadcast');
const database = mutantsOf('realtime', 'broadcasts of the database', 'realtime#broadcasts-of-the-database');
const presence = mutantsOf('realtime', 'presence', 'realtime#presence');

const isBroadcast = isEvent('broadcast');
const isJoin = isEvent('phx_join');
const valueOf = (frame: Frame, path: string) => valueAt(frame.payload as Json, path);

/** Changes each stored broadcast. */
const storing = (change: string): readonly [string, string] => [
  `create function realtime.mutant() returns trigger language plpgsql as $$ begin ${change}; return new; end $$;
   create trigger mutant before insert on realtime.messages for each row execute function realtime.mutant()`,
  'drop trigger mutant on realtime.messages; drop function realtime.mutant()',
];

/** Faults in single members and limits. */
export const realtimeDetailMutants: readonly ServerMutant[] = [
  liveness('replies to a frame that it cannot read', {
    frames: () => ({
      toServer: (frame: Frame) =>
        typeof frame.event === 'string'
          ? [frame]
          : [{ joinRef: null, ref: 'none', topic: 'phoenix', event: 'heartbeat', payload: {} }],
    }),
  }),

  joins('reads no table from a topic', {
    frames: replacingSent((frame) => isJoin(frame) && valueOf(frame, 'config') === undefined, 'config', {}),
  }),
  joins('refuses a token with white space', {
    frames: () => ({
      toServer: (frame: Frame) => [
        /\s/.test(textAt(frame.payload as Json, 'access_token'))
          ? { ...frame, payload: patch(frame.payload as Json, 'access_token', 'none') as Frame['payload'] }
          : frame,
      ],
    }),
  }),

  limits('has no limit of the size of a payload', { settings: { realtime: { maxPayloadKb: 10_000 } } }),
  limits('has payloads of 100 kB at most', { settings: { realtime: { maxPayloadKb: 100 } } }),
  limits('acknowledges a broadcast that is too large', {
    frames: replacing(
      (frame) => textAt(frame.payload as Json, 'response') === 'payload_size_exceeded',
      'status',
      'ok',
    ),
  }),

  broadcast('drops further members of a broadcast', { frames: replacing(isBroadcast, 'more', undefined) }),
  broadcast('doubles broadcasts', {
    frames: () => ({ toClient: (frame: Frame) => (isBroadcast(frame) ? [frame, frame] : [frame]) }),
  }),
  broadcast('drops the id of a message by HTTP', { frames: replacing(isBroadcast, 'meta', undefined) }),
  broadcast('does not say that a broadcast by HTTP is unauthorized', {
    fetch: withMember(/\/api\/broadcast\S* 401/, 'message', undefined),
  }),

  database('sends broadcasts of the database under another event', { sql: storing("new.event := 'other'") }),
  database('gives each stored broadcast the same id', {
    sql: storing("new.id := '00000000-0000-4000-8000-000000000001'"),
  }),
  database('sends public broadcasts of the database to the private channel', {
    sql: storing('new.private := true'),
  }),
  database('sends no old record', { sql: storing("new.payload := new.payload - 'old_record'") }),
  database('replays ten broadcasts by default', {
    frames: replacingSent(
      (frame) =>
        valueOf(frame, 'config.broadcast.replay') !== undefined &&
        valueOf(frame, 'config.broadcast.replay.limit') === undefined,
      'config.broadcast.replay.limit',
      10,
    ),
  }),
  database('replays broadcasts under new ids', { frames: replacing(isBroadcast, 'meta.id', 'new') }),

  presence('drops members of entries', {
    frames: replacing(isEvent('presence_state'), 'ada.metas.*.deep', undefined),
  }),
  presence('continues a removed entry', {
    frames: replacing(isEvent('presence_diff'), 'joins.ada.metas.*.phx_ref_prev', 'previous'),
  }),
];
