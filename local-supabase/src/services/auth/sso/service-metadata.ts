import type { AuthContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { requireSso } from './single-sign-on.ts';

const metadataNamespace = 'urn:oasis:names:tc:SAML:2.0:metadata';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';
const binding = (name: string): string => `urn:oasis:names:tc:SAML:2.0:bindings:${name}`;
const validityMs = 48 * 3_600_000;
const downloadYears = 5;

/** Encodes a time as Go does, without fractions. */
const encodeTime = (date: Date): string => date.toISOString().replace('.000Z', 'Z');

function inYears(nowMs: number, years: number): Date {
  const date = new Date(nowMs);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date;
}

const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&#34;');

/**
 * GET /sso/saml/metadata: metadata of this service for identity providers; `download=true` as a file that is valid for
 * five years.
 */
export async function readServiceMetadata(context: AuthContext, call: Call): Promise<Response> {
  requireSso(context);
  const isDownload = call.url.searchParams.get('download') === 'true';
  const nowMs = context.now();
  const until = encodeTime(new Date(nowMs + validityMs));
  const documentUntil = isDownload ? encodeTime(inYears(nowMs, downloadYears)) : until;
  const base = escapeAttribute(`${call.authUrl}/sso/saml`);
  const endpoint = (name: string, bindingName: string, location: string, rest: string): string =>
    `<${name} Binding="${binding(bindingName)}" Location="${base}/${location}"${rest}></${name}>`;
  const xml = [
    `<EntityDescriptor xmlns="${metadataNamespace}" validUntil="${documentUntil}" entityID="${base}/metadata">`,
    `<SPSSODescriptor xmlns="${metadataNamespace}" validUntil="${until}" protocolSupportEnumeration="${protocol}" WantAssertionsSigned="true">`,
    endpoint('SingleLogoutService', 'HTTP-POST', 'slo', ` ResponseLocation="${base}/slo"`),
    '<NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</NameIDFormat>',
    '<NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>',
    endpoint('AssertionConsumerService', 'HTTP-POST', 'acs', ' index="1"'),
    endpoint('AssertionConsumerService', 'HTTP-Artifact', 'acs', ' index="2"'),
    '</SPSSODescriptor></EntityDescriptor>',
  ].join('');
  const headers = new Headers({ 'Content-Type': 'application/xml', 'Cache-Control': 'public, max-age=600' });
  if (isDownload) headers.set('Content-Disposition', 'attachment; filename="metadata.xml"');
  return new Response(xml, { headers });
}
