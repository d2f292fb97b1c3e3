import { readFileSync } from 'node:fs';
import type { AuditSource } from './audit.ts';

/** A page outside of this package, or a file of this repository, that states the same fact. */
export interface PublicSource {
  readonly label: string;
  /** A URL, or a path relative to `protocol/`. */
  readonly url: string;
}

export interface SourceSection {
  readonly title: string;
  readonly publicSources: readonly PublicSource[];
  /** What breaks for users if the section does not hold; empty in a section that no audit cites. */
  readonly breaks: string;
}

const sectionsByDocument = new Map<string, ReadonlyMap<string, SourceSection>>();

/**
 * Reads the section that an audit cites.
 *
 * @throws {Error} if the document does not contain it.
 */
export function readSection(source: AuditSource): SourceSection {
  const [document = '', anchor = ''] = source.split('#');
  const sections = sectionsByDocument.get(document) ?? readSections(document);
  sectionsByDocument.set(document, sections);
  const section = sections.get(anchor);
  if (!section) throw new Error(`${document} has no section #${anchor}`);
  return section;
}

/** The sections of a document of this package, by GitHub's anchors for headings. */
export function readSections(document: string): ReadonlyMap<string, SourceSection> {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
  const [, ...parts] = text.split(/^## /m);
  return new Map(
    parts.map((part) => {
      const title = part.slice(0, part.indexOf('\n'));
      const anchor = title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      const [, sources = ''] = part.split(/^Source: /m);
      const [, breaks = ''] = /^Breaks: ([^]*?)\n\n/m.exec(part) ?? [];
      const links = [...sources.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];
      const publicSources = links.map(([, label = '', url = '']) => ({ label, url }));
      return [anchor, { title, publicSources, breaks: breaks.replaceAll('\n', ' ') }];
    }),
  );
}

/** The public sources of a section with links: web pages, or else the section itself in this package. */
export function sectionLinks(source: AuditSource): readonly PublicSource[] {
  const { title, publicSources } = readSection(source);
  const pages = publicSources.filter(({ url }) => url.startsWith('https:'));
  if (pages.length > 0) return pages;
  return [{ label: title, url: new URL(`../../${source}`, import.meta.url).href }];
}
