import type { AuthContext } from '../context.ts';
import { badRequest, invalid } from '../http/errors.ts';

/** The metadata of a company's identity provider (SAML 2.0 Metadata). */
export interface SamlMetadata {
  readonly xml: string;
  readonly entityId: string;
}

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly parent: Element | null;
}

const ignored = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<!DOCTYPE[^>]*>/g;
const tag = /<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g;

/** The elements of an XML document, in order. Throws an Error if the document is not well-formed. */
function parseElements(xml: string): readonly Element[] {
  const elements: Element[] = [];
  let parent: Element | null = null;
  const fail = (): never => {
    throw new Error('The SAML metadata is not well-formed');
  };
  const enter = (_: string, slash: string, name: string, attributes: string, end: string): string => {
    if (slash === '/') parent = parent?.name === name ? parent.parent : fail();
    else {
      const element = { name, attributes, parent };
      elements.push(element);
      if (end === '') parent = element;
    }
    return '';
  };
  const rest = xml.replaceAll(ignored, '').replaceAll(tag, enter);
  if (rest.includes('<') || parent !== null) fail();
  return elements;
}

const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' };

function attributeOf({ attributes }: Element, name: string): string {
  const [, quoted, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return Object.entries(entities).reduce(
    (value, [entity, char]) => value.replaceAll(entity, char),
    quoted ?? single ?? '',
  );
}

/**
 * Reads the first identity provider of a document. Throws 400 validation_failed, and an Error (500 for clients) if the
 * document is not well-formed.
 */
export function parseSamlMetadata(xml: string): SamlMetadata {
  const elements = parseElements(xml);
  const descriptorsOf = (entity: Element): readonly Element[] =>
    elements.filter(({ name, parent }) => name === 'IDPSSODescriptor' && parent === entity);
  const found = elements.filter(({ name }) => name === 'EntityDescriptor');
  const entity = found.find((candidate) => descriptorsOf(candidate).length > 0) ?? found[0];
  if (entity === undefined) throw new Error('The SAML metadata has no EntityDescriptor');
  const entityId = attributeOf(entity, 'entityID');
  if (entityId === '') throw invalid('SAML Metadata does not contain an EntityID');
  const { length } = descriptorsOf(entity);
  if (length < 1) throw invalid('SAML Metadata does not contain any IDPSSODescriptor');
  if (length > 1) throw invalid('SAML Metadata contains multiple IDPSSODescriptors');
  return { xml, entityId };
}

/** Throws 400 saml_metadata_fetch_failed for any status but 200. */
export async function fetchSamlMetadata({ transport }: AuthContext, url: string): Promise<string> {
  const headers = { Accept: 'application/xml;charset=UTF-8', 'Accept-Charset': 'UTF-8' };
  const response = await transport.fetch(new Request(url, { headers }));
  if (response.status !== 200)
    throw badRequest(
      'saml_metadata_fetch_failed',
      `HTTP ${response.status} error fetching SAML Metadata from URL '${url}'`,
    );
  return response.text();
}
