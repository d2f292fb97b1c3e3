import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, jwtPartOf } from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { assertOAuthError } from './oauth-application.ts';
import {
  anySite,
  isoIn,
  newWallet,
  requireWeb3,
  signedSolanaMessage,
  solanaMessage,
  walletSite,
  web3,
} from './wallet.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#wallets', since: '1.0.0' } as const;

/** The service reads a message before it verifies the signature. */
const anySignature = Buffer.alloc(64, 1).toString('base64');

/** Signs in with a new Ethereum wallet (EIP-4361, EIP-191), whose fields follow the statement. */
function signedEthereumMessage(site: string, fields: Readonly<Record<string, string>>, version = 27) {
  const secret = secp256k1.utils.randomSecretKey();
  const key = secp256k1.getPublicKey(secret, false).slice(1);
  const address = `0x${Buffer.from(keccak_256(key).slice(-20)).toString('hex')}`;
  const { host, origin } = new URL(site);
  const given = { URI: `${origin}/`, Version: '1', 'Chain ID': '1', 'Issued At': isoIn(0), ...fields };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  const message = `${host} wants you to sign in with your Ethereum account:\n${address}\n\n${lines.join('\n')}`;
  const signed = Buffer.from(`\u0019Ethereum Signed Message:\n${Buffer.byteLength(message)}${message}`);
  const [recovery = 0, ...bytes] = secp256k1.sign(keccak_256(signed), secret, {
    prehash: false,
    format: 'recovered',
  });
  const signature = `0x${Buffer.from([...bytes, version + recovery]).toString('hex')}`;
  return { address, body: { chain: 'ethereum', message, signature } };
}

/** Messages of wallets, and the users who sign in with them. */
export const walletAudits: readonly Audit[] = [
  audit(
    'AUTH-743',
    'a message without a member that it needs, or with one of another form, is refused as validation_failed',
    options,
    async (context) => {
      await requireWeb3(context);
      const assertInvalid = async (body: object, reason: string) =>
        assertRefusal(await web3(context, body), 400, 'validation_failed', `siws: ${reason}`);
      const noTime = (name: string) => `${name} is not a valid ISO8601 timestamp`;
      const wrong = [
        [{ Version: '2' }, 'Version value is not supported, expected 1 got "2"'],
        [{ 'Issued At': '' }, noTime('Issued At')],
        [{ 'Issued At': 'yesterday' }, noTime('Issued At')],
        [{ URI: 'no address' }, 'URI is not valid'],
        [{ 'Not Before': 'tomorrow' }, noTime('Not Before')],
        [{ 'Expiration Time': 'tomorrow' }, noTime('Expiration Time')],
        [{ 'Expiration Time': isoIn(-1) }, 'Issued At is after Expiration Time'],
        [{ 'Not Before': isoIn(2), 'Expiration Time': isoIn(1) }, 'Not Before is after Expiration Time'],
        [{ 'Chain ID': 'gold:net' }, 'Chain ID is not valid'],
        [{ 'Chain ID': 'solana:mainnet-beta' }, 'Chain ID is not valid'],
        [{ 'Chain ID': 'x solana:mainnet' }, 'Chain ID is not valid'],
        [{ 'Chain ID': 'mainnet' }, 'Chain ID is not valid'],
        [{ 'Issued At': `${isoIn(0)} or later` }, noTime('Issued At')],
        [{ 'Issued At': `on ${isoIn(0)}` }, noTime('Issued At')],
      ] as const;
      for (const [fields, reason] of wrong) await assertInvalid(signedSolanaMessage(anySite, fields), reason);
      const lines = solanaMessage(newWallet(), anySite).split('\n');
      const [header = '', address = '', ...rest] = lines;
      const without = (name: string) => lines.filter((line) => !line.startsWith(`${name}: `));
      const malformed: readonly (readonly [readonly string[], string])[] = [
        [without('Version'), 'Version value is not supported, expected 1 got ""'],
        [without('URI'), 'URI is not specified'],
        [without('Issued At'), 'Issued At is not specified'],
        [
          [header.replace('Solana', 'Gold'), address, ...rest],
          'message first line does not end in " wants you to sign in with your Solana account:"',
        ],
        [
          [header.replace('example.com', 'exa mple'), address, ...rest],
          'domain in first line of message is not valid',
        ],
        [[header, 'no-address', ...rest], 'wallet address is not in base58 format'],
        [[header, address, 'x', ...rest], 'third line must be empty'],
        [[...lines, 'no field'], `encountered unparsable line at index ${lines.length}`],
        [[...lines, 'Resources:', '- no address'], 'Resource at position 0 has invalid URI'],
        [
          [...lines, 'Resources:', '- https://example.com/', '- no address'],
          'Resource at position 1 has invalid URI',
        ],
        [[header, address, '', 'Version: 1', `URI: ${anySite}/`], 'message needs at least 6 lines'],
      ];
      for (const [one, reason] of malformed)
        await assertInvalid({ message: one.join('\n'), signature: anySignature }, reason);
    },
  ),
  audit('AUTH-744', 'a message has 64 to 20480 bytes, and a signature 64', options, async (context) => {
    await requireWeb3(context);
    const { message, signature } = signedSolanaMessage(anySite);
    const long = `${message}\nResources:\n- https://example.com/`;
    const ofSolana = 'signature must be 64 bytes encoded as base64 with or without padding';
    const ofEthereum = 'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string';
    const wrong = [
      [{ message: message.slice(0, 63), signature }, 'message is too short'],
      [{ message: long.padEnd(20 * 1024 + 1, 'x'), signature }, 'message must not exceed 20KB'],
      [{ message, signature: signature.slice(0, 85) }, ofSolana],
      [{ message, signature: `${signature}AA` }, ofSolana],
      [{ message, signature: '!'.repeat(88) }, 'signature does not contain valid base64 characters'],
      [{ chain: 'ethereum', message, signature: `0x${'a'.repeat(129)}` }, ofEthereum],
      [{ chain: 'ethereum', message, signature: `0x${'a'.repeat(131)}` }, ofEthereum],
    ] as const;
    for (const [body, reason] of wrong)
      assertRefusal(await web3(context, body), 400, 'validation_failed', reason);
    const wallet = newWallet();
    const longest = `${solanaMessage(wallet, anySite)}\nResources:\n- https://example.com/`.padEnd(
      20 * 1024,
      'x',
    );
    const { json } = await web3(context, wallet.sign(longest));
    assert.equal(at(json, 'error'), 'invalid_grant', 'error of a message of 20480 bytes of another site');
  }),
  audit(
    'AUTH-745',
    'a user with a wallet has it as identity, and no address, and is the same the next time',
    options,
    async (context) => {
      await requireWeb3(context);
      const site = walletSite(context);
      const wallet = newWallet();
      const { address } = wallet;
      const first = assertSession(await web3(context, wallet.sign(solanaMessage(wallet, site))));
      const { json } = first;
      assert.deepEqual(
        [
          at(json, 'user', 'email'),
          at(json, 'user', 'app_metadata', 'providers'),
          at(json, 'user', 'is_anonymous'),
        ],
        ['', ['web3'], false],
        'email, app_metadata.providers and is_anonymous of the user',
      );
      const identity = at(json, 'user', 'identities', 0);
      const sub = `web3:solana:${address}`;
      assert.deepEqual(
        [at(identity, 'provider'), at(identity, 'id')],
        ['web3', sub],
        'provider and id of the identity',
      );
      const { host: domain } = new URL(site);
      const claims = { address, chain: 'solana', network: '', domain, statement: 'Audit' };
      const data = { sub, email_verified: false, phone_verified: false, custom_claims: claims };
      assert.deepEqual(at(identity, 'identity_data'), data, 'identity_data of the identity');
      assert.deepEqual(at(json, 'user', 'user_metadata'), data, 'user_metadata of the user');
      assert.deepEqual(
        at(jwtPartOf(at(json, 'access_token')), 'amr', 0, 'method'),
        'web3',
        'amr.0.method of the claims',
      );
      const second = assertSession(await web3(context, wallet.sign(solanaMessage(wallet, site))));
      assert.equal(at(second.json, 'user', 'id'), at(json, 'user', 'id'), 'id of the user the next time');
    },
  ),
  audit(
    'AUTH-1240',
    'a message may have six lines, resources and no statement, which is the fourth line before an empty one',
    options,
    async (context) => {
      await requireWeb3(context);
      const site = walletSite(context);
      for (const [statement, own, more] of [
        ['', [], []],
        ['', [], ['Resources:', '- https://example.com/']],
        ['Audit', ['Audit', ''], ['Chain ID: solana:devnet']],
      ] as const) {
        const wallet = newWallet();
        const [header, address, empty, , , ...fields] = solanaMessage(wallet, site).split('\n');
        const message = [header, address, empty, ...own, ...fields, ...more].join('\n');
        const { json } = assertSession(await web3(context, wallet.sign(message)));
        const claims = at(json, 'user', 'user_metadata', 'custom_claims');
        assert.equal(at(claims, 'statement'), statement, 'statement of the user');
      }
    },
  ),
  audit(
    'AUTH-1256',
    'an Ethereum wallet signs in, with either form of the recovery id, within the times of its message',
    options,
    async (context) => {
      await requireWeb3(context);
      const site = walletSite(context);
      const times = { 'Not Before': isoIn(-0.1), 'Expiration Time': isoIn(1) };
      for (const [fields, version] of [
        [{}, 27],
        [times, 0],
      ] as const) {
        const { address, body } = signedEthereumMessage(site, fields, version);
        const { json } = assertSession(await web3(context, body));
        const claims = { address, chain: 'ethereum', network: '1', domain: new URL(site).host };
        const identity = at(json, 'user', 'identities', 0);
        assert.equal(at(identity, 'id'), `web3:ethereum:${address}`, 'id of the identity');
        const found = at(identity, 'identity_data', 'custom_claims') as Readonly<Record<string, unknown>>;
        assert.deepEqual({ ...found, statement: null }, { ...claims, statement: null }, 'custom_claims');
        assert.ok(!found['statement'], 'a message without a statement has none', String(found['statement']));
      }
      const late = { 'Not Before': isoIn(-1), 'Expiration Time': isoIn(-0.05), 'Issued At': isoIn(-0.1) };
      const ended = await web3(context, signedEthereumMessage(site, late).body);
      assertOAuthError(ended, 'invalid_grant', 'Signed Ethereum message is expired');
    },
  ),
  audit(
    'AUTH-746',
    'a message that a Ledger device signed in its envelope signs in, with its domain and its key alone',
    options,
    async (context) => {
      await requireWeb3(context);
      const site = walletSite(context);
      const { host } = new URL(site);
      const wallet = newWallet();
      const message = solanaMessage(wallet, site);
      const session = assertSession(await web3(context, wallet.signOnLedger(message, host)));
      assert.equal(
        at(session.json, 'user', 'identities', 0, 'identity_data', 'custom_claims', 'address'),
        wallet.address,
        'the address of the user',
      );
      for (const wrong of [
        wallet.signOnLedger(message, 'other.example.com'),
        newWallet().signOnLedger(message, host),
        newWallet().sign(message),
        { ...wallet.sign(`${message} `), message },
      ]) {
        const refused = await web3(context, wrong);
        assert.deepEqual(
          [refused.status, at(refused.json, 'error')],
          [400, 'invalid_grant'],
          'the status and error of another signature',
        );
      }
    },
  ),
  audit(
    'AUTH-747',
    'a message of another address than its domain, without https, or out of its time is refused',
    options,
    async (context) => {
      await requireWeb3(context);
      const site = walletSite(context);
      const insecure = 'Signed Solana message is using URI which does not use HTTPS';
      const foreign =
        'Signed Solana message is using URI which is not allowed on this server, message was signed for another app';
      for (const [place, fields, description] of [
        ['http://example.com', {}, insecure],
        [site, { URI: 'http://example.com/' }, insecure],
        [site, { URI: 'https://example.com/' }, foreign],
        [site, { 'Issued At': isoIn(-24) }, 'Solana message was issued too long ago'],
        [site, { 'Issued At': isoIn(24) }, 'Solana message was issued too far in the future'],
        [site, { 'Not Before': isoIn(1) }, 'Signed Solana message becomes valid in the future'],
        [
          site,
          { 'Issued At': isoIn(-0.1), 'Expiration Time': isoIn(-0.05) },
          'Signed Solana message is expired',
        ],
      ] as const) {
        const refused = await web3(context, signedSolanaMessage(place, fields));
        assertOAuthError(refused, 'invalid_grant', description);
      }
      const valid = { 'Not Before': isoIn(-0.1), 'Expiration Time': isoIn(1), 'Chain ID': 'solana:devnet' };
      const wallet = newWallet();
      const resources = '\nResources:\n- https://example.com/\n- https://example.com/second';
      const message = solanaMessage(wallet, site, valid) + resources;
      const session = assertSession(await web3(context, wallet.sign(message)));
      const claims = at(session.json, 'user', 'identities', 0, 'identity_data', 'custom_claims');
      assert.equal(at(claims, 'network'), 'solana:devnet', 'network of the claims');
    },
  ),
  audit(
    'AUTH-1198',
    'a message for another page of the allow list needs the domain of its URI',
    options,
    async (context) => {
      await requireWeb3(context);
      const site = 'https://wallet.example.net/';
      const first = await web3(context, signedSolanaMessage(site));
      if (/not allowed on this server/.test(first.text))
        throw new NotRunError('the allow list lacks this page');
      assertSession(first);
      const wallet = newWallet();
      const refusals = [
        [
          solanaMessage(wallet, site).replace('wallet.example.net wants', 'other.example.net wants'),
          'a Domain that does not match the one in URI which is not allowed on this server',
        ],
        [
          solanaMessage(wallet, 'https://other.example.net'),
          'URI which is not allowed on this server, message was signed for another app',
        ],
        [solanaMessage(wallet, site, { URI: 'http://wallet.example.net/' }), 'URI which does not use HTTPS'],
      ] as const;
      for (const [message, reason] of refusals) {
        const refused = await web3(context, wallet.sign(message));
        assertStatus(refused, 400);
        const expected = `Signed Solana message is using ${reason}`;
        assert.equal(at(refused.json, 'error_description'), expected, 'error_description');
      }
    },
  ),
];
