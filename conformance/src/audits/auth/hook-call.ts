import type { AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import type { HookName } from '../../target/hook-server.ts';
import { assertError, at, type WireResponse } from '../../target/wire.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Asserts the metadata of a hook's payload, and returns the rest of it. */
export function payloadOf(call: unknown, name: string): Readonly<Record<string, unknown>> {
  const { metadata, ...payload } = call as Readonly<Record<string, unknown>>;
  const members = Object.keys(metadata as object).toSorted();
  assert.deepEqual(members, ['ip_address', 'name', 'time', 'uuid'], 'the members of the metadata');
  assert.equal(at(metadata, 'name'), name, 'the name of the hook in its metadata');
  assert.match(String(at(metadata, 'uuid')), uuid, 'the uuid of the metadata');
  const time = String(at(metadata, 'time'));
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 300_000, 'the time of the metadata is now', time);
  assert.match(String(at(metadata, 'ip_address')), /[\d:]{3}/, 'the ip_address of the metadata');
  return payload;
}

/** The payload of the latest call of a hook that contains the text. */
export function lastCallOf(
  { hooks }: AuditContext,
  hook: HookName,
  text: string,
  name: string,
): Readonly<Record<string, unknown>> {
  const call = hooks.calls(hook, text).at(-1);
  return call ? payloadOf(call.json, name) : assert.fail(`the service calls the hook ${hook}`, 'no call');
}

/** Asserts status, code and message of a refusal. */
export function assertRefusal(response: WireResponse, status: number, code: string, message: string): void {
  assertError(response, status, code);
  assert.equal(at(response.json, 'message'), message, 'the message of the refusal');
}
