import { SignJWT } from 'jose';
import type { WebSocket } from 'ws';
import { isExactArray, isExactObject, parseExactJson, stringifyExactJson } from './exact-json.ts';
import type { ExactJson } from './exact-json.ts';
import { numberOf, readTokenRecipes, textOf } from './scenario.ts';
import type { Scenario, Step } from './scenario.ts';
import type { VectorWorld } from './vector-world.ts';

type Fields = { readonly [key: string]: ExactJson };

/** A frame, a refused handshake, a close or an HTTP response, in the form of the recordings. */
export interface Recorded {
  /** `socket A` or `step 3`. */
  readonly where: string;
  readonly value: Fields;
}

const CHANGES_WAIT_MS = 1_300;

/** Runs the steps of a scenario and returns all received events. */
export async function replay(world: VectorWorld, { steps }: Scenario): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  const sockets = new Map<string, WebSocket>();
  /** Sockets that the scenario closed itself; their close is not recorded. */
  const cut = new Set<string>();
  const tokens = new TokenMint(world);
  const record = (where: string, value: Fields) => void recorded.push({ where, value });
  const socketOf = (step: Step) => sockets.get(textOf(step['socket']));
  const send = (step: Step, data: string | Buffer) => {
    const socket = socketOf(step);
    if (socket?.readyState === socket?.OPEN) socket?.send(data);
  };

  const run: Record<string, (step: Step, index: number) => Promise<void>> = {
    async connect(step) {
      const name = textOf(step['socket']);
      const query = isExactObject(step['query']) ? step['query'] : {};
      const filled = await Promise.all(
        Object.entries(query).map(async ([key, value]) => [key, await tokens.fill(textOf(value))]),
      );
      const search = new URLSearchParams(filled);
      const socket = world.connect(`${textOf(step['path'])}?${search}`);
      sockets.set(name, socket);
      await opened(socket, world, (value) => {
        if (!cut.has(name)) record(`socket ${name}`, value);
      });
    },
    async send(step) {
      if (step['skipped'] !== undefined) return;
      if (typeof step['binary'] === 'string') return send(step, Buffer.from(step['binary'], 'hex'));
      const text =
        typeof step['text'] === 'string' ? step['text'] : stringifyExactJson(step['frame'] ?? null);
      send(step, await tokens.fill(text));
    },
    async send_many(step) {
      const text = stringifyExactJson(step['frame'] ?? null);
      for (let index = 1; index <= numberOf(step['count']); index += 1) {
        send(step, await tokens.fill(text.replaceAll('$i', String(index))));
      }
    },
    async await(step) {
      const where = `socket ${textOf(step['socket'])}`;
      const isMet = () =>
        recorded.some((item) => item.where === where && isAwaited(step['match'] ?? {}, item.value));
      await world.settle();
      if (!isMet()) await world.advance(numberOf(step['timeout_ms']), isMet);
    },
    wait: (step) => world.advance(numberOf(step['ms'])),
    wait_changes: (step) => world.advance(numberOf(step['ms'], CHANGES_WAIT_MS)),
    async sql(step, index) {
      try {
        await world.runSql(textOf(step['sql']));
      } catch (error) {
        record(`step ${index}`, { sql_error: error instanceof Error ? error.message : String(error) });
      }
      await world.settle();
    },
    async http(step, index) {
      const response = await fetch(`${world.url}${textOf(step['path'])}`, {
        method: textOf(step['method']),
        headers: await headersOf(step, tokens),
        ...(await bodyOf(step, tokens)),
      });
      record(`step ${index}`, { http: await describeResponse(response) });
      await world.settle();
    },
    terminate(step) {
      cut.add(textOf(step['socket']));
      socketOf(step)?.terminate();
      return world.settle();
    },
  };

  try {
    for (const [index, step] of steps.entries()) await run[step.do]?.(step, index);
    await world.settle();
    return recorded.slice();
  } finally {
    for (const [name, socket] of sockets) {
      cut.add(name);
      socket.terminate();
    }
    await world.settle();
  }
}

/** Resolves when the socket is open or refused; records everything that it receives. */
async function opened(socket: WebSocket, world: VectorWorld, record: (value: Fields) => void): Promise<void> {
  let isSettled = false;
  let isOpen = false;
  socket.on('message', (data: Buffer, isBinary) =>
    record(isBinary ? { binary: binaryFrame(data) } : { frame: parseExactJson(data.toString()) }),
  );
  socket.on('close', (code, reason) => {
    if (isOpen) record({ closed: parseExactJson(JSON.stringify({ code, reason: reason.toString() })) });
  });
  const settled = new Promise<void>((resolve) => {
    socket.once('open', () => {
      isOpen = true;
      isSettled = true;
      resolve();
    });
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const received = {
          status: response.statusCode,
          content_type: response.headers['content-type'] ?? null,
          body: Buffer.concat(chunks).toString(),
        };
        record({ handshake: parseExactJson(JSON.stringify(received)) });
        isSettled = true;
        resolve();
        socket.terminate();
      });
    });
  });
  await Promise.race([settled, advanceUntil(world, () => isSettled)]);
  await settled;
}

/** Advances the clock until the delayed response to a refused handshake. */
async function advanceUntil(world: VectorWorld, isOver: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20 && !isOver(); turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 1));
  while (!isOver()) await world.advance(100, isOver);
}

function isAwaited(pattern: ExactJson, { frame }: Fields): boolean {
  if (!isExactObject(pattern)) return false;
  if (isExactArray(pattern['any']))
    return pattern['any'].some((one) => isAwaited(one, { frame: frame ?? null }));
  const fields = frameFields(frame);
  return Object.entries(pattern).every(([key, value]) => {
    const actual = key === 'status' ? statusOf(fields['payload']) : fields[key];
    return actual !== undefined && textOf(actual) === textOf(value);
  });
}

function frameFields(frame: ExactJson | undefined): Fields {
  if (isExactArray(frame)) {
    const [joinRef = null, ref = null, topic = null, event = null, payload = null] = frame;
    return { join_ref: joinRef, ref, topic, event, payload };
  }
  return isExactObject(frame) ? frame : {};
}

const statusOf = (payload: ExactJson | undefined): ExactJson | undefined =>
  isExactObject(payload) ? payload['status'] : undefined;

function binaryFrame(bytes: Buffer): Fields {
  const [kind = 0, topicSize = 0, eventSize = 0, metaSize = 0, encoding = 0] = bytes;
  let offset = 5;
  const take = (size: number) => bytes.toString('utf8', offset, (offset += size));
  const [topic, event, meta] = [take(topicSize), take(eventSize), take(metaSize)];
  const data = bytes.subarray(offset);
  const header = parseExactJson(JSON.stringify({ kind, topic, event, encoding }));
  return {
    ...(isExactObject(header) ? header : {}),
    meta: meta === '' ? '' : parseExactJson(meta),
    payload: encoding === 1 ? parseExactJson(data.toString()) : { hex: data.toString('hex') },
    ...(encoding === 1 ? { payload_text: data.toString() } : {}),
    bytes_hex: bytes.toString('hex'),
  };
}

async function headersOf(step: Step, tokens: TokenMint): Promise<Record<string, string>> {
  const headers = isExactObject(step['headers']) ? Object.entries(step['headers']) : [];
  const filled = headers.map(async ([name, value]) => [name, await tokens.fill(textOf(value))] as const);
  return Object.fromEntries(await Promise.all(filled));
}

async function bodyOf(step: Step, tokens: TokenMint): Promise<{ body?: string }> {
  if (step['body_text'] !== undefined) return { body: await tokens.fill(textOf(step['body_text'])) };
  if (step['body'] !== undefined) return { body: await tokens.fill(stringifyExactJson(step['body'])) };
  return {};
}

async function describeResponse(response: Response): Promise<ExactJson> {
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  const body = contentType?.startsWith('application/json') ? parseExactJson(text) : text;
  return { status: parseExactJson(String(response.status)), content_type: contentType, body };
}

const REPEAT = /<repeat:(.):(\d+)>/g;
const NOW_MS = /<now-ms:(\d+)>/g;
const TOKEN = /<token:[^>]+>/g;
const OTHER_SECRET = 'a-secret-that-is-not-the-one-of-the-tenant';

/** Replaces a scenario's placeholders: tokens (one value per name), repeated characters and times. */
class TokenMint {
  readonly #world: VectorWorld;
  readonly #recipes = readTokenRecipes();
  readonly #minted = new Map<string, string>();
  readonly #startedAtMs: number;

  constructor(world: VectorWorld) {
    this.#world = world;
    this.#startedAtMs = world.now();
  }

  async fill(text: string): Promise<string> {
    for (const [name] of text.matchAll(TOKEN)) {
      if (!this.#minted.has(name)) this.#minted.set(name, await this.#mint(name));
    }
    return text
      .replaceAll(TOKEN, (name) => this.#minted.get(name) ?? name)
      .replaceAll(REPEAT, (_name, char: string, count: string) => char.repeat(Number(count)))
      .replaceAll(NOW_MS, (_name, before: string) => String(this.#world.now() - Number(before)));
  }

  async #mint(name: string): Promise<string> {
    const recipe = this.#recipes[name];
    if (!recipe) throw new Error(`No recipe for ${name}`);
    if (name === '<token:anon:key>') return this.#world.anonKey;
    const claims = Object.fromEntries(
      Object.entries(recipe.claims).map(([claim, value]) => [claim, this.#claimValue(value)]),
    );
    const { key, header } = recipe;
    if (key === 'tenant secret' && header.kid === undefined) return this.#world.signToken(claims);
    const secret = key === 'tenant secret' ? this.#world.jwtSecret : OTHER_SECRET;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
      .sign(new TextEncoder().encode(secret));
  }

  #claimValue(value: string | number): string | number {
    const [, isText, seconds] = /^(text of )?now([+-]\d+)$/.exec(String(value)) ?? [];
    if (seconds === undefined) return value;
    const time = Math.floor(this.#startedAtMs / 1000) + Number(seconds);
    return isText ? String(time) : time;
  }
}
