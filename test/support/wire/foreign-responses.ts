import { createPlatform } from '../../../src/platform/browser-platform.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { sessionReply } from './replies.ts';

export const words = 'Please accept the terms of the Wi-Fi';

/** Successful responses of something between the client and its service. */
export const foreignResponses = {
  page: () =>
    new Response(`<title>Wi-Fi</title><p>${words}</p>`, {
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
    }),
  empty: () => new Response(null),
  json: () => Response.json({ unexpected: true }),
  none: () => new Response(null, { status: 204 }),
} as const;

export type ForeignKind = keyof typeof foreignResponses;
export const foreignKinds = Object.keys(foreignResponses) as readonly ForeignKind[];

/** Which foreign responses the service may send to a call itself, in the order of `foreignKinds`. */
export type Accepted = readonly ForeignKind[];

export const project = { url: 'https://project.test', apiKey: 'sb_publishable_x' };

/** A platform that signs in with any password, and then responds to every request with the foreign response. */
export function createForeignPlatform(kind: ForeignKind): Platform {
  return createPlatform({
    fetch: async (input) => {
      const { url } = new Request(input);
      if (!url.includes('grant_type=password')) return foreignResponses[kind]();
      return Response.json(sessionReply('ada', 1, { expires_at: Math.ceil(Date.now() / 1000) + 3600 }));
    },
  });
}

const isMethod = (name: string, member: unknown) => typeof member === 'function' && name !== 'constructor';

export function methodsOf(client: object): readonly string[] {
  const own = Object.entries(client).flatMap(([name, member]) => (isMethod(name, member) ? name : []));
  const prototype = Object.getPrototypeOf(client) as object;
  if (prototype === Object.prototype) return own;
  const inherited = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  return [...own, ...inherited.flatMap(([name, { value }]) => (isMethod(name, value) ? name : []))];
}

/** The same, with those of its members: `mfa.enroll`. */
export function methodPathsOf(client: object): readonly string[] {
  const nested = Object.entries(client).flatMap(([name, member]) =>
    typeof member === 'object' && member !== null
      ? methodPathsOf(member as object).map((path) => `${name}.${path}`)
      : [],
  );
  return [...methodsOf(client), ...nested];
}
