import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

import { renderMail } from '../../src/services/auth/mail/mail-template.ts';
import { createTemplateReader } from '../../src/project/mail-templates.ts';
import { freshEmail, openAuthWorld, password, type AuthWorld } from './auth-world.ts';

let world: AuthWorld;
let file: URL;
const reported: unknown[] = [];
beforeAll(async () => {
  file = pathToFileURL(join(await mkdtemp(join(tmpdir(), 'templates-')), 'mine.html'));
  const template = { subject: 'Hello {{ .Data.name }}', file };
  world = await openAuthWorld({}, [], {
    readTemplate: createTemplateReader(new URL('file:///nowhere/'), { confirmation: template }),
    report: (error) => reported.push(error),
  });
});

async function signUpWith(template: string): Promise<{ status: number; html: string; subject: string }> {
  await writeFile(file, template);
  const email = freshEmail();
  const { status } = await world.post('/signup', { email, password, data: { name: 'Ada <b>', lang: 'de' } });
  const { html = '', subject = '' } = world.mails.find(({ to }) => to === email) ?? {};
  return { status, html, subject };
}

describe('a mail template of the project', () => {
  it('is read for each mail and escaped by context', async () => {
    const mail = await signUpWith(
      '{{ if eq .Data.lang "de" }}Hallo{{ else }}Hello{{ end }} <b title={{ .Data.name }}>{{ .Data.name }}</b>' +
        '<a href="{{ .SiteURL }}/auth?token_hash={{ .TokenHash }}&name={{ .Data.name }}">x</a>{{ .NewEmail }}',
    );
    expect(mail.subject).toBe('Hello Ada &lt;b&gt;');
    expect(mail.html).toContain('Hallo <b title=Ada&#32;&lt;b&gt;>Ada &lt;b&gt;</b>');
    expect(mail.html).toMatch(
      /href="http:\/\/localhost:5173\/auth\?token_hash=[\da-f]{56}&name=Ada%20%3cb%3e"/,
    );
  });

  it('a mail template of the project that cannot be parsed is reported, and the default is sent', async () => {
    const { status, html, subject } = await signUpWith('{{ if .Token }}');
    expect([status, subject]).toEqual([200, 'Confirm your email address']);
    expect(html).toContain('Code: <strong>');
    expect(String(reported.at(-1))).toContain('The mail template confirmation cannot be parsed');
  });

  it('a mail template of the project that fails while it is rendered ends the request with 500, without an account', async () => {
    const { status, html } = await signUpWith('{{ len 3 }}');
    expect([status, html]).toEqual([500, '']);
    expect(String(reported.at(-1))).toContain('The mail template confirmation failed');
  });
});

describe('the default mails', () => {
  it('escape the addresses in HTML and not in text', () => {
    const fields = {
      Email: "o'x@example.com",
      NewEmail: 'a&b@example.com',
      ConfirmationURL: 'http://x/?a=1&b=2',
    };
    const mail = renderMail('email_change', { subject: null, html: null }, fields, () => undefined);
    expect(mail.html).toContain('from o&#39;x@example.com to a&amp;b@example.com');
    expect(mail.html).toContain('href="http://x/?a=1&amp;b=2"');
    expect(mail.text).toContain("from o'x@example.com to a&b@example.com");
  });
});
