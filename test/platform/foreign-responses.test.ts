import { describe, expect, test } from 'vitest';
import { createForeignPlatform, foreignKinds, words } from '../support/wire/foreign-responses.ts';
import { type ServiceCalls, serviceCalls } from '../support/wire/service-calls.ts';

const refusals = {
  page: { code: 'not-the-service', status: 200, found: `(HTTP 200, text/html): Wi-Fi ${words}` },
  empty: { code: 'not-the-service', status: 200, found: '(HTTP 200, no body)' },
  json: { code: 'not-the-service', status: 200, found: '(HTTP 200, application/json)' },
  none: { code: 'not-the-service', status: 204, found: '(HTTP 204, no body)' },
};

const describeRefusal = (problem: unknown) => {
  const { code, status, message } = problem as { code: unknown; status: unknown; message: string };
  return { code, status, found: message.replace(/^Not a response of the \w+ service /, '') };
};

function itRefuses({ name, rows }: ServiceCalls): void {
  const cases = rows.flatMap(({ method, call, accepted }) =>
    foreignKinds.map((kind) => ({ method, kind, call, isAccepted: accepted.includes(kind) })),
  );
  test.each(cases)(`${name}.$method recognizes a foreign $kind`, async ({ kind, call, isAccepted }) => {
    const outcome = await call(createForeignPlatform(kind)).then(() => 'accepted', describeRefusal);
    expect(outcome).toEqual(isAccepted ? 'accepted' : refusals[kind]);
  });
}

/** Every method has a row, or is one of those that send nothing or are made of others. */
function itIsComplete({ name, methods, rows, others }: ServiceCalls): void {
  if (!methods) return;
  test(`every method of ${name} has a row`, () => {
    expect([...methods].sort()).toEqual([...rows.map(({ method }) => method), ...others].sort());
  });
}

describe.each(Object.entries(serviceCalls))('%s', (_title, clients) => {
  clients.forEach((client) => {
    itRefuses(client);
    itIsComplete(client);
  });
});
