import { assert } from '../../target/assertion.ts';
import { FunctionsError, createFunctionsClient } from 'supabase-protocol-clients/functions-client';
import type { Audit } from '../../audit/audit.ts';
import { NotRunError } from '../../target/target.ts';
import { clientAuditsOf, refusalOf } from '../../clients/client-audit.ts';

const audit = clientAuditsOf('functions-client');

/**
 * Calls of edge functions. The project has no functions, so the audits check the requests and the error of an unknown
 * function.
 */
export const clientFunctionAudits: readonly Audit[] = [
  audit(
    'CLIENT-FN-101',
    'an unknown function is a typed refusal with its status',
    { source: 'protocol/rest.md#edge-functions' },
    async ({ server, signIn }) => {
      if (server.target.restUrl === null) throw new NotRunError('the target has no functions');
      const { auth, wire, ...connection } = await signIn();
      const functions = createFunctionsClient({ ...connection, getAccessToken: auth.getAccessToken });
      const refusal = await refusalOf(
        FunctionsError,
        functions.invoke('no-such-function', { body: { a: 'ä' }, region: 'eu-central-1' }),
      );
      assert.deepEqual([refusal.code, refusal.status], ['http', 404], 'the code and status of the refusal');
      const sent = wire.requests.at(-1);
      assert.deepEqual(
        [sent?.method, sent?.path],
        ['POST', '/functions/v1/no-such-function'],
        'the method and path of the request',
      );
      assert.deepEqual(sent?.json, { a: 'ä' }, 'the sent frames');
      assert.equal(
        sent?.headers.get('authorization'),
        `Bearer ${await auth.getAccessToken()}`,
        'the header authorization of the request',
      );
      assert.equal(sent?.headers.get('apikey'), connection.apiKey, 'the header apikey of the request');
      assert.equal(sent?.headers.get('x-region'), 'eu-central-1', 'the header x-region of the request');
    },
  ),
  audit(
    'CLIENT-FN-102',
    'a name that would resolve to another path is refused before a request is sent, and the token is not sent',
    { source: 'protocol/rest.md#edge-functions' },
    async ({ signIn }) => {
      const { auth, wire, ...connection } = await signIn();
      const functions = createFunctionsClient({ ...connection, getAccessToken: auth.getAccessToken });
      const sent = wire.requests.length;
      for (const name of ['', '..', '../../auth/v1/user']) {
        assert.equal(
          (await refusalOf(FunctionsError, functions.invoke(name))).code,
          'invalid-name',
          `the code of the refusal of ${name}`,
        );
      }
      assert.equal(wire.requests.length, sent, 'the number of requests');
    },
  ),
];
