import { expiredMessage } from '../subscription/tokens.ts';
import type { ChannelClaims, CheckToken } from '../subscription/tokens.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { Timers } from '../timers.ts';
import { revokedMessage, unreadableMessage } from './permissions.ts';
import type { EvaluatePermissions, ReadPermissions } from './permissions.ts';
import { createTokenThrottle } from './token-throttle.ts';
import type { TokenThrottle } from './token-throttle.ts';

export interface AccessServices {
  readonly settings: () => RealtimeSettings;
  readonly now: () => number;
  readonly timers: Timers;
  readonly checkToken: CheckToken;
  readonly permissions: EvaluatePermissions;
}

export interface ChannelAccessOptions {
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isPresenceEnabled: boolean;
  readonly token: string;
  readonly claims: ChannelClaims;
  readonly read: ReadPermissions;
  /** Called when the token is no longer valid, or permits less than before. */
  readonly onRefused: (message: string) => void;
  /** Called when another token was adopted. */
  readonly onRenewed: () => void;
}

interface WritePermissions {
  readonly broadcast: boolean;
  readonly presence: boolean;
}

/** The real server checks a token at least this often. */
const TOKEN_CHECK_MS = 300_000;

/** The token of a channel, and what it permits. */
export class ChannelAccess {
  readonly #services: AccessServices;
  readonly #options: ChannelAccessOptions;
  readonly #throttle: TokenThrottle;
  #token: string;
  #claims: ChannelClaims;
  #read: ReadPermissions;
  #isPresenceEnabled: boolean;
  /** Evaluated at the first attempt to write, and again for a new token. */
  #write: Promise<WritePermissions> | null = null;
  #isOver = false;
  #cancelCheck = () => {};

  constructor(services: AccessServices, options: ChannelAccessOptions) {
    this.#services = services;
    this.#options = options;
    this.#token = options.token;
    this.#claims = options.claims;
    this.#read = options.read;
    this.#isPresenceEnabled = options.isPresenceEnabled;
    const { now, timers, settings } = services;
    this.#throttle = createTokenThrottle({
      now,
      timers,
      throttleMs: () => settings().accessTokenThrottleMs,
      verify: (candidate) => this.#adopt(candidate),
    });
  }

  get claims(): ChannelClaims {
    return this.#claims;
  }

  get isPresenceEnabled(): boolean {
    return this.#isPresenceEnabled;
  }

  get readsBroadcasts(): boolean {
    return this.#read.broadcast;
  }

  get readsPresence(): boolean {
    return this.#read.presence === true;
  }

  canWrite(): Promise<WritePermissions> {
    this.#write ??= this.#evaluate().then(({ broadcast, presence }) => ({
      broadcast: broadcast.write,
      presence: presence.write,
    }));
    return this.#write;
  }

  /** Tracking enables presence even if the join did not: evaluates the permission to read it. */
  async enablePresence(): Promise<void> {
    if (this.#read.presence === null)
      this.#read = { ...this.#read, presence: (await this.#evaluate()).presence.read };
    this.#isPresenceEnabled = true;
  }

  /** Takes a token that the client pushed. */
  async push(candidate: unknown): Promise<void> {
    if (typeof candidate !== 'string' || candidate === this.#token || candidate.startsWith('sb_')) return;
    await this.#throttle.push(candidate);
  }

  /** Verifies the token again. */
  async check(): Promise<void> {
    if (await this.#throttle.release()) return;
    const checked = await this.#services.checkToken(this.#token);
    if (this.#isOver) return;
    if (!checked.ok) return this.#options.onRefused(checked.shutdown);
    this.#claims = checked.claims;
    this.watch();
  }

  /** Schedules the next check of the token. */
  watch(): void {
    const { now, timers } = this.#services;
    this.#cancelCheck();
    const leftMs = Math.max(0, this.#claims.exp * 1000 - now());
    this.#cancelCheck = timers.after(Math.min(TOKEN_CHECK_MS, leftMs), () => void this.check());
  }

  expire(): void {
    this.#options.onRefused(expiredMessage(0));
  }

  stop(): void {
    this.#isOver = true;
    this.#cancelCheck();
    this.#throttle.stop();
  }

  #evaluate() {
    const { name, isPrivate } = this.#options;
    return this.#services.permissions(this.#claims, name, isPrivate);
  }

  /** Applies a new token, or ends the channel. */
  async #adopt(candidate: string): Promise<void> {
    const checked = await this.#services.checkToken(candidate);
    if (this.#isOver) return;
    if (!checked.ok) return this.#options.onRefused(checked.shutdown);
    this.#claims = checked.claims;
    this.#token = candidate;
    this.#write = null;
    const refusal = await this.#applyReadPermissions();
    if (refusal !== null) this.#options.onRefused(refusal);
    if (this.#isOver) return;
    this.watch();
    this.#options.onRenewed();
  }

  /** The message of the shutdown that new permissions cause; null if the channel stays open. */
  async #applyReadPermissions(): Promise<string | null> {
    const { name } = this.#options;
    const allowed = await this.#evaluate();
    const presence = this.#isPresenceEnabled ? allowed.presence.read : null;
    if (!allowed.broadcast.read && presence !== true) return unreadableMessage(name);
    const isRevoked =
      (this.#read.broadcast && !allowed.broadcast.read) ||
      (this.#read.presence === true && presence === false);
    this.#read = { broadcast: allowed.broadcast.read, presence };
    return isRevoked ? revokedMessage(name) : null;
  }
}
