/** The two formats of sign-in messages: EIP-4361 and its Solana equivalent. */
export type Chain = 'ethereum' | 'solana';

/** A parsed message of a wallet, not yet verified. Times in milliseconds since the epoch. */
export interface SignedMessage {
  readonly raw: string;
  readonly domain: string;
  readonly address: string;
  readonly statement: string | null;
  readonly uri: URL;
  readonly network: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly notBeforeMs: number | null;
}

/** An invalid message; the response contains the text of this error. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
}

interface Dialect {
  readonly prefix: string;
  readonly headerEnd: string;
  readonly address: RegExp;
  readonly addressFault: string;
  readonly isNetwork: (network: string) => boolean;
}

const dialects: Readonly<Record<Chain, Dialect>> = {
  ethereum: {
    prefix: 'siwe',
    headerEnd: ' wants you to sign in with your Ethereum account:',
    address: /^0x[\da-fA-F]{40}$/,
    addressFault: 'wallet address is not a valid Ethereum address',
    isNetwork: (network) => /^[+]?0*[1-9]\d*$/.test(network),
  },
  solana: {
    prefix: 'siws',
    headerEnd: ' wants you to sign in with your Solana account:',
    address: /^[a-zA-Z0-9]{32,44}$/,
    addressFault: 'wallet address is not in base58 format',
    isNetwork: (network) => network === '' || /^solana:(main|dev|test|local)net$/.test(network),
  },
};

const domainPattern =
  /^(localhost|(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,})(?::\d{1,5})?$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

type Fail = (detail: string) => never;

function parseTime(name: string, value: string | undefined, fail: Fail): number | null {
  if (value === undefined) return null;
  const timeMs = timePattern.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(timeMs) ? fail(`${name} is not a valid ISO8601 timestamp`) : timeMs;
}

const lineAt = (lines: readonly string[], index: number): string => lines[index] ?? '';

function parseHead(
  lines: readonly string[],
  dialect: Dialect,
  fail: Fail,
): { domain: string; address: string } {
  const [header, addressLine, third] = [lineAt(lines, 0), lineAt(lines, 1), lineAt(lines, 2)];
  if (!header.endsWith(dialect.headerEnd)) fail(`message first line does not end in "${dialect.headerEnd}"`);
  const domain = header.slice(0, -dialect.headerEnd.length).trim();
  if (!domainPattern.test(domain)) fail('domain in first line of message is not valid');
  const address = addressLine.trim();
  if (!dialect.address.test(address)) fail(dialect.addressFault);
  if (third !== '') fail('third line must be empty');
  return { domain, address };
}

/** Reads `Name: value` lines from `start` on; the resources are validated and dropped. */
function parseFields(lines: readonly string[], start: number, fail: Fail): Map<string, string> {
  const fields = new Map<string, string>();
  let resources = -1;
  for (const [offset, rawLine] of lines.slice(start).entries()) {
    const line = rawLine.trim();
    if (resources >= 0 && line.startsWith('- ')) {
      if (!URL.canParse(line.slice(2).trim())) fail(`Resource at position ${resources} has invalid URI`);
      resources += 1;
      continue;
    }
    resources = line === 'Resources:' ? 0 : -1;
    if (line === '' || resources === 0) continue;
    const colon = line.indexOf(':');
    if (colon < 0) fail(`encountered unparsable line at index ${start + offset}`);
    fields.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return fields;
}

/** Throws MessageError. */
export function parseSignedMessage(chain: Chain, raw: string): SignedMessage {
  const dialect = dialects[chain];
  const fail: Fail = (detail) => {
    throw new MessageError(`${dialect.prefix}: ${detail}`);
  };
  const lines = raw.split('\n');
  if (lines.length < 6) fail('message needs at least 6 lines');
  const { domain, address } = parseHead(lines, dialect, fail);
  const hasStatement = lines[3] !== '' && lines[4] === '';
  const fields = parseFields(lines, hasStatement ? 5 : 3, fail);
  const uriText = fields.get('URI');
  if (uriText !== undefined && !URL.canParse(uriText)) fail('URI is not valid');
  const network = fields.get('Chain ID');
  if (network !== undefined && !dialect.isNetwork(network)) fail('Chain ID is not valid');
  const issuedAtMs = parseTime('Issued At', fields.get('Issued At'), fail);
  const expiresAtMs = parseTime('Expiration Time', fields.get('Expiration Time'), fail);
  const notBeforeMs = parseTime('Not Before', fields.get('Not Before'), fail);
  const version = fields.get('Version') ?? '';
  if (version !== '1') fail(`Version value is not supported, expected 1 got ${JSON.stringify(version)}`);
  if (issuedAtMs === null) return fail('Issued At is not specified');
  if (uriText === undefined) return fail('URI is not specified');
  if (expiresAtMs !== null && issuedAtMs > expiresAtMs) fail('Issued At is after Expiration Time');
  if (expiresAtMs !== null && notBeforeMs !== null && notBeforeMs > expiresAtMs)
    fail('Not Before is after Expiration Time');
  return {
    raw,
    domain,
    address,
    statement: hasStatement ? lineAt(lines, 3) : null,
    uri: new URL(uriText),
    network: network ?? '',
    issuedAtMs,
    expiresAtMs,
    notBeforeMs,
  };
}
