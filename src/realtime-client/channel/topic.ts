import type { Platform } from '../../platform/platform.ts';
import { withJitter } from '../socket/backoff.ts';
import {
  initialChannel,
  stepChannel,
  type ChannelEffect,
  type ChannelEvent,
  type ChannelState,
} from './channel-state.ts';
import type { ChannelSnapshot, GetAccessToken, Topic, TopicSink } from '../socket/connection.ts';
import { createDuplicateFilter } from '../changes/duplicate-filter.ts';
import { createMachine } from '../machine/machine.ts';
import {
  bindingKey,
  encodeBinding,
  matchBindings,
  parseReceivedChange,
  type Binding,
  type RowRecord,
} from '../changes/postgres-changes.ts';
import { createPushes } from '../socket/push.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { KeptSocket } from '../socket/socket.ts';
import { isRecord, type Message } from '../socket/wire.ts';

/** A topic on this tab's own socket. */
export interface OwnTopic extends Topic {
  /** Whether the topic needs the socket: it is joined, or will join by itself. */
  readonly isWanted: boolean;
  /** @returns false if the message is of an unknown kind. */
  receive(message: Message): boolean;
  send(event: ChannelEvent): void;
}

export interface OwnTopicOptions {
  readonly name: string;
  readonly socket: KeptSocket;
  readonly platform: Platform;
  readonly settings: RealtimeSettings;
  readonly getAccessToken: GetAccessToken;
  readonly sink: TopicSink;
}

export function createOwnTopic({
  name,
  socket,
  platform,
  settings,
  getAccessToken,
  sink,
}: OwnTopicOptions): OwnTopic {
  const { clock } = platform;
  const topic = `realtime:${name}`;
  const isDuplicate = createDuplicateFilter();
  let wanted: readonly Binding[] = [];
  let joinedWith: readonly Binding[] = [];
  let joinRef: string | null = null;
  let lastChange = '';
  let keysById: ReadonlyMap<unknown, readonly string[]> = new Map();

  const push = (event: string, payload: unknown) => socket.send({ joinRef, topic, event, payload });
  const isJoined = () => machine.state.kind === 'joined' || machine.state.kind === 'live';
  const pushes = createPushes({ clock, settings, isReady: isJoined, send: push });

  const authorize = async (rejectedToken: string | null) => {
    // Only the latest token request counts; an earlier one is superseded.
    const request = (lastRequest += 1);
    let event: ChannelEvent = { kind: 'tokenError' };
    try {
      const token = await getAccessToken(rejectedToken === null ? {} : { rejectedToken });
      event = { kind: 'token', token };
    } catch (problem) {
      platform.report(problem);
    }
    if (request === lastRequest) machine.send(event);
  };
  let lastRequest = 0;

  const run = (effect: Exclude<ChannelEffect, { do: 'wait' }>) => {
    switch (effect.do) {
      case 'authorize':
        joinRef = null;
        return void authorize(effect.rejectedToken);
      case 'join':
        return join(effect.token);
      case 'leave':
        push('phx_leave', {});
        joinRef = null;
        return undefined;
      case 'pushToken':
        return void push('access_token', { access_token: effect.token });
      case 'gap':
        return sink.onGap({ continuity: 'lost', sinceMs: effect.sinceMs, reason: effect.reason });
    }
  };
  const join = (token: string | null) => {
    joinedWith = wanted;
    joinRef = socket.nextRef();
    const config = {
      broadcast: { ack: false, self: false },
      presence: { key: '', enabled: false },
      private: false,
      postgres_changes: joinedWith.map(encodeBinding),
    };
    const payload = token === null ? { config } : { config, access_token: token };
    socket.send({ joinRef, ref: joinRef, topic, event: 'phx_join', payload });
  };

  const machine = createMachine<ChannelState, ChannelEvent, Exclude<ChannelEffect, { do: 'wait' }>>({
    initial: { ...initialChannel, online: socket.isOpen },
    step: (state, event, nowMs) => stepChannel(state, event, nowMs, settings),
    run,
    clock,
    jitter: (delayMs) => withJitter(delayMs, settings, platform.random.number()),
    onStep(state, before) {
      const snapshot = describe(state);
      if (snapshot.status !== describe(before).status) sink.onStatus(snapshot);
      if (isJoined()) pushes.flush();
    },
  });

  const fail = (reason: string, ofSubscription: boolean) =>
    machine.send({ kind: 'systemError', reason, ofSubscription, wallMs: clock.now() });
  const receiveReply = ({ ref, payload }: Message) => {
    const { response = null, status = '' }: RowRecord = isRecord(payload) ? payload : {};
    const isOk = status === 'ok';
    if (ref !== joinRef)
      return pushes.reply(
        ref,
        response,
        isOk ? null : { code: 'push-refused', message: 'The server refused the push' },
      );
    if (!isOk) {
      const reason = isRecord(response) ? response['reason'] : response;
      return machine.send({
        kind: 'refused',
        reason: typeof reason === 'string' ? reason : 'no reason given',
      });
    }
    const matched = matchBindings(joinedWith, response);
    if (!matched) return fail('The reply lacks a binding', true);
    keysById = matched;
    machine.send({ kind: 'accepted', confirms: joinedWith.length === 0, wallMs: clock.now() });
  };
  const receiveSystem = (payload: unknown) => {
    if (!isRecord(payload)) return false;
    const ofSubscription = payload['extension'] === 'postgres_changes';
    if (payload['status'] !== 'ok') fail(String(payload['message']), ofSubscription);
    else if (ofSubscription) machine.send({ kind: 'subscribed', wallMs: clock.now() });
    return true;
  };
  const receiveChange = (payload: unknown) => {
    const received = parseReceivedChange(payload);
    if (!received) return false;
    const keys = [...new Set(received.ids.flatMap((id) => keysById.get(id) ?? []))];
    if (keys.length === 0 || !isJoined()) return true;
    const text = JSON.stringify(payload);
    const isRepeated = isDuplicate(text);
    const isLast = text === lastChange;
    lastChange = text;
    const { change } = received;
    if (change && !isRepeated) sink.onChange(keys, change);
    // A frame that repeats its predecessor is a resend. A later repeat may be a row that returned to an old value.
    else if (!change || !isLast)
      sink.onGap({ continuity: 'lost', sinceMs: clock.now(), reason: change ? 'repeated' : 'truncated' });
    return true;
  };

  return {
    get isWanted() {
      return machine.state.kind !== 'idle' && machine.state.kind !== 'failed';
    },
    want(bindings) {
      if (!bindings) {
        pushes.close();
        return machine.send({ kind: 'leave', wallMs: clock.now() });
      }
      wanted = bindings;
      const joinedKeys = new Set(joinedWith.map(bindingKey));
      machine.send({ kind: 'join' });
      if (!bindings.every((binding) => joinedKeys.has(bindingKey(binding))))
        machine.send({ kind: 'rejoin', wallMs: clock.now() });
    },
    push: pushes.push,
    send: machine.send,
    receive(message) {
      const isStale = message.joinRef !== null && message.joinRef !== joinRef;
      if (isStale || joinRef === null) return true;
      switch (message.event) {
        case 'phx_reply':
          receiveReply(message);
          return true;
        case 'phx_close':
        case 'phx_error':
          // In version 1.0.0 a close during an unanswered join belongs to the previous join.
          if (message.event === 'phx_error' || message.joinRef !== null || machine.state.kind !== 'joining')
            machine.send({ kind: 'ended', wallMs: clock.now() });
          return true;
        case 'system':
          return receiveSystem(message.payload);
        case 'postgres_changes':
          return receiveChange(message.payload);
        default:
          return false;
      }
    },
  };
}

function describe(state: ChannelState): ChannelSnapshot {
  const { kind } = state;
  const pending = state.wasLive ? 'recovering' : kind === 'joined' ? kind : 'connecting';
  const status = kind === 'idle' ? 'closed' : kind === 'live' || kind === 'failed' ? kind : pending;
  return { status, error: kind === 'failed' ? { code: state.code, message: state.message } : null };
}
