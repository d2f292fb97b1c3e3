import type { MailKind, MailTemplateSource } from '../services/auth/mail/mail-template.ts';
import type { ExtensionFile } from '../database/extension-files.ts';
import type { ApiKeySettings } from '../keys/keys.ts';
import type { Bytes } from '../platform/bytes.ts';
import type { ServiceSettings } from './services.ts';

/** The manifest of a project that was built for browsers: `project.json`, beside the files that it lists. */
export interface ProjectAssets {
  /** Identifies the initial state of a new database. */
  readonly snapshot: string;
  /** Sizes in bytes of the gzip-compressed files, by name. */
  readonly files: Readonly<Record<string, number>>;
  /** The extensions with an archive among the files. */
  readonly bundled: readonly string[];
  readonly extensionFiles: readonly ExtensionFile[];
  readonly apiKeys: ApiKeySettings;
  readonly settings: Omit<ServiceSettings, 'functions'>;
  readonly templates: Readonly<Partial<Record<MailKind, MailTemplateSource>>>;
}

export const MANIFEST = 'project.json';
export const POSTGRES_MODULE = 'postgres-wasm.bin';
export const POSTGRES_FILES = 'postgres-files.bin';
export const SNAPSHOT_FILE = 'snapshot.bin';
export const archiveOf = (extension: string): string => `extension-${extension}.bin`;

export interface LoadedAssets {
  readonly project: ProjectAssets;
  /** @returns the decompressed file. */
  open(name: string): Promise<Bytes>;
  /** @returns the compressed file. */
  raw(name: string): Bytes;
}

export const loadManifest = async (folder: URL): Promise<ProjectAssets> =>
  (await fetchFile(new URL(MANIFEST, folder))).json() as Promise<ProjectAssets>;

/**
 * @param onProgress receives the number of loaded bytes and the total.
 * @throws {Error} naming the file that failed to load.
 */
export async function loadAssets(
  folder: URL,
  project: ProjectAssets,
  names: readonly string[],
  onProgress: (loadedBytes: number, totalBytes: number) => void,
): Promise<LoadedAssets> {
  const totalBytes = names.reduce((sum, name) => sum + (project.files[name] ?? 0), 0);
  let loadedBytes = 0;
  const load = async (name: string): Promise<readonly [string, Bytes]> => {
    const { body } = await fetchFile(new URL(name, folder));
    const counted = body?.pipeThrough(
      new TransformStream<Bytes, Bytes>({
        transform(chunk, controller) {
          loadedBytes += chunk.length;
          onProgress(Math.min(loadedBytes, totalBytes), totalBytes);
          controller.enqueue(chunk);
        },
      }),
    );
    return [name, new Uint8Array(await new Response(counted ?? null).arrayBuffer())];
  };
  const files = new Map(await Promise.all(names.map(load)));
  const raw = (name: string) => {
    const bytes = files.get(name);
    if (!bytes) throw new Error(`The build of the project has no file ${name}`);
    return bytes;
  };
  return { project, raw, open: (name) => decompress(raw(name)) };
}

async function fetchFile(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} responded with ${response.status}`);
  return response;
}

/** Some servers and browsers have already decompressed the file. */
async function decompress(bytes: Bytes): Promise<Bytes> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
