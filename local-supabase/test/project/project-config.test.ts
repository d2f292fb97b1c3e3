import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readProjectConfig } from '../../src/project/project-config.ts';

/** The defaults of the vendor's local stack. */
const defaults = { anonymousEnabled: false, mailerAutoconfirm: true };
const read = (text: string, environment: Record<string, string> = {}) =>
  readProjectConfig({ text, environment });

describe('a config.toml', () => {
  it('keeps the defaults of missing settings', () => {
    expect(read('[auth]\njwt_expiry = 60\n').options.auth).toEqual({ ...defaults, jwtExpirySeconds: 60 });
    expect(read('').options).toMatchObject({ auth: {}, rest: {}, storage: { buckets: {} } });
  });

  it('reports settings without effect, unless they are empty or for other tools', () => {
    const text = `
      [api]
      schemas = []
      [api.tls]
      enabled = false
      cert_path = "x"
      [storage.s3_protocol]
      enabled = true
      [auth]
      jwt_isuer = "typo"
      external_url = ""
      [experimental]
      orioledb_version = ""
      s3_host = "env(S3_HOST)"`;
    expect(read(text).withoutEffect).toEqual(['storage.s3_protocol.enabled', 'auth.jwt_isuer']);
    expect(read(text, { S3_HOST: 'example.com' }).withoutEffect).toContain('experimental.s3_host');
    expect(read(text).options.rest).toEqual({});
  });

  it('reads the names of the CLI since version 3, which override the earlier ones', () => {
    const { options, withoutEffect } = read(`
      [auth.email]
      enabled = false
      enable_signup = true
      require_current_password = true
      [auth.sms]
      enabled = true
      [experimental.pgdelta]
      enabled = true
      declarative_schema_path = "./database/"
      [storage.vector]
      max_buckets = 10`);
    expect(options.auth).toEqual({
      ...defaults,
      emailEnabled: false,
      phoneEnabled: true,
      passwordUpdateRequiresCurrentPassword: true,
    });
    expect(options.databaseSettings).toEqual({ schemaPaths: ['./database/**/*.sql'] });
    expect(withoutEffect).toEqual([]);
  });

  it('sets the texts and codes of messages', () => {
    const { auth } = read(`
      [auth.sms]
      template = "Shop: {{ .Code }}"
      [auth.mfa.phone]
      template = "{{ .Code }}"
      otp_length = 8
      max_frequency = "10s"`).options;
    expect(auth).toEqual({
      ...defaults,
      smsTemplate: 'Shop: {{ .Code }}',
      phoneFactorTemplate: '{{ .Code }}',
      phoneFactorOtpLength: 8,
      phoneFactorMaxFrequencySeconds: 10,
    });
  });

  it('sets the paths, imports and secrets of functions', () => {
    const { functionSettings, functionEnv } = read(
      '[functions.a]\nverify_jwt = false\nimport_map = "./functions/map.json"\nentrypoint = ""\nstatic_files = ["x"]\n[edge_runtime.secrets]\nKEY = "env(KEY)"',
      { KEY: 'secret' },
    ).options;
    expect(functionSettings).toEqual({ a: { verifyJwt: false, importMap: './functions/map.json' } });
    expect(functionEnv).toEqual({ KEY: 'secret' });
  });

  it('sets secrets of the vault and whether new tables are exposed', () => {
    const { databaseSettings } = read('[api]\nauto_expose_new_tables = false\n[db.vault]\nkey = "env(KEY)"', {
      KEY: "it's",
    }).options;
    expect(databaseSettings).toEqual({ vaultSecrets: { key: "it's" }, exposesNewTables: false });
  });

  it('sets ports and keys', () => {
    const { ports, options, withoutEffect } = read(
      '[api]\nport = 6001\n[db]\nport = 6002\n[inbucket]\nport = 6003\nsmtp_port = 6004\n[auth]\njwt_secret = "env(SECRET)"\nanon_key = ""',
      { SECRET: 'a secret of 24 characters' },
    );
    expect(ports).toEqual({ api: 6001, database: 6002, mailbox: 6003, smtp: 6004 });
    expect(options.apiKeys).toEqual({ jwtSecret: 'a secret of 24 characters' });
    expect(withoutEffect).toEqual([]);
    expect(read('[local_smtp]\nport = 6005\n[inbucket]\nport = 6003').ports.mailbox).toBe(6005);
    expect(read('[local_smtp]\nenabled = true\npop3_port = 6006').withoutEffect).toEqual([]);
    expect(read('').ports).toEqual({ api: 54_321, database: 54_322, mailbox: 54_324 });
    expect(() => read('[api]\nport = 70000')).toThrow('api.port must be a port');
    expect(() => read('[auth]\njwt_secret = "short"')).toThrow('at least 16 characters');
  });

  it('reads variables from the files of the vendor, the process first, and reports those without a value', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    mkdirSync(join(folder, 'supabase'));
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
    write('.env', 'ONE=project\nTWO=project\nTHREE=project\nFOUR=project');
    write('.env.local', 'TWO=local\nTHREE=local\nFOUR=local');
    write('supabase/.env', 'THREE="of supabase"\nFOUR=of supabase');
    vi.stubEnv('FOUR', 'process');
    const text = `
      [edge_runtime.secrets]
      ONE = "env(ONE)"
      TWO = "env(TWO)"
      THREE = "env(THREE)"
      FOUR = "env(FOUR)"
      FIVE = "env(FIVE)"
      [auth.external.github]
      enabled = false
      secret = "env(SIX)"`;
    const { options, unsetVariables } = readProjectConfig({ project: folder, text });
    vi.unstubAllEnvs();
    expect(options.functionEnv).toEqual({
      ONE: 'project',
      TWO: 'local',
      THREE: 'of supabase',
      FOUR: 'process',
      FIVE: '',
    });
    expect(unsetVariables).toEqual(['FIVE']);
  });

  it('sets sessions, factors, providers, test codes, passkeys and rate limits', () => {
    const { auth } = read(`
      [auth.sessions]
      timebox = "24h"
      inactivity_timeout = "30m"
      [auth.mfa.phone]
      enroll_enabled = true
      verify_enabled = false
      [auth.mfa.web_authn]
      enroll_enabled = false
      verify_enabled = true
      [auth.external.google]
      enabled = true
      client_id = "x"
      [auth.external.azure]
      enabled = false
      [auth.sms.test_otp]
      4152127777 = "123456"
      [auth.passkey]
      enabled = false
      [auth.oauth_server]
      enabled = true
      authorization_url_path = "/allow"
      allow_dynamic_registration = false
      [auth.webauthn]
      rp_id = "example.com"
      rp_display_name = "Example"
      rp_origins = ["https://example.com"]
      [auth.rate_limit]
      email_sent = 2
      anonymous_users = 5
      web3 = 7
    `).options;
    expect(auth).toEqual({
      ...defaults,
      sessionTimeboxSeconds: 86_400,
      sessionInactivitySeconds: 1800,
      phoneFactorEnrollEnabled: true,
      phoneFactorVerifyEnabled: false,
      webauthnFactorEnrollEnabled: false,
      webauthnFactorVerifyEnabled: true,
      externalProviders: ['google'],
      smsTestOtp: { '4152127777': '123456' },
      passkeysEnabled: false,
      oauthServerEnabled: true,
      oauthDynamicRegistrationEnabled: false,
      oauthAuthorizationPath: '/allow',
      webauthnRpId: 'example.com',
      webauthnRpDisplayName: 'Example',
      webauthnRpOrigins: ['https://example.com'],
      rateLimits: { anonymousUsers: 5, web3: 7, emailSent: Number.MAX_SAFE_INTEGER },
    });
  });

  it('sets the mails about changes of an account', () => {
    const { options, withoutEffect } = read(`
      [auth.email.notification.password_changed]
      enabled = true
      subject = "New password"
      content_path = "./supabase/templates/recovery.html"
      [auth.email.notification.email_changed]
      enabled = false
    `);
    expect(options.auth).toEqual({ ...defaults, accountChangeMails: ['password_changed'] });
    expect(options.mailTemplates?.password_changed_notification).toMatchObject({ subject: 'New password' });
    expect(withoutEffect).toEqual([]);
  });

  it('sets SMTP with values of the environment, and enforces the limit of emails then', () => {
    const text = `
      [auth.email.smtp]
      enabled = true
      host = "smtp.example.com"
      port = 465
      user = "me"
      pass = "env(SMTP_PASSWORD)"
      admin_email = "hi@example.com"
      sender_name = "Inbox"
      [auth.rate_limit]
      email_sent = 2
    `;
    const { options } = read(text, { SMTP_PASSWORD: 'secret' });
    expect(options.smtp).toEqual({
      host: 'smtp.example.com',
      port: 465,
      user: 'me',
      password: 'secret',
      adminEmail: 'hi@example.com',
      senderName: 'Inbox',
    });
    expect(options.auth?.rateLimits).toEqual({ emailSent: 2 });
    expect(read(text.replace('enabled = true', 'enabled = false')).options.smtp).toBeUndefined();
  });

  it('sets the API, buckets and functions', () => {
    const { options } = read(`
      [api]
      schemas = ["public", "graphql_public", "api"]
      max_rows = 5
      [storage.buckets.avatars]
      public = true
      file_size_limit = "1MiB"
      allowed_mime_types = ["image/png"]
      [functions.hello]
      verify_jwt = false
      [functions.old]
      enabled = false
    `);
    expect(options.rest).toEqual({ schemas: ['public', 'api'], maxRows: 5 });
    expect(options.storage?.buckets).toEqual({
      avatars: { public: true, fileSizeLimitBytes: 1_048_576, allowedMimeTypes: ['image/png'] },
    });
    expect(options.functionSettings).toEqual({ hello: { verifyJwt: false }, old: { enabled: false } });
  });

  it('sets the locations of the SQL', () => {
    const { options, withoutEffect } = read(`
      [db.migrations]
      enabled = false
      schema_paths = ["./schemas/a.sql", "./schemas/*.sql"]
      [db.seed]
      enabled = false
      sql_paths = ["./seeds/*.sql"]
    `);
    expect(options).toMatchObject({
      seed: false,
      databaseSettings: {
        migrations: false,
        schemaPaths: ['./schemas/a.sql', './schemas/*.sql'],
        seedPaths: ['./seeds/*.sql'],
      },
    });
    expect(withoutEffect).toEqual([]);
  });

  it.each(['./supabase/templates/recovery.html', './templates/recovery.html'])(
    'finds templates from the project and from supabase/: %s',
    (path) => {
      const { options } = read(`[auth.email.template.recovery]\ncontent_path = "${path}"\n`);
      expect(options.mailTemplates?.recovery?.file?.pathname).toMatch(
        /\/supabase\/templates\/recovery\.html$/,
      );
    },
  );

  it('sets the enabled hooks, with several secrets', () => {
    const { options } = read(`
      [auth.hook.custom_access_token]
      enabled = true
      uri = "pg-functions://postgres/public/claims"
      [auth.hook.send_email]
      enabled = true
      uri = "http://localhost:54321/functions/v1/mail"
      secrets = "v1,whsec_a|v1,whsec_b"
      [auth.hook.send_sms]
      enabled = false
      uri = "http://x"
    `);
    expect(options.auth?.hooks).toEqual({
      custom_access_token: { uri: 'pg-functions://postgres/public/claims', secrets: [] },
      send_email: {
        uri: 'http://localhost:54321/functions/v1/mail',
        secrets: ['v1,whsec_a', 'v1,whsec_b'],
      },
    });
  });

  it('reports settings without effect, except those of disabled tables', () => {
    const { withoutEffect } = read(`
      project_id = "x"
      [auth]
      enable_sign_up = true
      [auth.hook.after_user_created]
      enabled = true
      uri = "http://x"
      [auth.hook.send_email]
      enabled = false
      uri = "http://x"
      [auth.external.google]
      enabled = true
      email_optional = true
      [storage.buckets.a]
      objects_path = "./a"
      [nonsense]
      a.b = 1
    `);
    expect(withoutEffect).toEqual([
      'auth.enable_sign_up',
      'auth.hook.after_user_created.enabled',
      'auth.hook.after_user_created.uri',
      'auth.external.google.email_optional',
      'nonsense.a.b',
    ]);
  });

  it.each([
    ['1m30s', 90],
    ['1h', 3600],
    ['500ms', 0.5],
  ])('can have durations such as %s', (duration, expected) => {
    const { auth } = read(`[auth.email]\nmax_frequency = "${duration}"\n`).options;
    expect(auth).toEqual({
      ...defaults,
      emailMaxFrequencySeconds: expected,
    });
  });

  it.each([
    ['[auth]\njwt_expiry = "soon"\n', 'auth.jwt_expiry must be a number'],
    ['[auth]\nadditional_redirect_urls = "x"\n', 'auth.additional_redirect_urls must be a list of strings'],
    ['[auth.email]\nmax_frequency = "soon"\n', '"soon" is not a duration'],
    ['[auth]\npassword_requirements = "long"\n', 'unknown password_requirements "long"'],
    ['[storage]\nfile_size_limit = "big"\n', '"big" is not a size'],
    ['[auth.email.template.recovery]\ncontent_path = "./nope.html"\n', 'there is no file ./nope.html'],
    ['[auth.email.smtp]\nenabled = true\n', 'auth.email.smtp.host is missing'],
  ])('is rejected with the key: %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
