import type { Call } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { unprocessable } from '../errors.ts';

export async function web3Grant(_context: AuthContext, _call: Call): Promise<Response> {
  throw unprocessable('web3_provider_disabled', 'Web3 provider is disabled');
}
