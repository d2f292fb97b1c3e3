import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, jwtPartOf } from '../../target/wire.ts';
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

/** Messages of wallets, and the users who sign in with them. */
export const walletAudits: readonly Audit[] = [
  audit(
    'AUTH-743',
    'a message without a member that it needs, or with one of another form, is refused as validation_failed',
    options,
    async (context) => {
      await requireWeb3(context);
      const wrong = [
        { Version: '2' },
        { 'Issued At': '' },
        { 'Issued At': 'yesterday' },
        { URI: 'no address' },
        { 'Not Before': 'tomorrow' },
        { 'Expiration Time': isoIn(-1) },
        { 'Not Before': isoIn(2), 'Expiration Time': isoIn(1) },
        { 'Chain ID': 'gold:net' },
        { 'Chain ID': 'solana:mainnet-beta' },
        { 'Chain ID': 'x solana:mainnet' },
        { 'Chain ID': 'mainnet' },
        { 'Issued At': `${isoIn(0)} or later` },
        { 'Issued At': `on ${isoIn(0)}` },
      ];
      for (const fields of wrong)
        assertError(await web3(context, signedSolanaMessage(anySite, fields)), 400, 'validation_failed');
      const lines = solanaMessage(newWallet(), anySite).split('\n');
      const [header = '', address = '', ...rest] = lines;
      const malformed = [
        ...['Version', 'URI', 'Issued At'].map((name) =>
          lines.filter((line) => !line.startsWith(`${name}: `)),
        ),
        [header.replace('Solana', 'Gold'), address, ...rest],
        [header.replace('example.com', 'exa mple'), address, ...rest],
        [header, 'no-address', ...rest],
        [header, address, 'x', ...rest],
        [...lines, 'no field'],
        [...lines, 'Resources:', '- no address'],
        [...lines, 'Resources:', '- https://example.com/', '- no address'],
        [header, address, '', 'Version: 1', `URI: ${anySite}/`],
      ];
      for (const one of malformed)
        assertError(
          await web3(context, { message: one.join('\n'), signature: anySignature }),
          400,
          'validation_failed',
        );
    },
  ),
  audit('AUTH-744', 'a message has 64 to 20480 bytes, and a signature 64', options, async (context) => {
    await requireWeb3(context);
    const { message, signature } = signedSolanaMessage(anySite);
    const long = `${message}\nResources:\n- https://example.com/`;
    const wrong = [
      { message: message.slice(0, 63), signature },
      { message: long.padEnd(20 * 1024 + 1, 'x'), signature },
      { message, signature: signature.slice(0, 85) },
      { message, signature: `${signature}AA` },
      { message, signature: '!'.repeat(88) },
      { chain: 'ethereum', message, signature: `0x${'a'.repeat(129)}` },
      { chain: 'ethereum', message, signature: `0x${'a'.repeat(131)}` },
    ];
    for (const body of wrong) assertError(await web3(context, body), 400, 'validation_failed');
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
      assert.deepEqual(
        [at(identity, 'provider'), at(identity, 'id'), at(identity, 'identity_data', 'sub')],
        ['web3', `web3:solana:${address}`, `web3:solana:${address}`],
        'provider, id and identity_data.sub of the identity',
      );
      const claims = {
        address,
        chain: 'solana',
        network: '',
        domain: new URL(site).host,
        statement: 'Audit',
      };
      assert.deepEqual(at(identity, 'identity_data', 'custom_claims'), claims, 'identity_data.custom_claims');
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
      for (const [place, fields] of [
        ['http://example.com', {}],
        [site, { URI: 'http://example.com/' }],
        [site, { URI: 'https://example.com/' }],
        [site, { 'Issued At': isoIn(-24) }],
        [site, { 'Issued At': isoIn(24) }],
        [site, { 'Not Before': isoIn(1) }],
        [site, { 'Issued At': isoIn(-0.1), 'Expiration Time': isoIn(-0.05) }],
      ] as const) {
        const refused = await web3(context, signedSolanaMessage(place, fields));
        assert.deepEqual(
          [refused.status, at(refused.json, 'error')],
          [400, 'invalid_grant'],
          `the status and error with ${JSON.stringify(fields)}`,
        );
        assert.ok(at(refused.json, 'error_description'), 'the response has an error_description');
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
