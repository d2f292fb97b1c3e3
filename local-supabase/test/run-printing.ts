import { vi } from 'vitest';
import { runCommand } from '../src/command/command.ts';

/** Runs a command in the folder `project`, and returns its exit code and what it printed, until mocks are restored. */
export async function runPrinting(
  project: string,
  words: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  for (const stream of ['log', 'error', 'warn'] as const)
    vi.spyOn(console, stream).mockImplementation((line: string) => void lines.push(line));
  const code = await runCommand([...words, '--project', project]);
  return { code, text: lines.join('\n') };
}
