import type { AuthContext } from '../context.ts';
import {
  type JsonObject,
  readFlag,
  readMember,
  readObject,
  readOptionalText,
  readText,
  readTexts,
} from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import { fetchSamlMetadata, parseSamlMetadata, type SamlMetadata } from './saml-metadata.ts';

/** The fields that an administrator sets on a company's identity provider. Undefined keeps the stored value. */
export interface SsoProviderParams {
  readonly metadataUrl: string;
  readonly metadataXml: string;
  readonly domains: readonly string[] | undefined;
  /** `{keys}` by claim, or `{}`. */
  readonly attributeMapping: JsonObject;
  readonly nameIdFormat: string;
  readonly resourceId: string | undefined;
  readonly disabled: boolean | undefined;
}

const nameIdFormats = [
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
];

function checkMetadata({ metadataUrl, metadataXml }: SsoProviderParams, isNew: boolean): void {
  if (metadataUrl !== '' && metadataXml !== '')
    throw invalid('Only one of metadata_xml or metadata_url needs to be set');
  if (isNew && metadataUrl === '' && metadataXml === '')
    throw invalid('Either metadata_xml or metadata_url must be set');
  if (metadataUrl === '') return;
  if (!URL.canParse(metadataUrl)) throw invalid('metadata_url is not a valid URL');
  if (new URL(metadataUrl).protocol !== 'https:') throw invalid('metadata_url is not a HTTPS URL');
}

/** Keeps the known members of each claim's mapping that are not empty. */
function readMapping(body: JsonObject): JsonObject {
  const keys = readObject(readObject(body, 'attribute_mapping') ?? {}, 'keys');
  if (keys === undefined) return {};
  const attributeOf = (claim: string): JsonObject => {
    const given = readObject(keys, claim) ?? {};
    const [name, names] = [readText(given, 'name'), readTexts(given, 'names') ?? []];
    const fallback = readMember(given, 'default') ?? null;
    return {
      ...(name !== '' && { name }),
      ...(names.length > 0 && { names }),
      ...(fallback !== null && { default: fallback }),
      ...(readFlag(given, 'array') && { array: true }),
    };
  };
  return { keys: Object.fromEntries(Object.keys(keys).map((claim) => [claim, attributeOf(claim)])) };
}

/** Throws 400 validation_failed, bad_json. */
export function parseSsoProvider(body: JsonObject, isNew: boolean): SsoProviderParams {
  const isDisabledGiven = (readMember(body, 'disabled') ?? null) !== null;
  const params = {
    metadataUrl: readText(body, 'metadata_url'),
    metadataXml: readText(body, 'metadata_xml'),
    domains: readTexts(body, 'domains'),
    attributeMapping: readMapping(body),
    nameIdFormat: readText(body, 'name_id_format'),
    resourceId: readOptionalText(body, 'resource_id'),
    disabled: isDisabledGiven ? readFlag(body, 'disabled') : undefined,
  };
  if (isNew && readText(body, 'type') !== 'saml')
    throw invalid("Only 'saml' supported for SSO provider type");
  checkMetadata(params, isNew);
  if (params.nameIdFormat !== '' && !nameIdFormats.includes(params.nameIdFormat))
    throw invalid(`name_id_format must be unspecified or one of ${nameIdFormats.join(', ')}`);
  return params;
}

/** The metadata that the parameters contain or link to; null without either. Throws as `parseSamlMetadata` does. */
export async function loadMetadata(
  context: AuthContext,
  { metadataUrl, metadataXml }: SsoProviderParams,
): Promise<SamlMetadata | null> {
  if (metadataXml !== '') return parseSamlMetadata(metadataXml);
  return metadataUrl === '' ? null : parseSamlMetadata(await fetchSamlMetadata(context, metadataUrl));
}
